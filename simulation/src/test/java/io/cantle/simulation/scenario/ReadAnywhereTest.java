package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.GridException;
import io.cantle.core.transport.Kind;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Rule;
import io.cantle.simulation.Script;
import io.cantle.simulation.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every owner answers reads, where it can by itself, and nobody sees time go back. */
final class ReadAnywhereTest {
  private static final CacheConfig EVERYWHERE = CacheConfig.replicated().segments(4);
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(3).segments(1);
  private static final String KEY = "key";
  private static final String OTHER = "other";
  private static final String OLD = "old";
  private static final String NEW = "new";

  /** Within this time owners hear that the last writes are committed. */
  private static final Duration COMMITTED = Duration.ofSeconds(2);

  @Test
  void aCleanKeyIsReadAtEveryMemberOfReplicatedCacheWithoutMessageOrTime() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(3, EVERYWHERE);
          Data data = Data.small(50).putInto(nodes.getFirst());
          stage.pass(COMMITTED);
          for (Actor node : nodes) {
            long asked = stage.sent(Kind.READ);
            assertThat(node.call(() -> nanosToRead(stage, node, data))).isZero();
            assertThat(stage.sent(Kind.READ)).as("questions of " + node).isEqualTo(asked);
          }
        });
  }

  private static long nanosToRead(Stage stage, Actor node, Data data) {
    long began = stage.nowNanos();
    data.entries().forEach((key, value) -> assertThat(node.cache().get(key)).isEqualTo(value));
    return stage.nowNanos() - began;
  }

  @Test
  void aCleanKeyIsReadAtEachOfItsOwnersWithoutMessageAndElsewhereIsAskedFor() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, ONE_SEGMENT);
          nodes.getFirst().call(() -> nodes.getFirst().cache().put(KEY, OLD));
          stage.pass(COMMITTED);
          List<Actor> owners = stage.owners(KEY);
          for (Actor node : nodes) {
            long asked = stage.sent(Kind.READ);
            assertThat(node.call(() -> node.cache().get(KEY))).isEqualTo(OLD);
            if (owners.contains(node)) {
              assertThat(stage.sent(Kind.READ)).isEqualTo(asked);
            } else {
              assertThat(stage.sent(Kind.READ)).isGreaterThan(asked);
            }
          }
        });
  }

  @Test
  void aDirtyKeyIsAskedOfThePrimaryAndTheOthersOfItsSegmentAreNot() {
    Script.play(
        stage -> {
          stage.grid(3, EVERYWHERE.segments(1));
          List<Actor> owners = stage.owners(KEY);
          Actor primary = owners.getFirst();
          Actor reader = owners.get(1);
          primary.call(() -> primary.cache().put(KEY, OLD));
          primary.call(() -> primary.cache().put(OTHER, OLD));
          stage.pass(COMMITTED);
          Rule reached = stage.count(letter -> letter.to() == reader && letter.is(Kind.REPLICATE));
          Rule held =
              stage.hold(letter -> letter.to() == owners.get(2) && letter.is(Kind.REPLICATE));
          Outcome<@Nullable String> put = primary.begin(() -> primary.cache().put(KEY, NEW));
          stage.await("it to be half done", () -> held.seen() > 0 && reached.seen() > 0);
          stage.pass(Duration.ofMillis(20));

          long asked = stage.sent(Kind.READ);
          assertThat(reader.call(() -> reader.cache().get(OTHER))).isEqualTo(OLD);
          assertThat(stage.sent(Kind.READ)).as("questions for the clean key").isEqualTo(asked);
          Outcome<@Nullable String> read = reader.begin(() -> reader.cache().get(KEY));
          stage.pass(Duration.ofMillis(100));
          assertThat(stage.sent(Kind.READ)).as("questions for the dirty key").isGreaterThan(asked);
          assertThat(put.done()).isFalse();
          if (read.done()) {
            assertThat(read.value()).isEqualTo(OLD);
          }

          held.release();
          assertThat(put.value()).isEqualTo(OLD);
          assertThat(read.value()).isIn(OLD, NEW);
          for (Actor node : owners) {
            assertThat(node.call(() -> node.cache().get(KEY))).isEqualTo(NEW);
          }
        });
  }

  /** What happens while one counts and everybody reads. */
  enum Trouble {
    NONE,
    PRIMARY_DIES,
    PRIMARY_LEAVES,
    PRIMARY_STANDS_STILL,
    BACKUP_CUT_OFF,
    BACKUP_HEARS_NOBODY,
    OWNER_JOINS
  }

  @ParameterizedTest
  @EnumSource(Trouble.class)
  void nobodyReadsAnythingOlderThanAnybodyWasTold(Trouble trouble) {
    Script.play(
        8,
        stage -> {
          stage.grid(4, stage.seed() % 4 < 2 ? EVERYWHERE.segments(1) : ONE_SEGMENT);
          List<Actor> owners = stage.owners(KEY);
          Actor writer = owners.getLast();
          Counting counting = new Counting(stage, writer);
          stage.steady().forEach(counting::readAt);
          stage.pass(Duration.ofMillis(300));
          Actor primary = owners.getFirst();
          Actor backup = owners.get(1);
          switch (trouble) {
            case NONE -> {}
            case PRIMARY_DIES -> primary.kill();
            case PRIMARY_LEAVES -> primary.leave();
            case PRIMARY_STANDS_STILL -> stage.pause(primary, Duration.ofSeconds(5));
            case BACKUP_CUT_OFF -> stage.isolate(backup);
            case BACKUP_HEARS_NOBODY -> stage.cutOneWay(others(stage, backup), List.of(backup));
            case OWNER_JOINS -> counting.readAt(stage.enter("joiner").joined());
          }
          stage.pass(Duration.ofSeconds(5));
          stage.heal();
          stage.pass(Duration.ofSeconds(2));
          counting.check();
          stage.settle();
        });
  }

  private static List<Actor> others(Stage stage, Actor one) {
    return stage.steady().stream().filter(actor -> actor != one).toList();
  }

  @Test
  void whoIsBehindInMovesReadsEveryWriteThatIsDone() {
    Script.play(
        10,
        stage -> {
          stage.grid(4, ONE_SEGMENT.owners(2));
          List<Actor> owners = stage.owners(KEY);
          // First a member that has the key, then one that has not.
          Actor behind = stage.seed() % 2 == 0 ? owners.getLast() : stage.stranger(KEY);
          Actor writer = others(stage, behind).getLast();
          Counting counting = new Counting(stage, writer);
          stage.steady().forEach(counting::readAt);
          stage.pass(Duration.ofMillis(300));
          Rule lost =
              stage.drop(
                  letter ->
                      letter.to() == behind
                          && letter.is(Kind.TOPOLOGY, Kind.ACCEPT, Kind.DECIDED, Kind.PREPARE));
          for (int i = 0; i < 3; i++) {
            stage.enter("j" + i);
            stage.pass(Duration.ofMillis(500 + stage.draw(500)));
          }
          lost.end();
          stage.pass(Duration.ofSeconds(1));
          counting.check();
          stage.settle();
        });
  }

  /**
   * One counts, some read. A read that begins when anybody has been told of a number, by a write or
   * by a read, must find that one or a later one.
   */
  private static final class Counting {
    private final Stage stage;
    private final List<Actor> at = new ArrayList<>();
    private final List<Outcome<Long>> readers = new ArrayList<>();
    private final Outcome<Long> writer;
    private long told;
    private boolean over;

    Counting(Stage stage, Actor writer) {
      this.stage = stage;
      writer.call(() -> writer.cache().put(KEY, "0"));
      this.writer =
          writer.begin(
              () -> {
                long number = 0;
                while (!over) {
                  number++;
                  writer.cache().put(KEY, Long.toString(number));
                  told = Math.max(told, number);
                  stage.rest(writer, 20_000_000);
                }
                return number;
              });
    }

    void readAt(Actor node) {
      at.add(node);
      readers.add(
          node.begin(
              () -> {
                long answers = 0;
                while (!over && node.steady()) {
                  answers += read(node) ? 1 : 0;
                  stage.rest(node, 8_000_000);
                }
                return answers;
              }));
    }

    private boolean read(Actor node) {
      long before = told;
      Cache<String, String> cache = node.cache();
      try {
        @Nullable String found = cache.get(KEY);
        long number = found == null ? -1 : Long.parseLong(found);
        assertThat(number).as("read at " + node).isGreaterThanOrEqualTo(before);
        told = Math.max(told, number);
        return true;
      } catch (GridException e) {
        assertThat(e.retrySafe()).as("a read may be tried again: " + e).isTrue();
        return false;
      } catch (IllegalStateException e) {
        assertThat(node.steady()).as("closed: " + e).isFalse();
        return false;
      }
    }

    void check() {
      over = true;
      assertThat(writer.value()).isGreaterThan(20);
      for (int i = 0; i < readers.size(); i++) {
        if (at.get(i).alive()) {
          assertThat(readers.get(i).value()).as("answers at " + at.get(i)).isGreaterThan(20);
        }
      }
    }
  }
}
