package io.cantle.core.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.ClockReading;
import io.cantle.core.base.ManualClock;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How long a member may answer, and from when voters may agree to its exclusion. */
final class LeaseTest {
  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ManualClock clock = new ManualClock();
  private final Lease lease = new Lease(clock);
  private final LeaseTable leaseTable = new LeaseTable();
  private final List<Member> all =
      IntStream.range(0, 9).mapToObj(i -> ManualNetwork.member("m" + i)).toList();
  private final Member self = all.getFirst();

  private Membership adopt(Membership membership) {
    lease.onTopologyAdopted(membership, self);
    leaseTable.onTopologyAdopted(membership, clock.nanoTime());
    return membership;
  }

  private Membership adopt(int members) {
    return adopt(TopologyFixture.membership(all.subList(0, members), false));
  }

  private void grant(int voter, ClockReading asked) {
    lease.onGranted(all.get(voter), self, asked, 1, true);
  }

  // ------------------------------------------------------------------ the member's side

  @Test
  void soleVoterNeedsNoGrant() {
    adopt(1);
    clock.advance(100 * SECOND_NANOS);
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.lapsedNanos()).isZero();
  }

  @Test
  void soleVoterThatAcceptsOthersHasAnOrdinaryLease() {
    adopt(1);
    clock.advance(100 * SECOND_NANOS);
    lease.limitDuration();
    assertThat(lease.isHeld()).isTrue();
    clock.advance(SECOND_NANOS - 1);
    assertThat(lease.isHeld()).isTrue();
    // The node stood still, and adopts what the others have long acted on.
    clock.advance(1);
    assertThat(lease.isHeld()).isFalse();
    adopt(3);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void oneOtherOfThreeVotersIsNeeded() {
    adopt(3);
    assertThat(lease.isHeld()).isFalse();
    grant(1, clock.reading());
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void twoOthersOfFiveVotersAreNeededAndTheOlderGrantCounts() {
    adopt(5);
    ClockReading first = clock.reading();
    grant(1, first);
    assertThat(lease.isHeld()).isFalse();
    clock.advance(SECOND_NANOS / 2);
    grant(2, clock.reading());
    clock.advance(SECOND_NANOS / 2 - 1);
    assertThat(lease.isHeld()).isTrue();
    clock.advance(1);
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.lapsedNanos()).isZero();
    clock.advance(7);
    assertThat(lease.lapsedNanos()).isEqualTo(7);
  }

  @Test
  void nonVoterNeedsAMajorityOfVoters() {
    adopt(9);
    Member ninth = all.get(8);
    Lease its = new Lease(clock);
    its.onTopologyAdopted(TopologyFixture.membership(all, false), ninth);
    for (int voter = 0; voter < 4; voter++) {
      assertThat(its.isHeld()).isFalse();
      its.onGranted(all.get(voter), ninth, clock.reading(), 1, true);
    }
    assertThat(its.isHeld()).isTrue();
    its.onGranted(all.get(7), ninth, clock.reading(), 1, true);
  }

  @Test
  void voterNotGrantingItselfNeedsAMajorityOfOthers() {
    adopt(3);
    lease.onGranted(all.get(1), self, clock.reading(), 1, false);
    assertThat(lease.isHeld()).isFalse();
    lease.onGranted(all.get(2), self, clock.reading(), 1, false);
    assertThat(lease.isHeld()).isTrue();
    clock.advance(SECOND_NANOS - 1);
    lease.onGranted(all.get(1), self, clock.reading(), 1, false);
    assertThat(lease.isHeld()).as("what it has stays").isTrue();
    clock.advance(1);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void leaseStartsWhenItWasRequested() {
    adopt(3);
    ClockReading asked = clock.reading();
    clock.advance(SECOND_NANOS - 1);
    grant(1, asked);
    assertThat(lease.isHeld()).isTrue();
    clock.advance(1);
    assertThat(lease.isHeld()).isFalse();
  }

  // ------------------------------------------------------------------ clocks that stand still

  @Test
  void leaseEndsWhileTheMachineIsSuspended() {
    adopt(3);
    grant(1, clock.reading());
    clock.suspend(SECOND_NANOS - 1);
    assertThat(lease.isHeld()).isTrue();
    clock.suspend(1);
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.lapsedNanos()).as("nothing could be heard").isZero();
  }

  @Test
  void leaseEndsWhenOnlyTheTimeOfDayAdvances() {
    adopt(3);
    grant(1, clock.reading());
    clock.bootStalledNanos = 5 * SECOND_NANOS;
    clock.suspend(5 * SECOND_NANOS);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void leaseEndsAlthoughTheTimeOfDayIsSetBack() {
    adopt(3);
    grant(1, clock.reading());
    clock.wallOffsetMillis = -3_600_000;
    assertThat(lease.isHeld()).isTrue();
    clock.suspend(5 * SECOND_NANOS);
    assertThat(lease.isHeld()).as("another clock went on").isFalse();
    grant(1, clock.reading());
    clock.advance(SECOND_NANOS);
    assertThat(lease.isHeld()).as("all but the time of day go on").isFalse();
  }

  @Test
  void leaseEndsEarlyWhenTheTimeOfDayIsSetForward() {
    adopt(3);
    grant(1, clock.reading());
    clock.wallOffsetMillis = 3_600_000;
    assertThat(lease.isHeld()).isFalse();
    grant(1, clock.reading());
    assertThat(lease.isHeld()).isTrue();
    clock.wallOffsetMillis = 0;
    clock.advance(SECOND_NANOS - 1);
    assertThat(lease.isHeld()).isTrue();
    clock.advance(1);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void leaseIsReacquiredWhenAVoterCountedMoreTime() {
    adopt(3);
    ClockReading first = clock.reading();
    clock.advance(SECOND_NANOS / 4);
    // Every clock of this machine stands still for 5 s from here on.
    ClockReading second = clock.reading();
    grant(1, second);
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.compareClocks(first, 5 * SECOND_NANOS))
        .isEqualTo(5 * SECOND_NANOS - SECOND_NANOS / 4);
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.lapsedNanos()).isZero();
    grant(1, second);
    grant(2, second);
    assertThat(lease.isHeld()).as("this may have been asked for before the clocks stood").isFalse();
    clock.advance(1);
    grant(1, clock.reading());
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void voterClockMayRunAnEighthFaster() {
    adopt(3);
    ClockReading first = clock.reading();
    grant(1, first);
    clock.advance(7 * SECOND_NANOS / 8);
    assertThat(lease.compareClocks(first, SECOND_NANOS)).isZero();
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.compareClocks(first, SECOND_NANOS / 1000)).as("the answer was slow").isZero();
    assertThat(lease.compareClocks(first, SECOND_NANOS + 8)).isPositive();
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void lateGrantDoesNotShortenTheLease() {
    adopt(3);
    ClockReading old = clock.reading();
    clock.advance(SECOND_NANOS / 2);
    grant(1, clock.reading());
    grant(1, old);
    clock.advance(SECOND_NANOS - 1);
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void grantOfFormerVotersIsIgnored() {
    adopt(3);
    lease.onGranted(all.get(1), self, clock.reading(), 7, true);
    lease.onGranted(all.get(5), self, clock.reading(), 1, true);
    lease.onGranted(self, self, clock.reading(), 1, true);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void repeatedGrantOfOneVoterCountsOnce() {
    adopt(5);
    grant(1, clock.reading());
    grant(1, clock.reading());
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void leaseSurvivesAChangeOfVotersButOnlyNewVotersRenewIt() {
    Membership three = adopt(3);
    grant(1, clock.reading());
    Membership five = adopt(TopologyFixture.changed(three, 2, all.subList(0, 5), List.of(), false));
    assertThat(lease.isHeld()).isTrue();
    clock.advance(SECOND_NANOS / 2);
    lease.onGranted(all.get(1), self, clock.reading(), 1, true);
    lease.onGranted(all.get(2), self, clock.reading(), 1, true);
    lease.onGranted(all.get(1), self, clock.reading(), five.votersSinceNumber(), true);
    clock.advance(SECOND_NANOS / 2);
    assertThat(lease.isHeld()).isFalse();
    lease.onGranted(all.get(3), self, clock.reading(), five.votersSinceNumber(), true);
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void soleFounderKeepsItsLeaseForASecondWhenOthersBecomeVoters() {
    Membership one = adopt(1);
    lease.limitDuration();
    adopt(TopologyFixture.changed(one, 2, all.subList(0, 3), List.of(), false));
    assertThat(lease.isHeld()).isTrue();
    clock.advance(SECOND_NANOS);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void excludedMemberHasNoLeaseEvenWhenReadmitted() {
    Membership three = adopt(3);
    grant(1, clock.reading());
    Membership without =
        adopt(TopologyFixture.changed(three, 2, all.subList(1, 3), List.of(), false));
    assertThat(lease.isHeld()).isFalse();
    adopt(
        TopologyFixture.changed(
            without, 3, List.of(all.get(1), all.get(2), self), List.of(), false));
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void lapseIsMeasuredFromAdmissionWithoutALease() {
    adopt(3);
    clock.advance(5 * SECOND_NANOS);
    assertThat(lease.lapsedNanos()).isPositive();
  }

  @Test
  void memberAcceptingItsExclusionHasNoLease() {
    Membership three = adopt(3);
    grant(1, clock.reading());
    lease.renounce();
    grant(1, clock.reading());
    assertThat(lease.isHeld()).isFalse();
    adopt(TopologyFixture.changed(three, 2, all.subList(0, 4), List.of(), false));
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void releasedLeaseNeverReturns() {
    adopt(1);
    lease.release();
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.isReleased()).isTrue();
    adopt(1);
    assertThat(lease.isHeld()).isFalse();
  }

  /** A membership without this node, and the one that admits it again. */
  private List<Membership> letGoAndAdmittedAgain(Membership three) {
    Membership without = TopologyFixture.changed(three, 2, all.subList(1, 3), List.of(), false);
    Membership again =
        TopologyFixture.changed(
            without, 3, List.of(all.get(1), all.get(2), self), List.of(), false);
    return List.of(without, again);
  }

  private void grantIn(Membership membership, int voter, ClockReading asked) {
    lease.onGranted(all.get(voter), self, asked, membership.votersSinceNumber(), true);
  }

  @Test
  void nodeThatIsAdmittedAgainAcquiresAnotherLeaseThanTheOneItReleased() {
    Membership three = adopt(3);
    grant(1, clock.reading());
    lease.release();
    List<Membership> next = letGoAndAdmittedAgain(three);
    ClockReading askedBefore = clock.reading();
    adopt(next.getFirst());
    Membership again = adopt(next.getLast());
    assertThat(lease.isReleased()).isFalse();
    assertThat(lease.isHeld()).isFalse();
    grantIn(again, 1, askedBefore);
    grantIn(again, 2, askedBefore);
    assertThat(lease.isHeld()).as("no exclusion has waited for these grants").isFalse();
    clock.advance(1);
    grantIn(again, 1, clock.reading());
    grantIn(again, 2, clock.reading());
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void nodeThatMissedThatItWasLetGoAcquiresAnotherLease() {
    Membership three = adopt(3);
    grant(1, clock.reading());
    lease.release();
    Membership again = adopt(letGoAndAdmittedAgain(three).getLast());
    assertThat(lease.isHeld()).isFalse();
    clock.advance(1);
    grantIn(again, 1, clock.reading());
    grantIn(again, 2, clock.reading());
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void leaseReleasedForGoodDoesNotReturnWithAnotherMembership() {
    Membership three = adopt(3);
    lease.releaseForGood();
    Membership again = adopt(letGoAndAdmittedAgain(three).getLast());
    clock.advance(1);
    grantIn(again, 1, clock.reading());
    grantIn(again, 2, clock.reading());
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.isReleased()).isTrue();
  }

  // ------------------------------------------------------------------ the voter's side

  @Test
  void exclusionDoesNotWaitWithoutALease() {
    adopt(3);
    assertThat(leaseTable.exclusionWaitNanos(List.of(all.get(1)), clock.nanoTime()))
        .isLessThanOrEqualTo(0);
    assertThat(leaseTable.exclusionWaitNanos(List.of(), clock.nanoTime())).isLessThanOrEqualTo(0);
  }

  @Test
  void exclusionWaitsForTheLastLease() {
    adopt(3);
    leaseTable.grant(all.get(1), clock.reading(), clock.nanoTime());
    clock.advance(SECOND_NANOS / 2);
    leaseTable.grant(all.get(2), clock.reading(), clock.nanoTime());
    assertThat(leaseTable.exclusionWaitNanos(List.of(all.get(1)), clock.nanoTime()))
        .isEqualTo(LeaseTable.EXCLUSION_WAIT_NANOS - SECOND_NANOS / 2);
    assertThat(leaseTable.exclusionWaitNanos(all.subList(1, 3), clock.nanoTime()))
        .isEqualTo(LeaseTable.EXCLUSION_WAIT_NANOS);
    assertThat(leaseTable.exclusionWaitNanos(List.of(), clock.nanoTime())).isZero();
    clock.advance(LeaseTable.EXCLUSION_WAIT_NANOS);
    assertThat(leaseTable.exclusionWaitNanos(all.subList(1, 3), clock.nanoTime()))
        .isLessThanOrEqualTo(0);
  }

  @Test
  void waitExceedsALeaseDespiteClockDrift() {
    assertThat(LeaseTable.EXCLUSION_WAIT_NANOS / 1.05).isGreaterThan(Lease.DURATION_NANOS / 0.95);
  }

  @Test
  void votersWaitForTimeThatHasCertainlyPassed() {
    Membership three = adopt(3);
    leaseTable.grant(all.get(1), clock.reading(), clock.nanoTime());
    clock.wallOffsetMillis = 3_600_000;
    clock.suspend(5 * SECOND_NANOS);
    assertThat(leaseTable.exclusionWaitNanos(all.subList(1, 2), clock.nanoTime()))
        .isEqualTo(LeaseTable.EXCLUSION_WAIT_NANOS);
    adopt(TopologyFixture.changed(three, 2, all.subList(0, 5), List.of(), false));
    clock.suspend(5 * SECOND_NANOS);
    clock.advance(1);
    assertThat(leaseTable.exclusionWaitNanos(all.subList(2, 3), clock.nanoTime()))
        .isEqualTo(LeaseTable.EXCLUSION_WAIT_NANOS - 1);
    leaseTable.recordRestart(clock.nanoTime());
    clock.suspend(5 * SECOND_NANOS);
    assertThat(leaseTable.exclusionWaitNanos(all.subList(2, 3), clock.nanoTime()))
        .isEqualTo(LeaseTable.EXCLUSION_WAIT_NANOS);
  }

  @Test
  void voterReportsTheAgeOfItsPreviousGrant() {
    adopt(3);
    ClockReading asked = clock.reading();
    assertThat(leaseTable.grant(all.get(1), asked, clock.nanoTime())).isNull();
    clock.advance(SECOND_NANOS);
    LeaseTable.Grant before =
        Objects.requireNonNull(
            leaseTable.grant(all.get(1), clock.reading(), clock.nanoTime()), "the first one");
    assertThat(before.requestedAt()).isEqualTo(asked);
    assertThat(clock.nanoTime() - before.grantedNanos()).isEqualTo(SECOND_NANOS);
  }

  @Test
  void releasedLeaseIsNotAwaited() {
    adopt(3);
    leaseTable.grant(all.get(1), clock.reading(), clock.nanoTime());
    leaseTable.recordRelease(all.get(1), 1);
    assertThat(leaseTable.exclusionWaitNanos(List.of(all.get(1)), clock.nanoTime()))
        .isLessThanOrEqualTo(0);
  }

  @Test
  void leaseOfAMemberThatReleasedAnotherOneBeforeIsAwaited() {
    Membership three = adopt(3);
    leaseTable.recordRelease(self, 1);
    // This voter misses the topology without the member.
    Membership again = adopt(letGoAndAdmittedAgain(three).getLast());
    clock.advance(5 * SECOND_NANOS);
    leaseTable.grant(self, clock.reading(), clock.nanoTime());
    assertThat(leaseTable.exclusionWaitNanos(List.of(self), clock.nanoTime()))
        .isEqualTo(LeaseTable.EXCLUSION_WAIT_NANOS);
    leaseTable.recordRelease(self, again.admissionNumber(self));
    assertThat(leaseTable.exclusionWaitNanos(List.of(self), clock.nanoTime()))
        .isLessThanOrEqualTo(0);
  }

  @Test
  void exclusionWaitsForLeasesOfFormerVoters() {
    Membership three = adopt(3);
    clock.advance(5 * SECOND_NANOS);
    Membership five = adopt(TopologyFixture.changed(three, 2, all.subList(0, 5), List.of(), false));
    assertThat(leaseTable.exclusionWaitNanos(List.of(all.get(1)), clock.nanoTime()))
        .isEqualTo(LeaseTable.EXCLUSION_WAIT_NANOS);
    clock.advance(SECOND_NANOS);
    adopt(TopologyFixture.changed(five, 3, all.subList(0, 5), List.of(all.get(4)), false));
    assertThat(leaseTable.exclusionWaitNanos(List.of(all.get(1)), clock.nanoTime()))
        .as("the voters are the same")
        .isEqualTo(LeaseTable.EXCLUSION_WAIT_NANOS - SECOND_NANOS);
  }

  @Test
  void admissionCountsAsHeard() {
    Membership three = adopt(3);
    clock.advance(5 * SECOND_NANOS);
    adopt(TopologyFixture.changed(three, 2, all.subList(0, 4), List.of(), false));
    assertThat(leaseTable.silenceNanos(all.get(1), clock.nanoTime())).isEqualTo(5 * SECOND_NANOS);
    assertThat(leaseTable.silenceNanos(all.get(3), clock.nanoTime())).isZero();
    leaseTable.recordHeard(all.get(1), clock.nanoTime());
    clock.advance(1);
    assertThat(leaseTable.silenceNanos(all.get(1), clock.nanoTime())).isEqualTo(1);
    assertThat(leaseTable.silenceNanos(all.get(8), clock.nanoTime())).as("no member").isZero();
  }

  @Test
  void restartedVoterWaitsForLeasesItGrantedBefore() {
    leaseTable.recordRestart(clock.nanoTime());
    leaseTable.onTopologyAdopted(
        TopologyFixture.membership(all.subList(0, 3), false), clock.nanoTime());
    List<Member> excluded = List.of(all.get(2));
    assertThat(leaseTable.exclusionWaitNanos(excluded, clock.nanoTime()))
        .isEqualTo(LeaseTable.EXCLUSION_WAIT_NANOS);
    clock.advance(LeaseTable.EXCLUSION_WAIT_NANOS);
    assertThat(leaseTable.exclusionWaitNanos(excluded, clock.nanoTime())).isLessThanOrEqualTo(0);
  }
}
