package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.cantle.Cache;
import io.cantle.function.SerializableBiFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests that a null argument is named, and that a closed node says first that it is closed. */
@SuppressWarnings("NullAway") // Passing null is the test.
final class NullArgumentTest {
  private record Refusal(String argument, ThrowingCallable call) {}

  private final List<Refusal> refusals = new ArrayList<>();

  private void add(String argument, ThrowingCallable call) {
    refusals.add(new Refusal(argument, call));
  }

  private void addCallsOf(NodeGrid grid, Cache<String, Integer> cache) {
    add("name of a cache", () -> grid.cache(null));
    add("config of a cache", () -> grid.cache("a", null));
    add("cache", () -> grid.destroy(null));
    add("cache", () -> grid.lostSegments(null));
    add("cache", () -> grid.acceptLoss(null));
    add("gone", () -> grid.recoverVoters(null));
    add("listener", () -> grid.onMembership(null));
    add("key", () -> cache.get(null));
    add("key", () -> cache.containsKey(null));
    add("key", () -> cache.put(null, 1));
    add("value", () -> cache.put("a", null));
    add("value", () -> cache.putIfAbsent("a", null));
    add("value", () -> cache.replace("a", null));
    add("expected", () -> cache.replace("a", null, 1));
    add("value", () -> cache.replace("a", 1, null));
    add("key", () -> cache.remove(null));
    add("value", () -> cache.containsValue(null));
    add("function", () -> cache.compute("a", (BiFunction<String, Integer, Integer>) null));
    add(
        "function",
        () -> cache.compute("a", (SerializableBiFunction<String, Integer, Integer>) null));
    add("function", () -> cache.computeIfAbsent("a", (Function<String, Integer>) null));
    add("value", () -> cache.merge("a", null, Integer::sum));
    add("function", () -> cache.merge("a", 1, (BiFunction<Integer, Integer, Integer>) null));
    add("map", () -> cache.putAll(null));
    add("keys", () -> cache.getAll(null));
    add("keys", () -> cache.removeAll(null));
  }

  @Test
  void argumentThatIsNullIsNamed() {
    try (SingleNode single = new SingleNode()) {
      addCallsOf(single.node, single.node.cache("nulls"));
      for (Refusal refusal : refusals) {
        assertThatNullPointerException()
            .isThrownBy(refusal.call)
            .withMessage(refusal.argument)
            .withNoCause();
      }
    }
  }

  @Test
  void closedNodeSaysThatItIsClosedWhateverTheArguments() {
    try (SingleNode single = new SingleNode()) {
      addCallsOf(single.node, single.node.cache("nulls"));
      single.node.close();
      for (Refusal refusal : refusals) {
        assertThatIllegalStateException()
            .as(refusal.argument)
            .isThrownBy(refusal.call)
            .withMessageContaining("node single is closed");
      }
    }
  }
}
