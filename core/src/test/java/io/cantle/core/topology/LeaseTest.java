package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.HandClock;
import io.cantle.core.base.Moment;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How long a member may answer, and from when on voters may agree to its exclusion. */
final class LeaseTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final HandClock clock = new HandClock();
  private final Lease lease = new Lease(clock);
  private final Grants grants = new Grants(clock);
  private final List<Member> all =
      IntStream.range(0, 9).mapToObj(i -> HandNetwork.member("m" + i)).toList();
  private final Member self = all.getFirst();

  private Membership adopt(Membership membership) {
    lease.adopted(membership, self);
    grants.adopted(membership);
    return membership;
  }

  private Membership adopt(int members) {
    return adopt(HandTopology.membership(all.subList(0, members), false));
  }

  private void grant(int voter, Moment asked) {
    lease.granted(all.get(voter), self, asked, 1, true);
  }

  // ------------------------------------------------------------------ the member's half

  @Test
  void whoVotesAloneNeedsNobody() {
    adopt(1);
    clock.advance(100 * SECOND);
    assertThat(lease.held()).isTrue();
    assertThat(lease.lapsedNanos()).isZero();
  }

  @Test
  void whoVotesAloneHasAnOrdinaryLeaseFromTheMomentItAcceptsOtherVoters() {
    adopt(1);
    clock.advance(100 * SECOND);
    lease.endsSometime();
    assertThat(lease.held()).isTrue();
    clock.advance(SECOND - 1);
    assertThat(lease.held()).isTrue();
    // It stood still, and adopts what the others have long acted upon.
    clock.advance(1);
    assertThat(lease.held()).isFalse();
    adopt(3);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void ofThreeVotersOneOtherIsNeeded() {
    adopt(3);
    assertThat(lease.held()).isFalse();
    grant(1, clock.moment());
    assertThat(lease.held()).isTrue();
  }

  @Test
  void ofFiveVotersTwoOthersAreNeededAndTheOlderOfThemCounts() {
    adopt(5);
    Moment first = clock.moment();
    grant(1, first);
    assertThat(lease.held()).isFalse();
    clock.advance(SECOND / 2);
    grant(2, clock.moment());
    clock.advance(SECOND / 2 - 1);
    assertThat(lease.held()).isTrue();
    clock.advance(1);
    assertThat(lease.held()).isFalse();
    assertThat(lease.lapsedNanos()).isZero();
    clock.advance(7);
    assertThat(lease.lapsedNanos()).isEqualTo(7);
  }

  @Test
  void whoIsNoVoterNeedsAMajorityOfOthers() {
    adopt(9);
    Member ninth = all.get(8);
    Lease its = new Lease(clock);
    its.adopted(HandTopology.membership(all, false), ninth);
    for (int voter = 0; voter < 4; voter++) {
      assertThat(its.held()).isFalse();
      its.granted(all.get(voter), ninth, clock.moment(), 1, true);
    }
    assertThat(its.held()).isTrue();
    its.granted(all.get(7), ninth, clock.moment(), 1, true);
  }

  @Test
  void aVoterThatDoesNotStandByItselfNeedsAMajorityOfOthers() {
    adopt(3);
    lease.granted(all.get(1), self, clock.moment(), 1, false);
    assertThat(lease.held()).isFalse();
    lease.granted(all.get(2), self, clock.moment(), 1, false);
    assertThat(lease.held()).isTrue();
    clock.advance(SECOND - 1);
    lease.granted(all.get(1), self, clock.moment(), 1, false);
    assertThat(lease.held()).as("what it has stays").isTrue();
    clock.advance(1);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void aLeaseCountsFromTheMomentItWasAskedFor() {
    adopt(3);
    Moment asked = clock.moment();
    clock.advance(SECOND - 1);
    grant(1, asked);
    assertThat(lease.held()).isTrue();
    clock.advance(1);
    assertThat(lease.held()).isFalse();
  }

  // ------------------------------------------------------------------ clocks that stand still

  @Test
  void leaseEndsWhileTheMachineIsSuspended() {
    adopt(3);
    grant(1, clock.moment());
    clock.suspend(SECOND - 1);
    assertThat(lease.held()).isTrue();
    clock.suspend(1);
    assertThat(lease.held()).isFalse();
    assertThat(lease.lapsedNanos()).as("nothing could be heard").isZero();
  }

  @Test
  void leaseEndsWhileOnlyTheTimeOfDayGoesOn() {
    adopt(3);
    grant(1, clock.moment());
    clock.bootStoodStillNanos = 5 * SECOND;
    clock.suspend(5 * SECOND);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void leaseEndsWhileTheTimeOfDayIsSetBack() {
    adopt(3);
    grant(1, clock.moment());
    clock.wallOffsetMillis = -3_600_000;
    assertThat(lease.held()).isTrue();
    clock.suspend(5 * SECOND);
    assertThat(lease.held()).as("another clock went on").isFalse();
    grant(1, clock.moment());
    clock.advance(SECOND);
    assertThat(lease.held()).as("all but the time of day go on").isFalse();
  }

  @Test
  void leaseEndsEarlyWhenTheTimeOfDayIsSetForwardAndIsRenewedAfterThat() {
    adopt(3);
    grant(1, clock.moment());
    clock.wallOffsetMillis = 3_600_000;
    assertThat(lease.held()).isFalse();
    grant(1, clock.moment());
    assertThat(lease.held()).isTrue();
    clock.wallOffsetMillis = 0;
    clock.advance(SECOND - 1);
    assertThat(lease.held()).isTrue();
    clock.advance(1);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void leaseIsTakenAnewWhenAVoterHasCountedMoreTimeThanPassedHere() {
    adopt(3);
    Moment first = clock.moment();
    clock.advance(SECOND / 4);
    // Every clock of this machine stands still for 5 s from here on.
    Moment second = clock.moment();
    grant(1, second);
    assertThat(lease.held()).isTrue();
    assertThat(lease.compare(first, 5 * SECOND)).isEqualTo(5 * SECOND - SECOND / 4);
    assertThat(lease.held()).isFalse();
    assertThat(lease.lapsedNanos()).isZero();
    grant(1, second);
    grant(2, second);
    assertThat(lease.held()).as("this may have been asked for before the clocks stood").isFalse();
    clock.advance(1);
    grant(1, clock.moment());
    assertThat(lease.held()).isTrue();
  }

  @Test
  void whatAVoterHasCountedMayBeAnEighthMoreThanPassedHereFromTheFirstRequestToTheAnswer() {
    adopt(3);
    Moment first = clock.moment();
    grant(1, first);
    clock.advance(7 * SECOND / 8);
    assertThat(lease.compare(first, SECOND)).isZero();
    assertThat(lease.held()).isTrue();
    assertThat(lease.compare(first, SECOND / 1000)).as("the answer was slow").isZero();
    assertThat(lease.compare(first, SECOND + 8)).isPositive();
    assertThat(lease.held()).isFalse();
  }

  @Test
  void anOldAnswerDoesNotShortenWhatALaterOneGave() {
    adopt(3);
    Moment old = clock.moment();
    clock.advance(SECOND / 2);
    grant(1, clock.moment());
    grant(1, old);
    clock.advance(SECOND - 1);
    assertThat(lease.held()).isTrue();
  }

  @Test
  void whatWasGrantedInTheNameOfOtherVotersOrByNoneCountsForNothing() {
    adopt(3);
    lease.granted(all.get(1), self, clock.moment(), 7, true);
    lease.granted(all.get(5), self, clock.moment(), 1, true);
    lease.granted(self, self, clock.moment(), 1, true);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void theSameVoterTwiceIsNotTwo() {
    adopt(5);
    grant(1, clock.moment());
    grant(1, clock.moment());
    assertThat(lease.held()).isFalse();
  }

  @Test
  void aLeaseOutlivesAChangeOfVotersButIsRenewedByTheNewOnesOnly() {
    Membership three = adopt(3);
    grant(1, clock.moment());
    Membership five = adopt(HandTopology.changed(three, 2, all.subList(0, 5), List.of(), false));
    assertThat(lease.held()).isTrue();
    clock.advance(SECOND / 2);
    lease.granted(all.get(1), self, clock.moment(), 1, true);
    lease.granted(all.get(2), self, clock.moment(), 1, true);
    lease.granted(all.get(1), self, clock.moment(), five.votersSince(), true);
    clock.advance(SECOND / 2);
    assertThat(lease.held()).isFalse();
    lease.granted(all.get(3), self, clock.moment(), five.votersSince(), true);
    assertThat(lease.held()).isTrue();
  }

  @Test
  void whoFoundedAloneKeepsItsLeaseForASecondWhenOthersBecomeVoters() {
    Membership one = adopt(1);
    lease.endsSometime();
    adopt(HandTopology.changed(one, 2, all.subList(0, 3), List.of(), false));
    assertThat(lease.held()).isTrue();
    clock.advance(SECOND);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void whoIsExcludedHasNoLeaseAndNoneWhenItIsAdmittedAgain() {
    Membership three = adopt(3);
    grant(1, clock.moment());
    Membership without = adopt(HandTopology.changed(three, 2, all.subList(1, 3), List.of(), false));
    assertThat(lease.held()).isFalse();
    adopt(
        HandTopology.changed(without, 3, List.of(all.get(1), all.get(2), self), List.of(), false));
    assertThat(lease.held()).isFalse();
  }

  @Test
  void whoHasNeverHadALeaseIsWithoutOneAsLongAsItIsAMember() {
    adopt(3);
    clock.advance(5 * SECOND);
    assertThat(lease.lapsedNanos()).isPositive();
  }

  @Test
  void whoAgreesToItsOwnExclusionHasNoLeaseUntilThatIsSettled() {
    Membership three = adopt(3);
    grant(1, clock.moment());
    lease.renounce();
    grant(1, clock.moment());
    assertThat(lease.held()).isFalse();
    adopt(HandTopology.changed(three, 2, all.subList(0, 4), List.of(), false));
    assertThat(lease.held()).isTrue();
  }

  @Test
  void whatIsGivenUpIsGivenUpForEver() {
    adopt(1);
    lease.giveUp();
    assertThat(lease.held()).isFalse();
    assertThat(lease.over()).isTrue();
    adopt(1);
    assertThat(lease.held()).isFalse();
  }

  // ------------------------------------------------------------------ the voter's half

  @Test
  void nobodyIsWaitedForWhoHasNoLease() {
    adopt(3);
    assertThat(grants.waitNanos(List.of(all.get(1)))).isLessThanOrEqualTo(0);
    assertThat(grants.waitNanos(List.of())).isLessThanOrEqualTo(0);
  }

  @Test
  void theLastLeaseOfAllThatGoIsWaitedFor() {
    adopt(3);
    grants.grant(all.get(1), clock.moment());
    clock.advance(SECOND / 2);
    grants.grant(all.get(2), clock.moment());
    assertThat(grants.waitNanos(List.of(all.get(1)))).isEqualTo(Grants.WAIT_NANOS - SECOND / 2);
    assertThat(grants.waitNanos(all.subList(1, 3))).isEqualTo(Grants.WAIT_NANOS);
    assertThat(grants.waitNanos(List.of())).isZero();
    clock.advance(Grants.WAIT_NANOS);
    assertThat(grants.waitNanos(all.subList(1, 3))).isLessThanOrEqualTo(0);
  }

  @Test
  void theWaitIsLongerThanALeaseEvenOnClocksFivePercentApartEachWay() {
    assertThat(Grants.WAIT_NANOS / 1.05).isGreaterThan(Lease.NANOS / 0.95);
  }

  @Test
  void votersWaitForWhatHasPassedForSure() {
    Membership three = adopt(3);
    grants.grant(all.get(1), clock.moment());
    clock.wallOffsetMillis = 3_600_000;
    clock.suspend(5 * SECOND);
    assertThat(grants.waitNanos(all.subList(1, 2))).isEqualTo(Grants.WAIT_NANOS);
    adopt(HandTopology.changed(three, 2, all.subList(0, 5), List.of(), false));
    clock.suspend(5 * SECOND);
    clock.advance(1);
    assertThat(grants.waitNanos(all.subList(2, 3))).isEqualTo(Grants.WAIT_NANOS - 1);
    grants.restarted();
    clock.suspend(5 * SECOND);
    assertThat(grants.waitNanos(all.subList(2, 3))).isEqualTo(Grants.WAIT_NANOS);
  }

  @Test
  void voterKnowsHowLongAgoItGrantedALeaseBefore() {
    adopt(3);
    Moment asked = clock.moment();
    assertThat(grants.grant(all.get(1), asked)).isNull();
    clock.advance(SECOND);
    Grants.Grant before =
        Objects.requireNonNull(grants.grant(all.get(1), clock.moment()), "the first one");
    assertThat(before.asked()).isEqualTo(asked);
    assertThat(grants.ageNanos(before)).isEqualTo(SECOND);
  }

  @Test
  void whoGaveItsLeaseUpIsNotWaitedFor() {
    adopt(3);
    grants.grant(all.get(1), clock.moment());
    grants.givenUp(all.get(1));
    assertThat(grants.waitNanos(List.of(all.get(1)))).isLessThanOrEqualTo(0);
  }

  @Test
  void afterAChangeOfVotersWhatTheOldOnesGrantedIsWaitedFor() {
    Membership three = adopt(3);
    clock.advance(5 * SECOND);
    Membership five = adopt(HandTopology.changed(three, 2, all.subList(0, 5), List.of(), false));
    assertThat(grants.waitNanos(List.of(all.get(1)))).isEqualTo(Grants.WAIT_NANOS);
    clock.advance(SECOND);
    adopt(HandTopology.changed(five, 3, all.subList(0, 5), List.of(all.get(4)), false));
    assertThat(grants.waitNanos(List.of(all.get(1))))
        .as("the voters are the same")
        .isEqualTo(Grants.WAIT_NANOS - SECOND);
  }

  @Test
  void whoIsAdmittedCountsAsHeardOfThen() {
    Membership three = adopt(3);
    clock.advance(5 * SECOND);
    adopt(HandTopology.changed(three, 2, all.subList(0, 4), List.of(), false));
    assertThat(grants.silence(all.get(1))).isEqualTo(5 * SECOND);
    assertThat(grants.silence(all.get(3))).isZero();
    grants.heard(all.get(1));
    clock.advance(1);
    assertThat(grants.silence(all.get(1))).isEqualTo(1);
    assertThat(grants.silence(all.get(8))).as("no member").isZero();
  }
}
