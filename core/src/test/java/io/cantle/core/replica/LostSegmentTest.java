package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static io.cantle.core.replica.ManualReplica.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.replica.LocalRead.Status;
import io.cantle.core.transport.Member;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests what becomes of the replicas of a segment that is lost, returns, or is given up. */
final class LostSegmentTest {
  private final ManualReplica a = new ManualReplica("a");
  private final ManualReplica b = new ManualReplica("b");
  private final ManualReplica c = new ManualReplica("c");

  private static List<Member> members(ManualReplica... some) {
    return Arrays.stream(some).map(one -> one.self).toList();
  }

  private static SegmentOwnership lost(int epoch, ManualReplica... last) {
    return new SegmentOwnership(
        epoch, 1, List.of(), List.of(), List.of(), List.of(), members(last));
  }

  private static SegmentOwnership born(int epoch, int born, ManualReplica... owners) {
    List<Member> members = members(owners);
    return new SegmentOwnership(epoch, born, members, members, List.of(), List.of(), List.of());
  }

  /** Makes a and b hold a key that is committed; returns the command. */
  private CommandId writeKey() {
    open(ownership(1, a, b), a, b);
    CommandId command = a.nextCommand();
    send((CommandOutcome.Written) a.put(command, "k", "1"), b);
    a.replica.onAck(b.self, 1, 1);
    return command;
  }

  @Test
  void lastOwnerOfALostSegmentKeepsButDoesNotServeIt() {
    writeKey();
    a.enter(lost(2, a, b));
    assertThat(a.replica.state().role()).isEqualTo(ReplicaRole.FORMER_OWNER);
    assertThat(a.contents()).containsExactly("k=1");
    assertThat(a.peek("k").status()).isEqualTo(Status.REFUSED);
    assertThat(a.put("k", "2")).isInstanceOf(CommandOutcome.Refused.class);
    assertThat(a.replica.countLive()).isNull();
    assertThat(a.replica.serveEpoch(2)).isFalse();
    assertThat(a.replica.applyCommitIndex(2, 0)).isFalse();
    assertThat(a.replica.fillLog(2, 1, List.of())).isFalse();
    assertThat(a.replica.transfer().cursor(2)).isNull();
  }

  @Test
  void earlierOwnerOfALostSegmentKeepsNothing() {
    writeKey();
    c.enter(ownership(1, a, b));
    a.enter(lost(2, b));
    c.enter(lost(2, b));
    assertThat(a.replica.state().role()).isEqualTo(ReplicaRole.NONE);
    assertThat(a.contents()).isEmpty();
    assertThat(c.replica.state().role()).isEqualTo(ReplicaRole.NONE);
  }

  @Test
  void completeJoinerOfALostSegmentMayBecomeItsOwner() {
    joinUpTo(SegmentCursor.END);
    c.enter(lostWhileJoining(3));
    assertThat(c.replica.holdsEverything()).isTrue();
    assertThat(c.replica.hasDroppedOwnedCopy(3)).isFalse();
    open(ownership(4, c), c);
    assertThat(c.contents()).containsExactly("k=1");
    assertThat(c.peek("k").status()).isEqualTo(Status.CLEAN);
  }

  @Test
  void incompleteJoinerOfALostSegmentReportsItAndContinues() {
    SegmentCursor half = SegmentCursor.after(ManualReplica.entry("k", "1", 1, 1));
    joinUpTo(half);
    c.enter(lostWhileJoining(3));
    assertThat(c.replica.holdsEverything()).isFalse();
    assertThat(c.replica.hasDroppedOwnedCopy(3)).isTrue();
    c.enter(ownership(4, List.of(a), List.of(c), 2));
    assertThat(c.replica.hasDroppedOwnedCopy(4)).isFalse();
    assertThat(c.replica.transfer().cursor(4)).isEqualTo(half);
  }

  /** Makes c join in epoch 2, with the transfer done up to this cursor. */
  private void joinUpTo(SegmentCursor upTo) {
    writeKey();
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    assertThat(c.transferred(2, 0, List.of(ManualReplica.entry("k", "1", 1, 1)), upTo)).isTrue();
  }

  private SegmentOwnership lostWhileJoining(int epoch) {
    return new SegmentOwnership(
        epoch,
        1,
        List.of(),
        List.of(),
        List.of(new SegmentOwnership.Joiner(c.self, 2)),
        List.of(),
        members(a, b));
  }

  @Test
  void replicaOthersOvertookKeepsNothingInTheSameEpoch() {
    writeKey();
    List<Member> owners = members(b, c);
    a.enter(new SegmentOwnership(2, 1, owners, owners, List.of(), List.of(), members(a)));
    assertThat(a.contents()).containsExactly("k=1");
    SegmentOwnership confirmed = ownership(2, List.of(b, c), List.of(), 2);
    assertThat(a.enter(confirmed)).isTrue();
    assertThat(a.replica.state().role()).isEqualTo(ReplicaRole.NONE);
    assertThat(a.contents()).isEmpty();
    assertThat(a.enter(confirmed)).isFalse();
  }

  @Test
  void formerOwnerThatReturnsServesItsData() {
    CommandId command = writeKey();
    b.enter(lost(2, a, b));
    open(ownership(3, b), b);
    assertThat(b.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(b.contents()).containsExactly("k=1");
    CommandOutcome.ResultOnly again = (CommandOutcome.ResultOnly) b.put(command, "k", "1");
    assertThat(text(again.result())).as("it knows the results of commands too").isEqualTo("-");
    assertThat(again.index()).as("the write is of an earlier epoch, so it is committed").isZero();
  }

  @Test
  void returningLastOwnersExchangeTheirMissingWrites() {
    writeKey();
    CommandOutcome.Written tail = a.written("l", "2");
    send(tail, b);
    a.written("m", "3");
    a.enter(lost(2, a, b));
    b.enter(lost(2, a, b));
    open(ownership(3, a, b), a, b);
    assertThat(b.contents()).containsExactly("k=1", "l=2", "m=3").isEqualTo(a.contents());
  }

  @Test
  void formerOwnerDropsItsReplicaWhenAnotherRestoredTheSegment() {
    writeKey();
    a.enter(lost(2, a, b));
    a.enter(ownership(3, b));
    assertThat(a.contents()).isEmpty();
    a.enter(ownership(4, List.of(b), List.of(a), 4));
    assertThat(a.replica.summarizeLog(0, 0))
        .isEqualTo(new ReplicaLogSummary(4, 0, 0, List.of(), -1));
  }

  @Test
  void dataFromBeforeTheSegmentWasEmptiedIsDropped() {
    CommandId command = writeKey();
    a.enter(lost(2, a, b));
    // The segment is given up while a is away. Then a owns it again without having heard of that.
    open(born(5, 3, a), a);
    assertThat(a.contents()).isEmpty();
    assertThat(a.put(command, "k", "1"))
        .as("the result of the command is dropped with its write")
        .isInstanceOf(CommandOutcome.Written.class);
  }

  @Test
  void dataIsDroppedEvenIfTheLossWasMissed() {
    writeKey();
    a.enter(born(4, 3, b, a));
    assertThat(a.replica.state().role()).isEqualTo(ReplicaRole.BACKUP);
    assertThat(a.contents()).isEmpty();
    assertThat(a.replica.summarizeLog(0, 0).epoch()).isZero();
    assertThat(a.replica.summarizeLog(0, 0).sinceEpoch()).isEqualTo(4);
  }

  @Test
  void replicaSinceTheSegmentBeganIsKept() {
    open(born(3, 3, a, b), a, b);
    send(a.written("k", "1"), b);
    open(born(4, 3, b), b);
    assertThat(b.contents()).containsExactly("k=1");
  }

  @Test
  void memberWithoutARoleTakesNoPart() {
    a.enter(lost(1, b));
    assertThat(a.replica.state().role()).isEqualTo(ReplicaRole.NONE);
    assertThat(a.replica.progress().hasUncertainWrites()).isFalse();
    assertThat(a.replica.progress().hasUnacknowledgedWrites()).isFalse();
    assertThat(a.replica.progress().findUnacknowledged(10)).isEmpty();
  }
}
