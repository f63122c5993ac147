package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what calls are told while their node is being closed, and hands over what it has. */
final class ClosingNodeTest {
  private static final CacheConfig CONFIG = CacheConfig.distributed().owners(1).segments(16);

  @Test
  void callsSayThatTheNodeIsClosedWhileItStillHandsOver() {
    StageScript.playOnReliableNetwork(
        5,
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, CONFIG);
          StageNode leaver = nodes.get(stage.drawBelow(3));
          Map<String, String> entries = new TreeMap<>();
          for (int i = 0; i < 3_000; i++) {
            entries.put("key-" + i, "value of some length " + i);
          }
          Cache<String, String> cache = leaver.cache();
          leaver.call(
              () -> {
                cache.putAll(entries);
                return true;
              });
          CloseableIterator<String> keys = leaver.call(() -> cache.keySet().iterator());
          leaver.call(keys::next);
          MessageRule handover = stage.holdMessages(letter -> letter.isOneOf(MessageKind.TRANSFER));
          PendingCall<Boolean> leaving = leaver.leave();
          stage.advanceTime(Duration.ofSeconds(1));
          assertThat(leaving.isDone()).isFalse();
          Map<String, Callable<?>> calls = new LinkedHashMap<>();
          calls.put("get", () -> cache.get("key-1"));
          calls.put("put", () -> cache.put("key-1", "a"));
          calls.put("async get", () -> cache.getAsync("key-1").toCompletableFuture().join());
          calls.put("count", cache::mappingCount);
          calls.put("stream", () -> cache.values().stream().toList());
          calls.put("open iterator", () -> drain(keys));
          calls.put("cache", () -> leaver.node().cache("another"));
          calls.put("members", () -> leaver.node().members());
          calls.put("lost segments", () -> leaver.node().lostSegments(cache.name()));
          calls.forEach(
              (name, call) ->
                  assertThat(reason(leaver.beginCall(call).failure()))
                      .as(name)
                      .isInstanceOf(IllegalStateException.class)
                      .hasMessage("node " + leaver.name() + " is closed; join its grid again"));
          handover.release();
          assertThat(leaving.value()).isTrue();
          StageNode other = nodes.get(nodes.indexOf(leaver) == 0 ? 1 : 0);
          assertThat(other.call(() -> other.cache().mappingCount())).isEqualTo(entries.size());
        });
  }

  private static boolean drain(CloseableIterator<String> keys) {
    while (keys.hasNext()) {
      keys.next();
    }
    return true;
  }

  private static @Nullable Throwable reason(@Nullable Throwable thrown) {
    return thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
  }
}
