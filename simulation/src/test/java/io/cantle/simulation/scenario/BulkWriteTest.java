package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.PartialWriteException;
import io.cantle.core.transport.Kind;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Script;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many entries written at once are all there, or the error says how many are not known to be. */
final class BulkWriteTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);

  @ParameterizedTest
  @EnumSource(names = {"BULK", "REPLICATE", "ANSWER"})
  void everythingIsWrittenThoughAPrimaryDiesAmidIt(Kind moment) {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, SEGMENTS);
          Data.small(1).putInto(nodes.getFirst());
          Data data = Data.small(1_500);
          Actor victim = nodes.get(2);
          stage.before(
              letter ->
                  letter.is(moment)
                      && victim == (moment == Kind.BULK ? letter.to() : letter.from()),
              1 + stage.draw(3),
              victim::kill);
          data.putInto(nodes.getFirst());
          stage.settle();
          stage.steady().forEach(data::checkAt);
        });
  }

  @Test
  void everythingIsWrittenThoughNodesJoinAndLeaveAmidIt() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(3, SEGMENTS);
          Data data = Data.small(1_500);
          Outcome<Boolean> put =
              nodes
                  .getFirst()
                  .begin(
                      () -> {
                        nodes.getFirst().cache().putAll(data.entries());
                        return true;
                      });
          Actor joiner = stage.enter("joiner");
          stage.pass(Duration.ofMillis(stage.draw(40)));
          nodes.get(1).leave();
          put.value();
          joiner.joined();
          stage.settle();
          stage.steady().forEach(data::checkAt);
        });
  }

  @Test
  void whatEndsHalfwaySaysHowMuchIsWrittenAndWhatIsNotKnownToBe() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(3, SEGMENTS);
          Data.small(1).putInto(nodes.getFirst());
          Data data = Data.small(600);
          Actor caller = nodes.getFirst();
          Actor other = nodes.getLast();
          // One primary never hears of its part, and nobody finds out.
          stage.drop(letter -> letter.to() == other && letter.is(Kind.BULK));
          Throwable failure =
              caller
                  .begin(
                      () -> {
                        caller.cache().putAll(data.entries());
                        return true;
                      })
                  .failure();
          assertThat(failure).isInstanceOf(PartialWriteException.class);
          stage.settle();
          Map<String, String> found = caller.call(() -> Data.iterated(caller.cache()));
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
