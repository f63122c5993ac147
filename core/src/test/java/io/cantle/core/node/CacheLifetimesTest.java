package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.GridConfig;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Environment;
import io.cantle.core.base.TestEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how long entries live, as users see it, on a node whose clock is moved by hand. */
final class CacheLifetimesTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final AtomicLong passed = new AtomicLong();
  private final AtomicLong wall = new AtomicLong();
  private SystemEnvironment system;
  private NodeGrid node;
  private Cache<String, Integer> cache;

  private interface Writing {
    void write(Cache<String, Integer> to, String key);
  }

  private final class Moved implements Clock {
    private final Clock real;

    Moved(Clock real) {
      this.real = real;
    }

    @Override
    public long nanoTime() {
      return real.nanoTime() + passed.get();
    }

    @Override
    public long wallMillis() {
      return real.wallMillis() + wall.get();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      real.parkNanos(blocker, nanos);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      return real.schedule(delayNanos, task);
    }
  }

  @BeforeEach
  void open() {
    system = new SystemEnvironment("test");
    Environment real = system.environment();
    Environment environment =
        TestEnvironment.of(
            new Moved(real.clock()),
            real.threads(),
            real.workers(),
            real.random(),
            real.processors());
    node =
        Node.startLocal(
            GridConfig.named("test")
                .nodeName("single")
                .timeout(Duration.ofSeconds(20))
                .allowing("io.cantle.core.node"),
            CacheLifetimesTest.class.getClassLoader(),
            environment,
            system::close);
    cache = node.cache("cache", CacheConfig.distributed().segments(8));
  }

  @AfterEach
  void close() {
    node.close();
  }

  private void pass(Duration time) {
    passed.addAndGet(time.toNanos());
  }

  @Test
  void expiredEntriesAreInvisibleBeforeTheReaperRuns() {
    for (int i = 0; i < 100; i++) {
      (i % 2 == 0 ? cache : cache.lifespan(MINUTE)).put("k" + i, i);
    }
    assertThat(cache.size()).isEqualTo(100);
    pass(MINUTE.plusMillis(1));
    assertThat(cache.size()).isEqualTo(50);
    pass(Duration.ofHours(1));
    assertThat(cache.mappingCount()).isEqualTo(50);
    assertThat(cache.keySet()).hasSize(50).doesNotContain("k1");
    assertThat(cache.values().stream().mapToInt(value -> value).sum()).isEqualTo(2450);
    assertThat(cache.get("k1")).isNull();
    assertThat(cache.containsKey("k3")).isFalse();
    assertThat(cache.get("k2")).isEqualTo(2);
  }

  @Test
  void everyReadPathHidesExpiredEntries() {
    List<Runnable> looks =
        List.of(
            () -> assertThat(cache.get("k")).isNull(),
            () -> assertThat(cache.containsKey("k")).isFalse(),
            () -> assertThat(cache.getAll(List.of("k"))).isEmpty(),
            () -> assertThat(cache.size()).isZero(),
            () -> assertThat(cache.isEmpty()).isTrue(),
            () -> assertThat(new ArrayList<>(cache.keySet())).isEmpty(),
            () -> assertThat(cache.values().stream().count()).isZero(),
            () -> assertThat(cache.entrySet().stream().anyMatch(entry -> true)).isFalse(),
            () -> assertThat(cache.scan(io.cantle.ScanCursor.START, 10).entries()).isEmpty(),
            () -> assertThat(cache.remove("k")).isNull(),
            () -> assertThat(cache.remove("k", 1)).isFalse(),
            () -> assertThat(cache.replace("k", 2)).isNull(),
            () -> assertThat(cache.replace("k", 1, 2)).isFalse(),
            () -> assertThat(cache.putIfAbsent("k", 2)).isNull(),
            () -> assertThat(cache.put("k", 2)).isNull(),
            () -> assertThat(cache.computeIfPresent("k", (key, value) -> 2)).isNull(),
            () -> assertThat(cache.merge("k", 2, Integer::sum)).isEqualTo(2));
    for (Runnable look : looks) {
      cache.lifespan(MINUTE).put("k", 1);
      assertThat(cache.get("k")).isEqualTo(1);
      pass(MINUTE.plusMillis(1));
      look.run();
      cache.clear();
    }
  }

  @Test
  void everyWriteSetsOrClearsTheLifetime() {
    Cache<String, Integer> minute = cache.lifespan(MINUTE);
    BiFunction<String, Integer, Integer> here = (key, value) -> 5;
    List<Writing> writes =
        List.of(
            (to, key) -> to.put(key, 5),
            (to, key) -> to.replace(key, 5),
            (to, key) -> to.replace(key, 1, 5),
            (to, key) -> to.compute(key, (name, value) -> 5),
            (to, key) -> to.compute(key, here),
            (to, key) -> to.computeIfPresent(key, (name, value) -> 5),
            (to, key) -> to.merge(key, 4, Integer::sum),
            (to, key) -> to.putAll(Map.of(key, 5)),
            (to, key) -> to.putAsync(key, 5).toCompletableFuture().join(),
            (to, key) -> to.mergeAsync(key, 4, Integer::sum).toCompletableFuture().join());
    for (Writing write : writes) {
      cache.put("lasting", 1);
      minute.put("staying", 1);
      pass(Duration.ofSeconds(30));
      write.write(minute, "lasting");
      write.write(cache, "staying");
      assertThat(cache.get("lasting")).isEqualTo(5);
      pass(Duration.ofSeconds(59));
      assertThat(cache.get("lasting")).as("not early").isEqualTo(5);
      pass(Duration.ofSeconds(2));
      assertThat(cache.get("lasting")).isNull();
      assertThat(cache.get("staying")).isEqualTo(5);
      cache.clear();
    }
    minute.putIfAbsent("absent", 1);
    minute.computeIfAbsent("computed", key -> 2);
    cache.put("replaced", 1);
    minute.replaceAll((key, value) -> value + 1);
    assertThat(cache.size()).isEqualTo(3);
    pass(MINUTE.plusMillis(1));
    assertThat(cache.size()).isZero();
  }

  @Test
  void failedConditionalWriteKeepsTheLifetime() {
    cache.lifespan(MINUTE).put("k", 1);
    pass(Duration.ofSeconds(40));
    assertThat(cache.putIfAbsent("k", 2)).isEqualTo(1);
    assertThat(cache.replace("k", 7, 2)).isFalse();
    pass(Duration.ofSeconds(21));
    assertThat(cache.get("k")).isNull();
  }

  @Test
  void defaultLifetimeAppliesToPlainWrites() {
    Cache<String, Integer> brief =
        node.cache("short", CacheConfig.distributed().segments(2).lifespan(MINUTE));
    brief.put("k", 1);
    brief.lifespan(Duration.ofHours(2)).put("l", 1);
    brief.lifespan(CacheConfig.FOREVER).put("m", 1);
    pass(MINUTE.plusMillis(1));
    assertThat(brief.keySet()).containsExactlyInAnyOrder("l", "m");
    pass(Duration.ofHours(3));
    assertThat(brief.keySet()).containsExactly("m");
    assertThat(brief.config().lifespan()).isEqualTo(MINUTE);
    assertThatIllegalStateException()
        .isThrownBy(() -> node.cache("short", CacheConfig.distributed().segments(2)))
        .withMessageContaining("lifespan");
  }

  @Test
  void readsExtendMaxIdleAndIterationDoesNot() {
    Cache<String, Integer> idle = cache.maxIdle(Duration.ofSeconds(80));
    idle.put("read", 1);
    idle.put("asked", 1);
    idle.put("refused", 1);
    idle.put("walked", 1);
    for (int i = 0; i < 5; i++) {
      pass(Duration.ofSeconds(70));
      assertThat(cache.get("read")).as("round " + i).isEqualTo(1);
      assertThat(cache.containsKey("asked")).isTrue();
      assertThat(cache.putIfAbsent("refused", 2)).isEqualTo(1);
      assertThat(cache.containsValue(1)).isTrue();
    }
    assertThat(cache.keySet()).containsExactlyInAnyOrder("read", "asked", "refused");
    pass(Duration.ofSeconds(79));
    assertThat(cache.size()).isEqualTo(3);
    pass(Duration.ofSeconds(12));
    assertThat(cache.size()).isZero();
  }

  @Test
  void earlierOfLifespanAndMaxIdleExpiresTheEntry() {
    Cache<String, Integer> both = cache.lifespan(Duration.ofMinutes(3)).maxIdle(MINUTE);
    both.put("read", 1);
    both.put("idle", 1);
    pass(Duration.ofSeconds(50));
    assertThat(cache.get("read")).isEqualTo(1);
    pass(Duration.ofSeconds(50));
    assertThat(cache.get("read")).isEqualTo(1);
    assertThat(cache.get("idle")).isNull();
    pass(Duration.ofSeconds(50));
    assertThat(cache.get("read")).isEqualTo(1);
    pass(Duration.ofSeconds(31));
    assertThat(cache.get("read")).isNull();
  }

  @Test
  void wallClockJumpsChangeNothing() {
    cache.lifespan(MINUTE).put("k", 1);
    wall.set(TimeUnit.HOURS.toMillis(1));
    assertThat(cache.get("k")).isEqualTo(1);
    wall.set(-TimeUnit.HOURS.toMillis(1));
    assertThat(cache.get("k")).isEqualTo(1);
    pass(MINUTE.plusMillis(1));
    assertThat(cache.get("k")).isNull();
  }

  @Test
  void localCachesWorkTheSameWay() {
    Cache<String, Integer> local = node.cache("local", CacheConfig.local().maxIdle(MINUTE));
    local.put("k", 1);
    local.lifespan(Duration.ofMillis(1)).put("l", 1);
    pass(Duration.ofMillis(2));
    assertThat(local.size()).isEqualTo(1);
    pass(Duration.ofSeconds(68));
    assertThat(local.size()).isZero();
  }

  @Test
  void timesOutOfRangeAreRefusedWithTheRange() {
    for (Duration wrong :
        List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofDays(-1), Duration.ofDays(36_501))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> cache.lifespan(wrong))
          .withMessageContainingAll("lifespan", wrong.toString(), "1 ms to 100 years");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> CacheConfig.local().maxIdle(wrong))
          .withMessageContainingAll("maxIdle", wrong.toString());
    }
    cache.lifespan(CacheConfig.SHORTEST).maxIdle(CacheConfig.LONGEST).put("short", 1);
    cache.lifespan(CacheConfig.LONGEST).put("long", 1);
    pass(Duration.ofDays(36_499));
    assertThat(cache.keySet()).containsExactly("long");
    assertThat(CacheConfig.local().lifespan(Duration.ofNanos(1_000_001)).lifespan())
        .isEqualTo(Duration.ofMillis(2));
  }
}
