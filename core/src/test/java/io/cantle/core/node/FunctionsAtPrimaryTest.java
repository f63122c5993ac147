package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CallTimeoutException;
import io.cantle.FunctionException;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.PartialWriteException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests functions as users pass them to a cache, of classes that may be sent. */
final class FunctionsAtPrimaryTest {
  private static final SystemEnvironment WORLD = new SystemEnvironment("functions");
  private static NodeGrid node;

  /** The cache for functions, which cannot capture one. */
  @SuppressWarnings("NullAway.Init") // It is set before each test.
  private static Cache<String, Integer> shared;

  private static int caches;
  private static final Map<String, Integer> RUNS = new ConcurrentHashMap<>();

  private Cache<String, Integer> cache;

  @BeforeAll
  static void start() {
    node = startNode(WORLD, Duration.ofSeconds(20));
  }

  private static NodeGrid startNode(SystemEnvironment world, Duration timeout) {
    return Node.startLocal(
        GridConfig.named("functions")
            .nodeName("single")
            .timeout(timeout)
            .allowing(FunctionsAtPrimaryTest.class.getPackageName()),
        FunctionsAtPrimaryTest.class.getClassLoader(),
        world.environment(),
        world::close);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @BeforeEach
  void open() {
    cache = node.cache("cache" + caches++, CacheConfig.distributed().segments(4));
    shared = cache;
    RUNS.clear();
  }

  @Test
  void actionOnOwnersThatThrowsMayHaveRunForOtherElements() {
    cache.put("a", 1);
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(
            () ->
                cache.values().stream()
                    .forEachOnOwners(
                        value -> {
                          throw new IllegalStateException("a mistake");
                        }))
        .withMessageContainingAll("a mistake", "what it did stays")
        .satisfies(e -> assertThat(e.retrySafe()).isFalse())
        .withCauseInstanceOf(IllegalStateException.class);
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(
            () ->
                cache.compute(
                    "a",
                    (key, value) -> {
                      throw new IllegalStateException("a mistake");
                    }))
        .withMessageContaining("the call itself wrote nothing")
        .satisfies(e -> assertThat(e.retrySafe()).isTrue());
  }

  @Test
  void inlineLambdaRunsAtThePrimaryAndAVariableLocally() {
    Cache<String, String> names = node.cache("names");
    String here = Thread.currentThread().toString();
    names.compute("a", (k, v) -> Thread.currentThread().toString());
    assertThat(names.get("a")).isNotEqualTo(here).contains("Virtual");
    BiFunction<String, String, String> function = (k, v) -> Thread.currentThread().toString();
    names.compute("a", function);
    assertThat(names.get("a")).isEqualTo(here);
  }

  @Test
  void unsendableFunctionRunsLocally() {
    Iterator<Integer> unfit = List.of(1, 2, 3, 4).iterator();
    assertThat(cache.compute("a", (k, v) -> unfit.next())).isEqualTo(1);
    assertThat(cache.merge("a", 5, (old, more) -> old + more + unfit.next())).isEqualTo(8);
    assertThat(cache.computeIfAbsent("b", k -> unfit.next())).isEqualTo(3);
    assertThat(cache.computeIfPresent("b", (k, v) -> unfit.next())).isEqualTo(4);
    assertThat(unfit.hasNext()).as("the captured object itself was used, not a copy").isFalse();
  }

  @Test
  void behavesLikeAConcurrentHashMap() {
    Random random = new Random(7);
    Map<String, Integer> model = new ConcurrentHashMap<>();
    for (int i = 0; i < 2_000; i++) {
      String key = "k" + random.nextInt(8);
      int value = random.nextInt(4);
      int other = random.nextInt(4);
      switch (random.nextInt(7)) {
        case 0 -> assertThat(cache.remove(key, value)).isEqualTo(model.remove(key, value));
        case 1 ->
            assertThat(cache.replace(key, value, other))
                .isEqualTo(model.replace(key, value, other));
        case 2 ->
            assertThat(cache.merge(key, value, (a, b) -> a + b > 4 ? null : a + b))
                .isEqualTo(model.merge(key, value, (a, b) -> a + b > 4 ? null : a + b));
        case 3 ->
            assertThat(cache.compute(key, (k, v) -> v == null || v < 2 ? other : null))
                .isEqualTo(model.compute(key, (k, v) -> v == null || v < 2 ? other : null));
        case 4 ->
            assertThat(cache.computeIfAbsent(key, k -> value == 0 ? null : value))
                .isEqualTo(model.computeIfAbsent(key, k -> value == 0 ? null : value));
        case 5 ->
            assertThat(cache.computeIfPresent(key, (k, v) -> v == 1 ? null : v + 1))
                .isEqualTo(model.computeIfPresent(key, (k, v) -> v == 1 ? null : v + 1));
        default -> assertThat(cache.put(key, value)).isEqualTo(model.put(key, value));
      }
    }
    assertThat(cache).isEqualTo(model);
  }

  @Test
  void countersOfManyThreadsLoseNothingAndNoFunctionRunsTwice() throws InterruptedException {
    int threads = 16;
    CountDownLatch ended = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      WORLD
          .environment()
          .threads()
          .execute(
              () -> {
                for (int n = 0; n < 100; n++) {
                  cache.merge("n", 1, FunctionsAtPrimaryTest::counted);
                }
                ended.countDown();
              });
    }
    ended.await();
    assertThat(cache.get("n")).isEqualTo(1_600);
    assertThat(RUNS).containsEntry("sum", 1_599);
  }

  private static Integer counted(Integer left, Integer right) {
    RUNS.merge("sum", 1, Integer::sum);
    return left + right;
  }

  /** No function threw: the one who reads the message would look for it in vain. */
  @Test
  void resultThatCannotBeSentIsNamedAsSuch() {
    Cache<String, Object> any = node.cache("any");
    cache.put("a", 1);
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(() -> cache.values().stream().map(value -> new Thread()).toList())
        .withMessageContainingAll(
            "a function of this call failed on node single",
            "its result, of class java.lang.Thread, cannot be sent or stored: ");
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(() -> cache.values().stream().map(value -> new Thread()).reduce((a, b) -> a))
        .withMessageContaining("its result, of class java.lang.Thread, cannot be sent or stored: ");
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(() -> any.compute("a", (key, value) -> new Thread()))
        .withMessageContaining("its result, of class java.lang.Thread, cannot be sent or stored: ");
    assertThat(cache.get("a")).isEqualTo(1);
  }

  @Test
  void functionExceptionSaysWhereAndWhy() {
    cache.put("a", 1);
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(
            () ->
                cache.compute(
                    "a",
                    (k, v) -> {
                      throw new IllegalArgumentException("mine", new Mishap("inner"));
                    }))
        .withMessageContainingAll("single", "mine", "wrote nothing")
        .satisfies(
            thrown -> {
              assertThat(thrown.nodeName()).isEqualTo("single");
              assertThat(thrown.retrySafe()).isTrue();
              Throwable cause = Objects.requireNonNull(thrown.getCause());
              assertThat(cause)
                  .isExactlyInstanceOf(IllegalArgumentException.class)
                  .hasMessage("mine");
              assertThat(cause.getStackTrace()[0].getFileName())
                  .isEqualTo("FunctionsAtPrimaryTest.java");
              assertThat(cause.getCause())
                  .hasMessage("inner")
                  .hasToString(Mishap.class.getName() + ": inner");
            });
    assertThat(cache.get("a")).isEqualTo(1);
  }

  private static final class Mishap extends RuntimeException {
    private static final long serialVersionUID = 1;

    Mishap(String message) {
      super(message);
    }
  }

  @Test
  void aFunctionThatWritesItsOwnKeyIsRefused() {
    cache.put("a", 1);
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(() -> cache.compute("a", (k, v) -> shared.merge("a", 1, Integer::sum)))
        .withMessageContaining("the key it runs for");
    assertThat(cache.compute("a", (k, v) -> shared.merge("b", 7, Integer::sum))).isEqualTo(7);
    assertThat(cache).isEqualTo(Map.of("a", 7, "b", 7));
  }

  @Test
  void aCircleOfFunctionsOnOneNodeIsRefused() {
    shared.putAll(Map.of("a", 1, "b", 1));
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(
            () ->
                shared.compute(
                    "a",
                    (k, v) -> shared.compute("b", (l, w) -> shared.compute("a", (m, x) -> x + 1))))
        .withMessageContaining("the key it runs for");
    assertThat(cache).isEqualTo(Map.of("a", 1, "b", 1));
  }

  @Test
  void aWriteByAnotherThreadOfTheFunctionEndsWithTheTimeout() {
    try (NodeGrid impatient =
        startNode(new SystemEnvironment("overtaken"), Duration.ofSeconds(2))) {
      shared = impatient.cache("overtaken");
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(
              () ->
                  shared.compute(
                      "a",
                      (k, v) ->
                          CompletableFuture.supplyAsync(
                                  () -> shared.merge("a", 1, Integer::sum),
                                  WORLD.environment().threads())
                              .join()))
          .withMessageContaining("waits for itself");
    }
  }

  /** No thread of the user's can be followed, so such a function runs again and again at first. */
  @Test
  void functionThatIsOvertakenByItsOwnThreadFailsSoon() {
    RUNS.clear();
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(
            () ->
                shared.compute(
                    "a",
                    (k, v) -> {
                      RUNS.merge(k, 1, Integer::sum);
                      CompletableFuture.runAsync(
                              () -> shared.put(k, 7), WORLD.environment().threads())
                          .join();
                      return 1;
                    }))
        .withMessageContaining("on threads of its own");
    assertThat(RUNS.get("a")).isBetween(17, 1_000);
    assertThat(shared).isEqualTo(Map.of("a", 7));
  }

  @Test
  void valuesAreComparedByEqualsWhereTheirBytesDiffer() {
    Cache<String, Set<String>> sets = node.cache("sets");
    Set<String> one = new LinkedHashSet<>(List.of("a", "b", "c"));
    Set<String> sameInAnotherOrder = new LinkedHashSet<>(List.of("c", "b", "a"));
    sets.put("k", one);
    assertThat(sets.replace("k", Set.of("a"), Set.of())).isFalse();
    assertThat(sets.replace("k", sameInAnotherOrder, new LinkedHashSet<>(List.of("x")))).isTrue();
    assertThat(sets.remove("k", Set.of("x", "y"))).isFalse();
    assertThat(sets.remove("k", Set.of("x"))).isTrue();
    assertThat(sets.containsKey("k")).isFalse();
    Cache<String, BigDecimal> numbers = node.cache("numbers");
    numbers.put("k", new BigDecimal("1.0"));
    assertThat(numbers.remove("k", new BigDecimal("1.00")))
        .as("equals says that they differ")
        .isFalse();
    assertThat(numbers.remove("k", new BigDecimal("1.0"))).isTrue();
  }

  @Test
  void byteArraysAreComparedByContent() {
    Cache<String, byte[]> arrays = node.cache("byteArrays");
    arrays.put("k", new byte[] {1, 2});
    assertThat(arrays.replace("k", new byte[] {1, 2}, new byte[] {3})).isTrue();
    assertThat(arrays.remove("k", new byte[] {3})).isTrue();
  }

  @Test
  void replaceAllReplacesEveryValueOnce() {
    Map<String, Integer> many = new TreeMap<>();
    for (int i = 0; i < 3_000; i++) {
      many.put("k" + i, i);
    }
    cache.putAll(many);
    cache.replaceAll((k, v) -> v * 2 + k.length());
    many.replaceAll((k, v) -> v * 2 + k.length());
    assertThat(cache).isEqualTo(many);
    Iterator<Integer> unfit = Stream.generate(() -> 1).iterator();
    cache.replaceAll((k, v) -> v + unfit.next());
    many.replaceAll((k, v) -> v + 1);
    assertThat(cache).isEqualTo(many);
  }

  @Test
  @SuppressWarnings("NullAway") // This test returns a null on purpose.
  void failingReplaceAllThrows() {
    cache.putAll(Map.of("a", 1, "b", 2));
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(() -> cache.replaceAll((k, v) -> null))
        .withCauseInstanceOf(NullPointerException.class);
    assertThat(cache).isEqualTo(new HashMap<>(Map.of("a", 1, "b", 2)));
  }

  @Test
  void partlyDoneReplaceAllIsNotRetrySafe() {
    for (int i = 0; i < 500; i++) {
      cache.put("k" + i, 1);
    }
    assertThatExceptionOfType(PartialWriteException.class)
        .isThrownBy(() -> cache.replaceAll((k, v) -> "k300".equals(k) ? v / (v - 1) : v + 1))
        .withCauseInstanceOf(FunctionException.class)
        .satisfies(
            partial -> {
              assertThat(partial.retrySafe()).isFalse();
              assertThat(partial.doubtfulCount()).isZero();
              assertThat(partial.keys()).contains("k300");
              assertThat(cache.values().stream().filter(v -> v == 2).count())
                  .isEqualTo(partial.writtenCount())
                  .isPositive();
            });
    assertThat(cache).containsEntry("k300", 1);
  }

  @Test
  void partlyDoneLocalReplaceAllIsNotRetrySafe() {
    for (int i = 0; i < 50; i++) {
      cache.put("k" + i, 1);
    }
    Iterator<Integer> unfit = Stream.generate(() -> 1).iterator();
    int[] calls = new int[1];
    assertThatExceptionOfType(PartialWriteException.class)
        .isThrownBy(
            () ->
                cache.replaceAll(
                    (k, v) -> {
                      calls[0]++;
                      if (calls[0] == 20) {
                        throw new CallTimeoutException("a call within the function");
                      }
                      return v + unfit.next();
                    }))
        .satisfies(partial -> assertThat(partial.writtenCount()).isEqualTo(19));
  }

  @Test
  void oversizedValueIsTheFunctionsFault() {
    Cache<String, byte[]> arrays = node.cache("arrays");
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(() -> arrays.compute("k", (k, v) -> new byte[17 << 20]))
        .withMessageContaining("17825");
    assertThat(arrays.isEmpty()).isTrue();
  }

  @Test
  void asyncMethodsSendFunctions() throws Exception {
    assertThat(cache.mergeAsync("a", 1, Integer::sum).toCompletableFuture().get()).isEqualTo(1);
    assertThat(cache.computeAsync("a", (k, v) -> 5).toCompletableFuture().get()).isEqualTo(5);
    assertThat(cache.computeIfPresentAsync("a", (k, v) -> v + 1).toCompletableFuture().get())
        .isEqualTo(6);
    assertThat(cache.computeIfAbsentAsync("b", k -> 9).toCompletableFuture().get()).isEqualTo(9);
  }
}
