package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.PartialWriteException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.ownership.CacheDefinition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a call that replaces all values ends where something fails. */
final class ReplaceAllTest {
  /** As when the heap is full: a thread that waits for such a call would wait for ever. */
  @Test
  @Timeout(20)
  void errorThatStartsNoCallEndsReplaceAll() {
    try (SingleNode alone = new SingleNode()) {
      Node node = alone.node.node();
      alone.node.cache("users");
      CacheDefinition definition = node.topologyDriver.current().caches().getFirst().definition();
      ByteCache bytes =
          new ByteCache(
              new CacheResolver(node.topologyDriver, node.environment.clock(), definition),
              node.client,
              node.bulkReadClient,
              node.bulkClient,
              ClosedNodeGuard.NONE,
              node.environment.clock(),
              node.cacheMetrics.open(definition, 0, () -> {}),
              definition.defaultLifetime());
      AsyncCallExecutor failing =
          new AsyncCallExecutor(
              task -> {
                throw new StackOverflowError("planted");
              },
              node.errorMessages);
      ComputeMethods<String, Integer> methods =
          new ComputeMethods<>(
              bytes,
              node.codec,
              node.objectCache,
              failing,
              new CallerRunAdvice("users", "single", true),
              "single");
      assertThatThrownBy(
              () ->
                  methods.replaceAll(
                      List.of(new byte[] {1}).iterator(), ByteSlice.of(new byte[] {2})))
          .isInstanceOf(StackOverflowError.class);
    }
  }

  /** As a function that is sent does: a retry would replace some values twice. */
  @Test
  void replaceAllAtAClosedNodeSaysWhatItHasReplaced() {
    try (SingleNode alone = new SingleNode()) {
      Cache<String, Integer> cache = alone.node.cache("users");
      cache.putAll(Map.of("a", 1, "b", 2, "c", 3));
      AtomicInteger runs = new AtomicInteger();
      assertThatExceptionOfType(PartialWriteException.class)
          .isThrownBy(
              () ->
                  cache.replaceAll(
                      (key, value) -> {
                        if (runs.incrementAndGet() == 2) {
                          alone.node.close();
                        }
                        return value + 1;
                      }))
          .withMessageContaining("is closed")
          .satisfies(thrown -> assertThat(thrown.writtenCount()).isEqualTo(1));
    }
  }
}
