package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.cantle.Cache;
import io.cantle.GridException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Tests that whatever a call throws has the line that made the call. */
final class CallerLineTest {

  @Test
  void exceptionHasTheLineOfTheCall() {
    try (SingleNode single = new SingleNode(CallerLineTest.class.getPackageName())) {
      Cache<Integer, String> cache = single.node.cache("lines");
      cache.putAll(Map.of(1, "a", 2, "b", 3, "c"));
      Map<String, Callable<?>> calls = new LinkedHashMap<>();
      calls.put("compute", () -> cache.compute(1, (k, v) -> fail(v)));
      calls.put("merge", () -> cache.merge(1, "x", (a, b) -> fail(b)));
      calls.put("computeIfAbsent", () -> cache.computeIfAbsent(9, k -> fail("new")));
      calls.put(
          "replaceAll",
          () -> {
            cache.replaceAll((k, v) -> fail(v));
            return true;
          });
      calls.put("stream: map", () -> cache.values().stream().map(v -> fail(v)).toList());
      calls.put("stream: reduce", () -> cache.values().stream().reduce((a, b) -> fail(b)));
      calls.put(
          "stream: iterator", () -> cache.values().stream().map(v -> fail(v)).iterator().next());
      calls.forEach(
          (name, call) -> {
            Throwable thrown = catchThrowable(call::call);
            assertThat(thrown).as(name).isInstanceOf(GridException.class);
            assertThat(thrown.getStackTrace())
                .as(name)
                .anyMatch(frame -> frame.getClassName().equals(CallerLineTest.class.getName()));
          });
    }
  }

  private static String fail(String value) {
    throw new IllegalStateException("not for " + value);
  }
}
