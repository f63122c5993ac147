package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.StageMessage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a write returns its true result and is executed once, whichever owners it ends with.
 */
final class OwnerChangeTest {
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(2).segments(1);
  private static final String KEY = "key";
  private static final String OLD = "old";
  private static final String NEW = "new";

  /** A call on a key that holds {@code old}, or is absent. */
  enum Call {
    PUT(true, OLD, NEW),
    PUT_IF_ABSENT(false, null, NEW),
    PUT_IF_ABSENT_WHERE_THERE_IS(true, OLD, OLD),
    REPLACE(true, OLD, NEW),
    REPLACE_EXACTLY(true, "true", NEW),
    REPLACE_WHAT_IS_NOT_THERE(false, null, null),
    REMOVE(true, OLD, null),
    REMOVE_EXACTLY(true, "true", null),
    MERGE(true, OLD + NEW, OLD + NEW),
    COMPUTE(true, OLD + "!", OLD + "!");

    private final boolean isThere;
    private final @Nullable String result;
    private final @Nullable String after;

    Call(boolean isThere, @Nullable String result, @Nullable String after) {
      this.isThere = isThere;
      this.result = result;
      this.after = after;
    }

    /** Returns whether the call changes the key; a call that changes nothing is not replicated. */
    boolean writes() {
      return this != PUT_IF_ABSENT_WHERE_THERE_IS && this != REPLACE_WHAT_IS_NOT_THERE;
    }

    @Nullable String of(Cache<String, String> cache) {
      return switch (this) {
        case PUT -> cache.put(KEY, NEW);
        case PUT_IF_ABSENT, PUT_IF_ABSENT_WHERE_THERE_IS -> cache.putIfAbsent(KEY, NEW);
        case REPLACE, REPLACE_WHAT_IS_NOT_THERE -> cache.replace(KEY, NEW);
        case REPLACE_EXACTLY -> Boolean.toString(cache.replace(KEY, OLD, NEW));
        case REMOVE -> cache.remove(KEY);
        case REMOVE_EXACTLY -> Boolean.toString(cache.remove(KEY, OLD));
        case MERGE -> cache.merge(KEY, NEW, (one, other) -> one + other);
        case COMPUTE -> cache.compute(KEY, (key, value) -> value == null ? "none" : value + "!");
      };
    }
  }

  /** How far the write has come when the owners change. */
  enum Moment {
    /** The primary has not received it. */
    ASKED,
    /** The primary has executed it and no other node has received it. */
    WITH_THE_PRIMARY_ONLY,
    /** It is about to reach the other owner. */
    HANDED_ON,
    /** All owners have it, but the caller does not know. */
    DONE
  }

  /** How the owners change. */
  enum Change {
    /** The backup, or another node, becomes the primary. */
    PRIMARY_DIES,
    /** The primary is no longer an owner. */
    PRIMARY_LEAVES,
    /** A joiner becomes an owner. */
    BACKUP_DIES
  }

  static Stream<Arguments> matrix() {
    List<Arguments> all = new ArrayList<>();
    for (Moment moment : Moment.values()) {
      for (Change change : Change.values()) {
        for (boolean byOwner : new boolean[] {false, true}) {
          // A caller that dies receives nothing, and a backup tells itself that the write is
          // done.
          if (!byOwner || (change != Change.BACKUP_DIES && moment != Moment.DONE)) {
            all.add(Arguments.of(moment, change, byOwner));
          }
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("matrix")
  void callReturnsItsTrueResultOnceDespiteOwnerChanges(
      Moment moment, Change change, boolean byOwner) {
    StageScript.play(
        2 * Call.values().length,
        stage -> {
          Call call = Call.values()[(int) (stage.seed() / 2 % Call.values().length)];
          stage.startGrid(4, ONE_SEGMENT);
          StageNode primary = stage.primaryOf(KEY);
          StageNode backup = stage.ownersOf(KEY).getLast();
          StageNode caller = byOwner ? backup : stage.nonOwnerOf(KEY);
          if (call.isThere) {
            caller.call(() -> caller.cache().put(KEY, OLD));
          } else {
            caller.call(() -> caller.cache().put("other", OLD));
          }
          boolean[] changed = new boolean[1];
          stage.runBefore(
              reached(moment, primary, backup, caller),
              1,
              () -> {
                changed[0] = true;
                switch (change) {
                  case PRIMARY_DIES -> primary.kill();
                  case PRIMARY_LEAVES -> primary.leave();
                  case BACKUP_DIES -> backup.kill();
                }
              });
          // Added after the other rule, which sees what this one drops.
          MessageRule lost =
              moment == Moment.WITH_THE_PRIMARY_ONLY
                  ? stage.dropMessages(
                      letter -> letter.from() == primary && letter.isOneOf(MessageKind.REPLICATE))
                  : stage.countMessages(letter -> false);
          PendingCall<@Nullable String> outcome = caller.beginCall(() -> call.of(caller.cache()));
          stage.advanceTime(Duration.ofSeconds(2));
          lost.end();
          boolean always = moment != Moment.WITH_THE_PRIMARY_ONLY && moment != Moment.HANDED_ON;
          assertThat(changed[0]).as("owners changed").isEqualTo(always || call.writes());
          assertThat(outcome.value()).as("the result of " + call).isEqualTo(call.result);
          stage.settle();
          for (StageNode node : stage.steadyNodes()) {
            assertThat(node.call(() -> node.cache().get(KEY))).isEqualTo(call.after);
          }
        });
  }

  private static Predicate<StageMessage> reached(
      Moment moment, StageNode primary, StageNode backup, StageNode caller) {
    return switch (moment) {
      case ASKED -> letter -> letter.to() == primary && letter.isOneOf(MessageKind.WRITE);
      case WITH_THE_PRIMARY_ONLY, HANDED_ON ->
          letter -> letter.to() == backup && letter.isOneOf(MessageKind.REPLICATE);
      case DONE ->
          letter -> letter.to() == caller && letter.isOneOf(MessageKind.ACK, MessageKind.RESPONSE);
    };
  }

  @Test
  void exactlyOneOfTwoPutIfAbsentWinsDespiteRetries() {
    StageScript.play(
        stage -> {
          stage.startGrid(4, ONE_SEGMENT);
          List<StageNode> owners = stage.ownersOf(KEY);
          List<StageNode> strangers = new ArrayList<>(stage.steadyNodes());
          strangers.removeAll(owners);
          stage.runBefore(
              letter -> letter.to() == strangers.getFirst() && letter.isOneOf(MessageKind.ACK),
              1,
              owners.getFirst()::kill);
          List<PendingCall<@Nullable String>> outcomes = new ArrayList<>();
          for (StageNode caller : strangers) {
            outcomes.add(caller.beginCall(() -> caller.cache().putIfAbsent(KEY, NEW)));
          }
          assertThat(outcomes.stream().map(PendingCall::value).filter(won -> won == null))
              .hasSize(1);
          stage.settle();
        });
  }

  @Test
  void tokenIsTakenOnceDespiteConstantMoves() {
    StageScript.play(
        stage -> {
          stage.startGrid(4, CacheConfig.distributed().owners(2).segments(8));
          ImmutableEntries tokens =
              ImmutableEntries.ofSmallEntries(40).putInto(stage.steadyNodes().getFirst());
          List<String> taken = new ArrayList<>();
          List<PendingCall<Boolean>> takers = new ArrayList<>();
          for (StageNode taker : stage.steadyNodes().subList(0, 2)) {
            takers.add(
                taker.beginCall(
                    () -> {
                      for (String key : tokens.entries().keySet()) {
                        String token = taker.cache().remove(key);
                        if (token != null) {
                          taken.add(token);
                        }
                        stage.restNode(taker, 50_000_000);
                      }
                      return true;
                    }));
          }
          stage.startNode("late").awaitJoined();
          stage.nodeOf("n4").kill();
          stage.advanceTime(Duration.ofMillis(500));
          stage.nodeOf("n3").leave();
          takers.forEach(PendingCall::value);
          assertThat(taken).containsExactlyInAnyOrderElementsOf(tokens.entries().values());
          stage.settle();
        });
  }

  @Test
  void writeHeldByTheLastOwnerIsAtomic() {
    StageScript.play(
        stage -> {
          stage.startGrid(5, ONE_SEGMENT.owners(3));
          List<StageNode> owners = stage.ownersOf(KEY);
          StageNode caller = stage.nonOwnerOf(KEY);
          MessageRule lost =
              stage.dropMessages(
                  letter -> letter.to() == owners.get(1) && letter.isOneOf(MessageKind.REPLICATE));
          stage.runBefore(
              letter ->
                  letter.from() == owners.get(2)
                      && letter.to() == caller
                      && letter.isOneOf(MessageKind.ACK, MessageKind.RESPONSE),
              1,
              owners.getFirst()::kill);
          PendingCall<@Nullable String> put = caller.beginCall(() -> caller.cache().put(KEY, NEW));
          stage.await("the primary to die", () -> !owners.getFirst().isAlive());
          lost.end();
          assertThat(put.value()).isNull();
          stage.settle();
          for (StageNode node : stage.steadyNodes()) {
            assertThat(node.call(() -> node.cache().get(KEY))).isEqualTo(NEW);
          }
        });
  }

  @Test
  void replicasAreEqualAfterCrashesUnderUpdates() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes =
              stage.startGrid(5, CacheConfig.distributed().owners(2).segments(4));
          RecordingClients load =
              new RecordingClients(stage, nodes).workFor(Duration.ofMillis(700));
          nodes.get(stage.drawBelow(5)).kill();
          load.workFor(Duration.ofSeconds(1));
          stage.awaitSettled();
          stage.steadyNodes().get(stage.drawBelow(4)).kill();
          load.workFor(Duration.ofSeconds(2));
          stage.settle();
          load.checkAll();
        });
  }

  @Test
  void writeSpanningTwoOwnerChangesIsAppliedOnce() {
    StageScript.play(
        stage -> {
          stage.startGrid(6, ONE_SEGMENT.owners(3));
          List<StageNode> owners = stage.ownersOf(KEY);
          StageNode caller = stage.nonOwnerOf(KEY);
          caller.call(() -> caller.cache().put(KEY, OLD));
          MessageRule held =
              stage.holdMessages(
                  letter ->
                      letter.to() == owners.get(1)
                          && letter.isOneOf(MessageKind.REPLICATE, MessageKind.CATCH_UP));
          PendingCall<@Nullable String> merge =
              caller.beginCall(() -> caller.cache().merge(KEY, NEW, (one, other) -> one + other));
          stage.await("the write to be handed on", () -> held.seenCount() > 0);
          owners.getLast().kill();
          stage.await("the first change", () -> stage.ownersOf(KEY).size() == 2);
          owners.getFirst().leave();
          stage.advanceTime(Duration.ofSeconds(1));
          assertThat(merge.isDone()).as("answered before all owners had it").isFalse();
          held.release();
          assertThat(merge.value()).isEqualTo(OLD + NEW);
          stage.settle();
          for (StageNode node : stage.steadyNodes()) {
            assertThat(node.call(() -> node.cache().get(KEY))).isEqualTo(OLD + NEW);
          }
        });
  }

  @Test
  void writeIsInvisibleUntilAllOwnersHoldIt() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, ONE_SEGMENT.owners(3));
          StageNode last = stage.ownersOf(KEY).getLast();
          nodes.getFirst().call(() -> nodes.getFirst().cache().put(KEY, OLD));
          stage.advanceTime(Duration.ofSeconds(1));
          MessageRule held =
              stage.holdMessages(
                  letter -> letter.to() == last && letter.isOneOf(MessageKind.REPLICATE));
          StageNode writer = stage.nonOwnerOf(KEY);
          PendingCall<@Nullable String> put = writer.beginCall(() -> writer.cache().put(KEY, NEW));
          stage.await("the write to be handed on", () -> held.seenCount() > 0);
          stage.advanceTime(Duration.ofMillis(50));
          List<PendingCall<@Nullable String>> reads = new ArrayList<>();
          for (StageNode reader : nodes) {
            reads.add(reader.beginCall(() -> reader.cache().get(KEY)));
          }
          stage.advanceTime(Duration.ofMillis(400));
          assertThat(put.isDone()).isFalse();
          for (PendingCall<@Nullable String> read : reads) {
            if (read.isDone()) {
              assertThat(read.value()).isEqualTo(OLD);
            }
          }
          held.release();
          assertThat(put.value()).isEqualTo(OLD);
          for (StageNode reader : nodes) {
            assertThat(reader.call(() -> reader.cache().get(KEY))).isEqualTo(NEW);
          }
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"READ", "WRITE"})
  void lostRequestToANewPrimaryIsRetriedSoon(MessageKind kind) {
    StageScript.play(
        stage -> {
          stage.startGrid(4, ONE_SEGMENT);
          StageNode primary = stage.primaryOf(KEY);
          StageNode caller = stage.nonOwnerOf(KEY);
          caller.call(() -> caller.cache().put(KEY, OLD));
          // Another change of owners does not repeat the request either.
          caller.call(() -> suspended(caller));
          long[] lost = new long[1];
          stage.dropMessages(
              letter -> {
                boolean first = lost[0] == 0 && letter.from() == caller && letter.to() != primary;
                if (first && letter.isOneOf(kind)) {
                  lost[0] = stage.nowNanos();
                  return true;
                }
                return false;
              });
          stage.awaitSettled();
          stage.isolate(primary);
          PendingCall<@Nullable String> call =
              caller.beginCall(
                  () ->
                      kind == MessageKind.READ
                          ? caller.cache().get(KEY)
                          : caller.cache().put(KEY, NEW));
          assertThat(call.value()).isEqualTo(OLD);
          assertThat(lost[0]).isPositive();
          // However often it was sent in vain to the dead node. A bad network may lose it again.
          long most = stage.seed() % 2 == 0 ? 8_000 : 1_200;
          assertThat(call.endedNanos() - lost[0]).isLessThan(Duration.ofMillis(most).toNanos());
        });
  }

  private static boolean suspended(StageNode actor) {
    actor.node().suspendRebalancing(true);
    return true;
  }
}
