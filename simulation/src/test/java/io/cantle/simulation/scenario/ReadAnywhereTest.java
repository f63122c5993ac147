package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.GridException;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that every owner answers reads, by itself where it can, and no reader sees time go back.
 */
final class ReadAnywhereTest {
  private static final CacheConfig EVERYWHERE = CacheConfig.replicated().segments(4);
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(3).segments(1);
  private static final String KEY = "key";
  private static final String OTHER = "other";
  private static final String OLD = "old";
  private static final String NEW = "new";

  /** Owners learn within this time that the last writes are committed. */
  private static final Duration COMMITTED = Duration.ofSeconds(2);

  @Test
  void replicatedCleanKeyIsReadLocallyEverywhere() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, EVERYWHERE);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(50).putInto(nodes.getFirst());
          stage.advanceTime(COMMITTED);
          for (StageNode node : nodes) {
            long asked = stage.sentCount(MessageKind.READ);
            assertThat(node.call(() -> nanosToRead(stage, node, data))).isZero();
            assertThat(stage.sentCount(MessageKind.READ))
                .as("questions of " + node)
                .isEqualTo(asked);
          }
        });
  }

  private static long nanosToRead(ScriptedStage stage, StageNode node, ImmutableEntries data) {
    long began = stage.nowNanos();
    data.entries().forEach((key, value) -> assertThat(node.cache().get(key)).isEqualTo(value));
    return stage.nowNanos() - began;
  }

  @Test
  void cleanKeyIsReadLocallyAtOwnersAndRemotelyElsewhere() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(5, ONE_SEGMENT);
          nodes.getFirst().call(() -> nodes.getFirst().cache().put(KEY, OLD));
          stage.advanceTime(COMMITTED);
          List<StageNode> owners = stage.ownersOf(KEY);
          for (StageNode node : nodes) {
            long asked = stage.sentCount(MessageKind.READ);
            assertThat(node.call(() -> node.cache().get(KEY))).isEqualTo(OLD);
            if (owners.contains(node)) {
              assertThat(stage.sentCount(MessageKind.READ)).isEqualTo(asked);
            } else {
              assertThat(stage.sentCount(MessageKind.READ)).isGreaterThan(asked);
            }
          }
        });
  }

  @Test
  void onlyDirtyKeysAreReadFromThePrimary() {
    StageScript.play(
        stage -> {
          stage.startGrid(3, EVERYWHERE.segments(1));
          List<StageNode> owners = stage.ownersOf(KEY);
          StageNode primary = owners.getFirst();
          StageNode reader = owners.get(1);
          primary.call(() -> primary.cache().put(KEY, OLD));
          primary.call(() -> primary.cache().put(OTHER, OLD));
          stage.advanceTime(COMMITTED);
          MessageRule reached =
              stage.countMessages(
                  letter -> letter.to() == reader && letter.isOneOf(MessageKind.REPLICATE));
          MessageRule held =
              stage.holdMessages(
                  letter -> letter.to() == owners.get(2) && letter.isOneOf(MessageKind.REPLICATE));
          PendingCall<@Nullable String> put =
              primary.beginCall(() -> primary.cache().put(KEY, NEW));
          stage.await("it to be half done", () -> held.seenCount() > 0 && reached.seenCount() > 0);
          stage.advanceTime(Duration.ofMillis(20));

          long asked = stage.sentCount(MessageKind.READ);
          assertThat(reader.call(() -> reader.cache().get(OTHER))).isEqualTo(OLD);
          assertThat(stage.sentCount(MessageKind.READ))
              .as("questions for the clean key")
              .isEqualTo(asked);
          PendingCall<@Nullable String> read = reader.beginCall(() -> reader.cache().get(KEY));
          stage.advanceTime(Duration.ofMillis(100));
          assertThat(stage.sentCount(MessageKind.READ))
              .as("questions for the dirty key")
              .isGreaterThan(asked);
          assertThat(put.isDone()).isFalse();
          if (read.isDone()) {
            assertThat(read.value()).isEqualTo(OLD);
          }

          held.release();
          assertThat(put.value()).isEqualTo(OLD);
          assertThat(read.value()).isIn(OLD, NEW);
          for (StageNode node : owners) {
            assertThat(node.call(() -> node.cache().get(KEY))).isEqualTo(NEW);
          }
        });
  }

  /** What happens while one client counts and all others read. */
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
  void readsAreNeverOlderThanReportedValues(Trouble trouble) {
    StageScript.play(
        8,
        stage -> {
          stage.startGrid(4, stage.seed() % 4 < 2 ? EVERYWHERE.segments(1) : ONE_SEGMENT);
          List<StageNode> owners = stage.ownersOf(KEY);
          StageNode writer = owners.getLast();
          Counting counting = new Counting(stage, writer);
          stage.steadyNodes().forEach(counting::readAt);
          stage.advanceTime(Duration.ofMillis(300));
          StageNode primary = owners.getFirst();
          StageNode backup = owners.get(1);
          switch (trouble) {
            case NONE -> {}
            case PRIMARY_DIES -> primary.kill();
            case PRIMARY_LEAVES -> primary.leave();
            case PRIMARY_STANDS_STILL -> stage.pause(primary, Duration.ofSeconds(5));
            case BACKUP_CUT_OFF -> stage.isolate(backup);
            case BACKUP_HEARS_NOBODY -> stage.cutOneWay(others(stage, backup), List.of(backup));
            case OWNER_JOINS -> counting.readAt(stage.startNode("joiner").awaitJoined());
          }
          stage.advanceTime(Duration.ofSeconds(5));
          stage.heal();
          stage.advanceTime(Duration.ofSeconds(2));
          counting.check();
          stage.settle();
        });
  }

  private static List<StageNode> others(ScriptedStage stage, StageNode one) {
    return stage.steadyNodes().stream().filter(actor -> actor != one).toList();
  }

  @Test
  void nodeBehindInTopologyReadsEveryCompletedWrite() {
    StageScript.play(
        10,
        stage -> {
          stage.startGrid(4, ONE_SEGMENT.owners(2));
          List<StageNode> owners = stage.ownersOf(KEY);
          // First a member that has the key, then one that does not.
          StageNode behind = stage.seed() % 2 == 0 ? owners.getLast() : stage.nonOwnerOf(KEY);
          StageNode writer = others(stage, behind).getLast();
          Counting counting = new Counting(stage, writer);
          stage.steadyNodes().forEach(counting::readAt);
          stage.advanceTime(Duration.ofMillis(300));
          MessageRule lost = stage.dropTopologiesTo(behind);
          for (int i = 0; i < 3; i++) {
            stage.startNode("j" + i);
            stage.advanceTime(Duration.ofMillis(500 + stage.drawBelow(500)));
          }
          lost.end();
          stage.advanceTime(Duration.ofSeconds(1));
          counting.check();
          stage.settle();
        });
  }

  /**
   * One client increments, and some read. A read that begins after a number was reported, by a
   * write or by a read, must return that number or a later one.
   */
  private static final class Counting {
    private final ScriptedStage stage;
    private final List<StageNode> at = new ArrayList<>();
    private final List<PendingCall<Long>> readers = new ArrayList<>();
    private final PendingCall<Long> writer;
    private long told;
    private boolean over;

    Counting(ScriptedStage stage, StageNode writer) {
      this.stage = stage;
      writer.call(() -> writer.cache().put(KEY, "0"));
      this.writer =
          writer.beginCall(
              () -> {
                long number = 0;
                while (!over) {
                  number++;
                  writer.cache().put(KEY, Long.toString(number));
                  told = Math.max(told, number);
                  stage.restNode(writer, 20_000_000);
                }
                return number;
              });
    }

    void readAt(StageNode node) {
      at.add(node);
      readers.add(
          node.beginCall(
              () -> {
                long answers = 0;
                while (!over && node.isSteady()) {
                  answers += read(node) ? 1 : 0;
                  stage.restNode(node, 8_000_000);
                }
                return answers;
              }));
    }

    private boolean read(StageNode node) {
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
        assertThat(node.isSteady()).as("closed: " + e).isFalse();
        return false;
      }
    }

    void check() {
      over = true;
      assertThat(writer.value()).isGreaterThan(20);
      for (int i = 0; i < readers.size(); i++) {
        if (at.get(i).isAlive()) {
          assertThat(readers.get(i).value()).as("answers at " + at.get(i)).isGreaterThan(20);
        }
      }
    }
  }
}
