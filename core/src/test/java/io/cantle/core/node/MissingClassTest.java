package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import io.cantle.DecodingException;
import io.cantle.GridConfig;
import io.cantle.ScanCursor;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests a node whose class path lacks the class of a value that it meets. */
final class MissingClassTest {
  record GoneRecord(int number) {}

  record GoneKey(int number) {}

  /** Finds all classes but those whose name begins with Gone. */
  private static final class ForgetfulLoader extends ClassLoader {
    ForgetfulLoader() {
      super(MissingClassTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.contains("$Gone")) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  private final SystemEnvironment environment = new SystemEnvironment("forgetful");
  private final ClassLoader previous = Thread.currentThread().getContextClassLoader();
  private final NodeGrid node;
  private final Cache<String, Object> cache;

  MissingClassTest() {
    ClassLoader loader = new ForgetfulLoader();
    Thread.currentThread().setContextClassLoader(loader);
    node =
        Node.startLocal(
            GridConfig.named("forgetful")
                .nodeName("forgetful")
                .allowing(MissingClassTest.class.getPackageName()),
            loader,
            environment.environment(),
            environment::close);
    cache = node.cache("values");
  }

  @AfterEach
  void close() {
    node.close();
    Thread.currentThread().setContextClassLoader(previous);
  }

  @Test
  void writeThatReturnsTheOldValueSaysThatItWasMade() {
    Map<String, Callable<?>> writes = new HashMap<>();
    writes.put("put", () -> cache.put("k", "new"));
    writes.put("replace", () -> cache.replace("k", "new"));
    writes.put("remove", () -> cache.remove("k"));
    writes.put("putAsync", () -> await(cache.putAsync("k", "new")));
    writes.put("replaceAsync", () -> await(cache.replaceAsync("k", "new")));
    writes.put("removeAsync", () -> await(cache.removeAsync("k")));
    writes.forEach(
        (name, write) -> {
          cache.putAll(Map.of("k", new GoneRecord(1)));
          DecodingException thrown = decodingException(name, write);
          assertThat(thrown)
              .as(name)
              .hasMessageContainingAll(
                  "the write was made",
                  "forgetful",
                  GoneRecord.class.getName(),
                  "class path or module path of every node");
          assertThat(thrown.isWritten()).as(name).isTrue();
          assertThat(thrown.retrySafe()).as(name).isFalse();
          assertThat(cache.get("k")).as(name).isEqualTo(name.startsWith("remove") ? null : "new");
        });
  }

  @Test
  void functionWhoseResultCannotBeDecodedHasWritten() {
    BiFunction<String, @Nullable Object, Object> function = (key, value) -> new GoneRecord(1);
    Map<String, Callable<?>> writes = new HashMap<>();
    writes.put("compute", () -> cache.compute("k", (k, v) -> new GoneRecord(2)));
    writes.put("merge", () -> cache.merge("k", "x", (a, b) -> new GoneRecord(2)));
    writes.put("computeIfPresent", () -> cache.computeIfPresent("k", (k, v) -> new GoneRecord(2)));
    writes.forEach(
        (name, write) -> {
          cache.putAll(Map.of("k", "old"));
          assertThat(decodingException(name, write).isWritten()).as(name).isTrue();
          assertThat(decodingException("get", () -> cache.get("k"))).as(name).isNotNull();
        });
    // What runs here has the object itself.
    cache.putAll(Map.of("k", "old"));
    assertThat(cache.compute("k", function)).isInstanceOf(GoneRecord.class);
  }

  @Test
  void callThatNeedsTheOldValueFirstWritesNothing() {
    cache.putAll(Map.of("k", new GoneRecord(1)));
    BiFunction<Object, Object, Object> plain = (a, b) -> "new";
    Map<String, Callable<?>> calls = new HashMap<>();
    calls.put("get", () -> cache.get("k"));
    calls.put("getAll", () -> cache.getAll(List.of("k")));
    calls.put("getAsync", () -> await(cache.getAsync("k")));
    calls.put("putIfAbsent", () -> cache.putIfAbsent("k", "new"));
    calls.put("computeIfAbsent", () -> cache.computeIfAbsent("k", k -> "new"));
    calls.put("compute", () -> cache.compute("k", (k, v) -> "new"));
    calls.put("computeIfPresent", () -> cache.computeIfPresent("k", (k, v) -> "new"));
    calls.put("merge", () -> cache.merge("k", "x", (a, b) -> "new"));
    calls.put("compute here", () -> cache.compute("k", plain));
    calls.put("merge here", () -> cache.merge("k", "x", plain));
    calls.put("remove if equal", () -> cache.remove("k", "x"));
    calls.put("replace if equal", () -> cache.replace("k", "x", "new"));
    calls.put("mergeAsync", () -> await(cache.mergeAsync("k", "x", (a, b) -> "new")));
    calls.put(
        "replaceAll",
        () -> {
          cache.replaceAll((k, v) -> "new");
          return true;
        });
    calls.forEach(
        (name, call) -> {
          DecodingException thrown = decodingException(name, call);
          assertThat(thrown)
              .as(name)
              .hasMessageContainingAll("node forgetful cannot decode", GoneRecord.class.getName());
          assertThat(thrown.retrySafe()).as(name).isTrue();
        });
    assertThat(cache.mappingCount()).isEqualTo(1);
  }

  @Test
  void functionOfComputeIfAbsentMayHaveWrittenOrNot() {
    DecodingException thrown =
        decodingException(
            "computeIfAbsent", () -> cache.computeIfAbsent("k", k -> new GoneRecord(1)));
    assertThat(thrown)
        .hasMessageContainingAll(
            "has a value, of this call or of another", "calling again writes nothing")
        .hasMessageNotContaining("the write was made");
    assertThat(thrown.isWritten()).isFalse();
    assertThat(thrown.retrySafe()).isTrue();
    assertThat(cache.containsKey("k")).isTrue();
  }

  @Test
  void actionOnOwnersMayHaveRunForOtherElements() {
    cache.putAll(Map.of("k", new GoneRecord(1), "other", "text"));
    Map<String, Callable<?>> actions = new HashMap<>();
    actions.put(
        "forEachOnOwners",
        () -> {
          cache.values().stream().forEachOnOwners(value -> {});
          return true;
        });
    actions.put(
        "forEachWithCache",
        () -> {
          cache.values().stream()
              .<String, Object>forEachWithCache((owned, value) -> owned.put("seen", "yes"));
          return true;
        });
    actions.forEach(
        (name, action) -> {
          DecodingException thrown = decodingException(name, action);
          assertThat(thrown)
              .as(name)
              .hasMessageContainingAll(
                  GoneRecord.class.getName(),
                  "may have run for other elements",
                  "what it did stays")
              .hasMessageNotContaining("wrote nothing");
          assertThat(thrown.retrySafe()).as(name).isFalse();
          assertThat(thrown.isWritten()).as(name).isFalse();
          assertThat(thrown.effect()).as(name).isEqualTo(DecodingException.Effect.FUNCTION_RAN);
        });
  }

  @Test
  void replaceAllEndsWhereTheClassOfAKeyIsMissing() {
    Cache<Object, Object> byKey = node.cache("keys");
    byKey.putAll(Map.of(new GoneKey(1), "value"));
    Throwable thrown =
        assertTimeoutPreemptively(
            Duration.ofSeconds(30),
            () -> catchThrowable(() -> byKey.replaceAll((key, value) -> "new")));
    assertThat(thrown)
        .isInstanceOf(DecodingException.class)
        .hasMessageContaining(GoneKey.class.getName());
  }

  @Test
  void scansNameTheClass() {
    cache.putAll(Map.of("k", new GoneRecord(1)));
    Map<String, Callable<?>> scans = new HashMap<>();
    scans.put("iterator of values", () -> first(cache.values().iterator()));
    scans.put("iterator of entries", () -> first(cache.entrySet().iterator()));
    scans.put("toList", () -> cache.values().stream().toList());
    scans.put("map here", () -> cache.values().stream().sequential().iterator().next());
    scans.put(
        "filter at the owners",
        () -> cache.values().stream().filter(v -> v.hashCode() != 7).count());
    scans.put("reduce", () -> cache.values().stream().reduce((a, b) -> a));
    scans.put("findAny", () -> cache.values().stream().findAny());
    scans.put("page", () -> cache.scan(ScanCursor.START, 10));
    scans.put("containsValue", () -> cache.containsValue("x"));
    scans.put("publisher", () -> subscribe(cache.values().stream().publisher()));
    scans.forEach(
        (name, scan) ->
            assertThat(decodingException(name, scan))
                .as(name)
                .hasMessageContainingAll(
                    "node forgetful cannot decode", GoneRecord.class.getName()));
    assertThat(cache.keySet().stream().toList()).containsExactly("k");
  }

  @Test
  void whatIsPrintedIsShortAndHasNoAdviceOfALibrary() {
    cache.putAll(Map.of("k", new GoneRecord(1)));
    StringWriter printed = new StringWriter();
    decodingException("get", () -> cache.get("k")).printStackTrace(new PrintWriter(printed));
    assertThat(printed.toString())
        .doesNotContain("Fory", "fory", "MalformedException", "requireClassRegistration")
        .contains("MissingClassTest.java");
    String[] own = printed.toString().split("org\\.junit", 2);
    assertThat(own[0].lines()).hasSizeLessThan(40);
  }

  private static DecodingException decodingException(String name, Callable<?> call) {
    Throwable thrown = catchThrowable(call::call);
    Throwable reason = thrown instanceof CompletionException e ? e.getCause() : thrown;
    assertThat(reason).as(name).isInstanceOf(DecodingException.class);
    return (DecodingException) Objects.requireNonNull(reason);
  }

  private static @Nullable Object await(CompletionStage<?> stage) {
    return stage.toCompletableFuture().join();
  }

  private static <T> T first(CloseableIterator<T> iterator) {
    try (iterator) {
      return iterator.next();
    }
  }

  private static boolean subscribe(Flow.Publisher<?> publisher) {
    CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
    publisher.subscribe(
        new Flow.Subscriber<Object>() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
          }

          @Override
          public void onNext(Object element) {}

          @Override
          public void onError(Throwable thrown) {
            end.completeExceptionally(thrown);
          }

          @Override
          public void onComplete() {
            end.complete(null);
          }
        });
    end.join();
    return true;
  }
}
