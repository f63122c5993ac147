package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.PartialWriteException;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that many entries written at once are all there, or the error says how many are in doubt.
 */
final class BulkWriteTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);

  @ParameterizedTest
  @EnumSource(names = {"BULK_WRITE", "REPLICATE", "RESPONSE"})
  void bulkWriteSurvivesAPrimaryCrash(MessageKind moment) {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, SEGMENTS);
          ImmutableEntries.ofSmallEntries(1).putInto(nodes.getFirst());
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(1_500);
          StageNode victim = nodes.get(2);
          stage.runBefore(
              letter ->
                  letter.isOneOf(moment)
                      && victim == (moment == MessageKind.BULK_WRITE ? letter.to() : letter.from()),
              1 + stage.drawBelow(3),
              victim::kill);
          data.putInto(nodes.getFirst());
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
        });
  }

  @Test
  void bulkWriteSurvivesJoinsAndLeaves() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(1_500);
          PendingCall<Boolean> put =
              nodes
                  .getFirst()
                  .beginCall(
                      () -> {
                        nodes.getFirst().cache().putAll(data.entries());
                        return true;
                      });
          StageNode joiner = stage.startNode("joiner");
          stage.advanceTime(Duration.ofMillis(stage.drawBelow(40)));
          nodes.get(1).leave();
          put.value();
          joiner.awaitJoined();
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
        });
  }

  @Test
  void partialBulkWriteReportsWhatIsWrittenAndUncertain() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, SEGMENTS);
          ImmutableEntries.ofSmallEntries(1).putInto(nodes.getFirst());
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(600);
          StageNode caller = nodes.getFirst();
          StageNode other = nodes.getLast();
          // One primary never receives its part, and nobody finds out.
          stage.dropMessages(
              letter -> letter.to() == other && letter.isOneOf(MessageKind.BULK_WRITE));
          Throwable failure =
              caller
                  .beginCall(
                      () -> {
                        caller.cache().putAll(data.entries());
                        return true;
                      })
                  .failure();
          assertThat(failure).isInstanceOf(PartialWriteException.class);
          stage.settle();
          Map<String, String> found = caller.call(() -> ImmutableEntries.iterated(caller.cache()));
          if (failure instanceof PartialWriteException partial) {
            assertThat(partial.retrySafe()).isFalse();
            assertThat(partial.writtenCount()).isPositive();
            assertThat((long) found.size())
                .isBetween(
                    partial.writtenCount(), partial.writtenCount() + partial.doubtfulCount());
            assertThat(partial.keys()).isNotEmpty();
            assertThat(data.entries().keySet()).containsAll(texts(partial.keys()));
          }
          assertThat(data.entries()).containsAllEntriesOf(found);
        });
  }

  private static List<String> texts(List<Object> keys) {
    return keys.stream().map(Object::toString).toList();
  }
}
