package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests scans while a segment moves because its owner goes: before it has the request, during its
 * scan, or before its answer has arrived. The promise of each delivery holds.
 */
final class DeliveryTest {
  private static final int SEEDS = 4;
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(2).segments(1);

  /** When the owner goes. */
  enum Point {
    REQUEST,
    SCAN,
    ANSWER
  }

  /** What the scan does with the keys. */
  enum Use {
    ITERATED(MessageKind.PULL) {
      @Override
      List<String> of(CacheStream<String> keys) {
        return drained(keys.filter(key -> ScanInterceptor.wasScanned()).iterator());
      }
    },
    COLLECTED(MessageKind.REDUCE) {
      @Override
      List<String> of(CacheStream<String> keys) {
        return keys.filter(key -> ScanInterceptor.wasScanned()).collect(() -> Collectors.toList());
      }
    };

    private final MessageKind kind;

    Use(MessageKind kind) {
      this.kind = kind;
    }

    abstract List<String> of(CacheStream<String> keys);
  }

  private static List<String> drained(CloseableIterator<String> keys) {
    List<String> all = new ArrayList<>();
    try (keys) {
      keys.forEachRemaining(all::add);
    }
    return all;
  }

  static Stream<Arguments> all() {
    return Stream.of(Delivery.values())
        .flatMap(
            delivery ->
                Stream.of(Point.values())
                    .flatMap(
                        point ->
                            Stream.of(Use.values())
                                .map(use -> Arguments.of(delivery, point, use))));
  }

  @ParameterizedTest
  @MethodSource("all")
  void deliveryPromiseHoldsWhenAnOwnerGoes(Delivery delivery, Point point, Use use) {
    int[] lost = new int[1];
    StageScript.play(
        SEEDS,
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, ONE_SEGMENT);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode owner = stage.primaryOf("any");
          StageNode reader = stage.nonOwnerOf("any");
          boolean some = stage.drawBelow(2) == 0;
          Set<String> wanted = some ? someOf(data) : data.entries().keySet();
          boolean sequential = stage.drawBelow(2) == 0;
          ConcurrentLinkedQueue<Integer> completed = new ConcurrentLinkedQueue<>();

          MessageRule held = goes(stage, owner, point, use.kind);
          PendingCall<List<String>> result =
              reader.beginCall(
                  () -> {
                    CacheStream<String> keys =
                        reader.cache().keySet().stream()
                            .delivery(delivery)
                            .distributedBatchSize(200)
                            .segmentCompletionListener(completed::add);
                    keys = some ? keys.filterKeys(asked(wanted)) : keys;
                    return use.of(sequential ? keys.sequentialDistribution() : keys);
                  });
          if (point != Point.SCAN) {
            stage.await("a message to be held", () -> held.seenCount() > 0);
            if (stage.drawBelow(2) == 0) {
              owner.kill();
            } else {
              owner.leave().value();
            }
            held.release();
          }
          List<String> found = result.value();

          assertThat(owner.isAlive() && point == Point.SCAN).isFalse();
          assertThat(wanted).containsAll(found);
          Set<String> each = new HashSet<>(found);
          if (delivery != Delivery.AT_LEAST_ONCE) {
            assertThat(found).doesNotHaveDuplicates();
          }
          if (delivery == Delivery.AT_MOST_ONCE && each.size() < wanted.size()) {
            lost[0]++;
            assertThat(completed).isEmpty();
          } else {
            assertThat(each).isEqualTo(wanted);
            assertThat(completed).containsExactly(0);
          }
        });
    if (delivery == Delivery.AT_MOST_ONCE && point == Point.SCAN) {
      assertThat(lost[0]).as("what nobody is asked for again").isEqualTo(SEEDS);
    }
  }

  /** Returns every second key. */
  private static Set<String> someOf(ImmutableEntries data) {
    return data.entries().keySet().stream()
        .filter(key -> key.hashCode() % 2 == 0)
        .collect(Collectors.toSet());
  }

  /** Returns the wanted keys and some that are absent. */
  private static Set<String> asked(Set<String> wanted) {
    Set<String> all = new HashSet<>(wanted);
    wanted.forEach(key -> all.add("absent-" + key));
    return all;
  }

  private static MessageRule goes(
      ScriptedStage stage, StageNode owner, Point point, MessageKind kind) {
    // So few that a pull or a result has not ended before.
    int entries = point == Point.SCAN ? 1 + stage.drawBelow(50) : 0;
    ScanInterceptor.runDuringScan(stage, owner, entries, owner::kill);
    return switch (point) {
      case REQUEST -> {
        // The first or the second pull.
        int[] passed = new int[] {kind == MessageKind.PULL ? stage.drawBelow(2) : 0};
        yield stage.holdMessages(
            letter -> letter.to() == owner && letter.isOneOf(kind) && --passed[0] < 0);
      }
      case ANSWER ->
          stage.holdMessages(letter -> letter.from() == owner && letter.isAnswerTo(kind));
      case SCAN -> stage.countMessages(letter -> letter.isOneOf(kind));
    };
  }
}
