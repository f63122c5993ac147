package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static io.cantle.core.replica.HandReplica.send;
import static io.cantle.core.replica.HandReplica.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Cursor;
import io.cantle.core.replica.Peek.Status;
import io.cantle.core.topology.Ownership;
import io.cantle.core.transport.Member;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of the copies of a segment that is lost, comes back, or is given up. */
final class LostSegmentTest {
  private final HandReplica a = new HandReplica("a");
  private final HandReplica b = new HandReplica("b");
  private final HandReplica c = new HandReplica("c");

  private static List<Member> members(HandReplica... some) {
    return Arrays.stream(some).map(one -> one.self).toList();
  }

  private static Ownership lost(int epoch, HandReplica... last) {
    return new Ownership(epoch, 1, List.of(), List.of(), List.of(), List.of(), members(last));
  }

  private static Ownership born(int epoch, int born, HandReplica... owners) {
    List<Member> members = members(owners);
    return new Ownership(epoch, born, members, members, List.of(), List.of(), List.of());
  }

  /** a and b hold a key each knows of. */
  private Command held() {
    open(ownership(1, a, b), a, b);
    Command command = a.nextCommand();
    send((Outcome.Written) a.put(command, "k", "1"), b);
    a.replica.acked(b.self, 1, 1);
    return command;
  }

  @Test
  void whoHeldALostSegmentLastKeepsItAndTellsNobodyWhatIsInIt() {
    held();
    a.enter(lost(2, a, b));
    assertThat(a.replica.state().role()).isEqualTo(Role.KEEPER);
    assertThat(a.contents()).containsExactly("k=1");
    assertThat(a.peek("k").status()).isEqualTo(Status.REFUSED);
    assertThat(a.put("k", "2")).isInstanceOf(Outcome.Refused.class);
    assertThat(a.replica.count()).isNull();
    assertThat(a.replica.serve(2)).isFalse();
    assertThat(a.replica.replicated(2, 0, List.of())).isNull();
    assertThat(a.replica.fill(2, 1, List.of())).isFalse();
    assertThat(a.replica.transferCursor(2)).isNull();
  }

  @Test
  void whoDidNotHoldItLastKeepsNothing() {
    held();
    c.enter(ownership(1, a, b));
    a.enter(lost(2, b));
    c.enter(lost(2, b));
    assertThat(a.replica.state().role()).isEqualTo(Role.NONE);
    assertThat(a.contents()).isEmpty();
    assertThat(c.replica.state().role()).isEqualTo(Role.NONE);
  }

  @Test
  void aJoinerOfALostSegmentThatHasReceivedEverythingKeepsItAndMayBecomeItsOwner() {
    joined(Cursor.END);
    c.enter(lostWhileJoining(3));
    assertThat(c.replica.holdsEverything()).isTrue();
    assertThat(c.replica.lacks(3)).isFalse();
    open(ownership(4, c), c);
    assertThat(c.contents()).containsExactly("k=1");
    assertThat(c.peek("k").status()).isEqualTo(Status.CLEAN);
  }

  @Test
  void aJoinerOfALostSegmentThatHasNotSaysSoAndGoesOnWhereItWas() {
    Cursor half = Cursor.after(HandReplica.entry("k", "1", 1, 1));
    joined(half);
    c.enter(lostWhileJoining(3));
    assertThat(c.replica.holdsEverything()).isFalse();
    assertThat(c.replica.lacks(3)).isTrue();
    c.enter(ownership(4, List.of(a), List.of(c), 2));
    assertThat(c.replica.lacks(4)).isFalse();
    assertThat(c.replica.transferCursor(4)).isEqualTo(half);
  }

  /** c joins in the second epoch, and has been sent up to here. */
  private void joined(Cursor upTo) {
    held();
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    assertThat(c.transferred(2, 0, List.of(HandReplica.entry("k", "1", 1, 1)), upTo)).isTrue();
  }

  private Ownership lostWhileJoining(int epoch) {
    return new Ownership(
        epoch,
        1,
        List.of(),
        List.of(),
        List.of(new Ownership.Joiner(c.self, 2)),
        List.of(),
        members(a, b));
  }

  @Test
  void whoIsNotNeededSinceOthersHaveServedKeepsNothingThoughTheEpochIsTheSame() {
    held();
    List<Member> owners = members(b, c);
    a.enter(new Ownership(2, 1, owners, owners, List.of(), List.of(), members(a)));
    assertThat(a.contents()).containsExactly("k=1");
    Ownership confirmed = ownership(2, List.of(b, c), List.of(), 2);
    assertThat(a.enter(confirmed)).isTrue();
    assertThat(a.replica.state().role()).isEqualTo(Role.NONE);
    assertThat(a.contents()).isEmpty();
    assertThat(a.enter(confirmed)).isFalse();
  }

  @Test
  void aKeeperThatIsAnOwnerAgainServesWhatItKept() {
    Command command = held();
    b.enter(lost(2, a, b));
    open(ownership(3, b), b);
    assertThat(b.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(b.contents()).containsExactly("k=1");
    Outcome.Answer again = (Outcome.Answer) b.put(command, "k", "1");
    assertThat(text(again.result())).as("it knows the commands as well").isEqualTo("-");
    assertThat(again.index()).as("of an earlier epoch, so committed").isZero();
  }

  @Test
  void whatOnlyOneOfTheLastOwnersHasReachesTheOtherWhenBothAreBack() {
    held();
    Outcome.Written tail = a.written("l", "2");
    send(tail, b);
    a.written("m", "3");
    a.enter(lost(2, a, b));
    b.enter(lost(2, a, b));
    open(ownership(3, a, b), a, b);
    assertThat(b.contents()).containsExactly("k=1", "l=2", "m=3").isEqualTo(a.contents());
  }

  @Test
  void aKeeperIsDroppedWhenAnotherOneBroughtTheSegmentBack() {
    held();
    a.enter(lost(2, a, b));
    a.enter(ownership(3, b));
    assertThat(a.contents()).isEmpty();
    a.enter(ownership(4, List.of(b), List.of(a), 4));
    assertThat(a.replica.log(0, 0)).isEqualTo(new Log(4, 0, 0, List.of(), -1));
  }

  @Test
  void whatWasHeldBeforeASegmentWasBornAnewIsWorthless() {
    Command command = held();
    a.enter(lost(2, a, b));
    // It is given up while a is away, and a, which has heard of nothing, owns it again.
    open(born(5, 3, a), a);
    assertThat(a.contents()).isEmpty();
    assertThat(a.put(command, "k", "1"))
        .as("the command is forgotten with what it did")
        .isInstanceOf(Outcome.Written.class);
  }

  @Test
  void whatWasHeldIsWorthlessAlsoForWhoMissedThatTheSegmentWasLost() {
    held();
    a.enter(born(4, 3, b, a));
    assertThat(a.replica.state().role()).isEqualTo(Role.BACKUP);
    assertThat(a.contents()).isEmpty();
    assertThat(a.replica.log(0, 0).epoch()).isZero();
    assertThat(a.replica.log(0, 0).since()).isEqualTo(4);
  }

  @Test
  void aCopySinceTheBirthIsKept() {
    open(born(3, 3, a, b), a, b);
    send(a.written("k", "1"), b);
    open(born(4, 3, b), b);
    assertThat(b.contents()).containsExactly("k=1");
  }

  @Test
  void whoIsNeitherLastNorOwnerTakesPartInNothing() {
    a.enter(lost(1, b));
    assertThat(a.replica.state().role()).isEqualTo(Role.NONE);
    assertThat(a.replica.wonders()).isFalse();
    assertThat(a.replica.waits()).isFalse();
    assertThat(a.replica.behind(10)).isEmpty();
  }
}
