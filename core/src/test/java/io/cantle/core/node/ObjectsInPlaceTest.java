package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.ContainerKind;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Version;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.ChangeObserver;
import io.cantle.core.replica.ChangeSubscription;
import io.cantle.core.replica.CommittedChange;
import io.cantle.core.replica.Replica;
import io.cantle.function.SerializableBiFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests writes that replace the value of an entry in place, in a cache that keeps objects: that
 * they are writes like any other, and that nobody is given an entry that changes.
 */
@Timeout(120)
final class ObjectsInPlaceTest {
  private static final int CHANGES = 1_000;
  private static final CountDownLatch STARTED = new CountDownLatch(1);
  private static final CountDownLatch WRITTEN = new CountDownLatch(1);
  private static final AtomicInteger RUNS = new AtomicInteger();
  private static final int MAX_WRITES = 200_000;

  private final SingleNode alone = new SingleNode(ObjectsInPlaceTest.class.getPackageName());
  private final Cache<String, Object> cache =
      alone.node.cache("objects", CacheConfig.local().segments(1).container(ContainerKind.OBJECTS));
  private final Codec codec =
      new Codec(ClassAllowList.of(List.of()), ObjectsInPlaceTest.class.getClassLoader());

  @AfterEach
  void stop() {
    alone.close();
  }

  private Replica replica() {
    return alone.node.node().replicas.all().stream()
        .filter(replica -> replica.entries().keepsObjects())
        .findAny()
        .orElseThrow();
  }

  /** The entry that is present, and not a snapshot of it. */
  private @Nullable Entry present(String key) {
    byte[] bytes = codec.encodeKey(key);
    return replica().entries().get(hash(bytes), bytes, 0, bytes.length);
  }

  private long hash(byte[] key) {
    return alone.node.node().topologyDriver.current().hashOf(ByteSlice.of(key));
  }

  private Entry read(String key) {
    byte[] bytes = codec.encodeKey(key);
    return Objects.requireNonNull(
        replica().readLocally(hash(bytes), bytes, 0, bytes.length).entry());
  }

  @Test
  void entryStaysAndHasTheNextVersion() {
    cache.put("key", "a");
    Entry entry = Objects.requireNonNull(present("key"));
    Version first = entry.version();
    assertThat(cache.put("key", "b")).isEqualTo("a");
    assertThat(cache.put("key", 3)).isEqualTo("b");
    assertThat(cache.replace("key", 4)).isEqualTo(3);
    assertThat(cache.get("key")).isEqualTo(4);
    assertThat(present("key")).isSameAs(entry);
    assertThat(entry.version()).isEqualTo(new Version(first.epoch(), first.index() + 3));
    assertThat(cache.size()).isEqualTo(1);
    assertThat(cache.statistics().puts()).isEqualTo(4);
  }

  @Test
  void whatReadersAndResultsHaveDoesNotChange() {
    cache.put("key", "a");
    Entry read = read("key");
    List<Entry> scanned = new ArrayList<>();
    replica()
        .entries()
        .scan(
            SegmentCursor.START,
            entry -> {
              scanned.add(entry);
              return VisitResult.CONTINUE;
            });
    Version version = read.version();
    cache.put("key", "b");
    assertThat(scanned).hasSize(1);
    for (Entry entry : List.of(read, scanned.getFirst())) {
      assertThat(entry.sharedValue()).isEqualTo("a");
      assertThat(entry.version()).isEqualTo(version);
    }
    assertThat(read("key").sharedValue()).isEqualTo("b");
  }

  @Test
  void everyKindOfWriteIsFoundAfterOneInPlace() {
    for (int round = 0; round < 3; round++) {
      cache.put("key", "a");
      cache.put("key", "b");
      assertThat(cache.get("key")).isEqualTo("b");
      assertThat(cache.remove("key")).isEqualTo("b");
      assertThat(cache.get("key")).isNull();
      assertThat(cache.put("key", "c")).isNull();
      assertThat(cache.put("key", new int[] {1})).isEqualTo("c");
      assertThat(cache.get("key")).isEqualTo(new int[] {1});
      assertThat(cache.put("key", "d")).isEqualTo(new int[] {1});
      assertThat(cache.get("key")).isEqualTo("d");
      cache.clear();
      assertThat(cache.put("key", "e")).isNull();
    }
  }

  @Test
  void lifetimeIsTakenAndGivenUp() {
    cache.put("key", "a");
    cache.lifespan(Duration.ofHours(1)).put("key", "b");
    assertThat(read("key").expiresAtMillis()).isNotEqualTo(ExpiryTime.NEVER);
    assertThat(cache.put("key", "c")).isEqualTo("b");
    assertThat(read("key").expiresAtMillis()).isEqualTo(ExpiryTime.NEVER);
    assertThat(cache.put("key", "d")).isEqualTo("c");
  }

  @Test
  void bytesOfTheSegmentAreThoseOfItsEntries() {
    for (int i = 0; i < 1_000; i++) {
      cache.put("key-" + i % 10, "x".repeat(i % 37));
    }
    long bytes =
        IntStream.range(0, 10)
            .mapToLong(i -> Objects.requireNonNull(present("key-" + i)).sizeBytes())
            .sum();
    assertThat(replica().entries().sizeBytes()).isEqualTo(bytes);
  }

  @Test
  void longValueKeepsBytes() {
    cache.put("key", "a");
    cache.put("key", "x".repeat(5 << 20));
    assertThat(Objects.requireNonNull(present("key")).hasObjectsOnly()).isFalse();
    assertThat(cache.put("key", "b")).isEqualTo("x".repeat(5 << 20));
    assertThat(cache.get("key")).isEqualTo("b");
  }

  @Test
  void destroyedCacheRefusesWritesOfRememberedKeys() {
    cache.put("key", "a");
    cache.put("key", "b");
    alone.node.destroy("objects");
    assertThatThrownBy(() -> cache.put("key", "c")).isInstanceOf(CacheDestroyedException.class);
  }

  @Test
  void observerIsToldOfEachChangeFromWhereItBegan() throws Exception {
    List<CommittedChange> told = Collections.synchronizedList(new ArrayList<>());
    ChangeObserver observer =
        new ChangeObserver() {
          @Override
          public void onReset() {
            told.clear();
          }

          @Override
          public void onCommitted(List<CommittedChange> changes) {
            told.addAll(changes);
          }
        };
    AtomicInteger written = new AtomicInteger();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      Future<?> writer =
          threads.submit(
              () -> {
                while (told.size() < CHANGES && written.get() < MAX_WRITES) {
                  cache.put("key", written.incrementAndGet());
                }
              });
      while (written.get() < CHANGES) {
        Thread.onSpinWait();
      }
      ChangeSubscription subscription = replica().observe(observer, threads, Version.NONE);
      replica().performEffects();
      writer.get();
      replica().performEffects();
      replica().stopObserving(subscription);
    }
    cache.put("key", "in place again");
    List<Object> values =
        told.stream().map(change -> Objects.requireNonNull(change.after().sharedValue())).toList();
    int first = (int) values.getFirst();
    assertThat(first).isGreaterThanOrEqualTo(CHANGES);
    assertThat(values).hasSize(written.get() - first + 1);
    assertThat(values)
        .as("values from %s on", first)
        .isEqualTo(IntStream.rangeClosed(first, written.get()).boxed().toList());
  }

  @Test
  void functionOfAnOwnerRunsAgainIfItsValueWasReplacedInPlace() throws Exception {
    cache.put("key", "a");
    cache.put("key", "b");
    RUNS.set(0);
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<Object> computed =
          threads.submit(
              () ->
                  cache.compute(
                      "key",
                      (SerializableBiFunction<String, Object, Object>)
                          (key, value) -> slowly(value + "!")));
      await(STARTED);
      assertThat(cache.put("key", "other")).isEqualTo("b");
      WRITTEN.countDown();
      assertThat(computed.get()).isEqualTo("other!");
    }
    assertThat(cache.get("key")).isEqualTo("other!");
    assertThat(RUNS).hasValue(2);
  }

  private static String slowly(String result) {
    RUNS.incrementAndGet();
    STARTED.countDown();
    await(WRITTEN);
    return result;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void streamOfChosenKeysSeesOneValueOfEachEntry() throws Exception {
    cache.put("key", 0);
    AtomicBoolean done = new AtomicBoolean();
    long contradictions = 0;
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<?> writer =
          threads.submit(
              () -> {
                for (int i = 0; !done.get(); i++) {
                  cache.put("key", i);
                }
              });
      for (int i = 0; i < CHANGES; i++) {
        contradictions +=
            cache.entrySet().stream()
                .filterKeys(Set.of("key"))
                .filter(entry -> (Integer) entry.getValue() % 2 == 0)
                .filter(entry -> (Integer) entry.getValue() % 2 != 0)
                .count();
      }
      done.set(true);
      writer.get();
    }
    assertThat(contradictions).isZero();
  }

  @Test
  void noUpdateIsLostBesideWritesInPlace() throws Exception {
    int threadCount = 4;
    int rounds = 20_000;
    cache.put("sum", 0L);
    try (ExecutorService threads = Executors.newFixedThreadPool(threadCount)) {
      List<Future<?>> writers = new ArrayList<>();
      for (int thread = 0; thread < threadCount; thread++) {
        writers.add(
            threads.submit(
                () -> {
                  for (int round = 0; round < rounds; round++) {
                    cache.merge("sum", 1L, (one, other) -> (Long) one + (Long) other);
                  }
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    }
    assertThat(cache.get("sum")).isEqualTo((long) threadCount * rounds);
  }
}
