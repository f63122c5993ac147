package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.SegmentOwnership.Holder;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where the copies of a scattered segment are when members come and go. */
final class HolderPlannerTest {
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final Member d = ManualNetwork.member("d");
  private final ScatteredFacts facts = new ScatteredFacts();

  /** What the leader knows in one plan. */
  private static final class ScatteredFacts implements TopologyPlanner.PlannerFacts {
    private List<Member> silent = List.of();
    private List<Member> joining = List.of();
    private List<Member> leaving = List.of();
    private int opened;
    private int accepted;
    private Set<Member> unheard = Set.of();

    @Override
    public List<Member> silentMembers() {
      return silent;
    }

    @Override
    public List<Member> joiningMembers() {
      return joining;
    }

    @Override
    public List<Member> leavingMembers() {
      return leaving;
    }

    @Override
    public boolean isOpened(int cache, int segment, int epoch) {
      return epoch == opened;
    }

    @Override
    public boolean isLossAccepted(int cache, int segment, int epoch) {
      return epoch == accepted;
    }

    @Override
    public long adoptedNumber(Member member) {
      return unheard.contains(member) ? 0 : Long.MAX_VALUE;
    }
  }

  /** A grid of three with one segment, whose primary is {@code a}. */
  private Topology three() {
    SegmentOwnership segment =
        new SegmentOwnership(
            1,
            1,
            List.of(a),
            List.of(a),
            List.of(),
            List.of(),
            List.of(),
            List.of(new Holder(b, 1, false), new Holder(c, 1, false)));
    return of(segment, a, b, c);
  }

  private static Topology of(SegmentOwnership segment, Member... members) {
    CacheDefinition one = new CacheDefinition("one", CacheConfig.scattered().segments(1));
    return TopologyFixture.of(
        9, 3, List.of(members), List.of(new Topology.CacheOwnership(0, 0, one, List.of(segment))));
  }

  private Topology plan(Topology now) {
    Topology next = TopologyPlanner.plan(now, facts);
    facts.silent = List.of();
    facts.joining = List.of();
    facts.opened = 0;
    return next;
  }

  private static SegmentOwnership segment(Topology topology) {
    return topology.ownership(0, 0);
  }

  private Topology opened(Topology now) {
    facts.opened = segment(now).epoch();
    return plan(now);
  }

  @Test
  void nothingChangesWhileAllArePresent() {
    Topology three = three();
    assertThat(segment(plan(three))).isSameAs(segment(three));
  }

  @Test
  void anotherMemberCollectsWhenThePrimaryGoes() {
    facts.silent = List.of(a);
    SegmentOwnership next = segment(plan(three()));
    assertThat(next.epoch()).isEqualTo(2);
    assertThat(next.lastOwners()).containsExactly(a);
    Member primary = next.primary();
    assertThat(next.findHolder(primary)).isEqualTo(new Holder(primary, 1, true));
    assertThat(next.partialHolders()).containsExactlyInAnyOrder(b, c);
    assertThat(next.isSteady()).isFalse();
  }

  @Test
  void formerPrimaryIsForgottenOnceTheEpochIsOpened() {
    facts.silent = List.of(a);
    Topology second = plan(three());
    SegmentOwnership next = segment(opened(second));
    assertThat(next.epoch()).isEqualTo(2);
    assertThat(next.lastOwners()).isEmpty();
    Member other = next.primary().equals(b) ? c : b;
    assertThat(next.holders()).containsExactly(new Holder(other, 1, false));
    assertThat(next.isSteady()).isTrue();
  }

  @Test
  void segmentIsLostIfAHolderGoesBeforeAllIsCollected() {
    facts.silent = List.of(a);
    Topology second = plan(three());
    Member other = segment(second).primary().equals(b) ? c : b;
    facts.silent = List.of(other);
    Topology third = plan(second);
    assertThat(segment(third).isLost()).isTrue();
    facts.joining = List.of(other);
    SegmentOwnership found = segment(plan(third));
    assertThat(found.isLost()).as("all holders are there again").isFalse();
    assertThat(found.lastOwners()).containsExactly(a);
  }

  @Test
  void lostSegmentReturnsWithItsFormerPrimary() {
    facts.silent = List.of(a, b);
    Topology second = plan(three());
    assertThat(segment(second).isLost()).isTrue();
    facts.joining = List.of(a);
    SegmentOwnership found = segment(plan(second));
    assertThat(found.primary()).isEqualTo(a);
    assertThat(found.lastOwners()).as("it learns first who else holds what").containsExactly(a);
    assertThat(found.partialHolders()).doesNotContain(a);
  }

  @Test
  void lostSegmentBeginsEmptyIfItsLossIsAccepted() {
    facts.silent = List.of(a, b);
    Topology second = plan(three());
    facts.accepted = segment(second).epoch();
    SegmentOwnership empty = segment(plan(second));
    assertThat(empty.birthEpoch()).isEqualTo(empty.epoch());
    assertThat(empty.primary()).isEqualTo(c);
  }

  @Test
  void entriesOfAHolderThatGoesNeedAnotherOne() {
    facts.silent = List.of(c);
    Topology second = plan(three());
    SegmentOwnership marked = segment(second);
    assertThat(marked.primary()).isEqualTo(a);
    assertThat(marked.assignableHolders()).containsExactly(b);
    assertThat(marked.isDraining()).isTrue();
    assertThat(marked.isOpeningAwaited()).isTrue();
    assertThat(segment(opened(second)).holders()).containsExactly(new Holder(b, 1, false));
  }

  @Test
  void segmentIsLostWithItsPrimaryWhileAHolderIsDraining() {
    facts.silent = List.of(c);
    Topology second = plan(three());
    facts.silent = List.of(a);
    SegmentOwnership lost = segment(plan(second));
    assertThat(lost.isLost()).isTrue();
    assertThat(lost.lastOwners()).containsExactly(a);
  }

  @Test
  void memberThatJoinsHoldsCopiesFromTheNextEpochOn() {
    facts.joining = List.of(d);
    SegmentOwnership next = segment(plan(plan(three())));
    assertThat(next.epoch()).isEqualTo(2);
    assertThat(next.primary()).isEqualTo(a);
    assertThat(next.findHolder(d)).isEqualTo(new Holder(d, 2, false));
  }

  @Test
  void segmentIsNotLostWithANewcomerThatNeverKnewOfIt() {
    facts.joining = List.of(d);
    facts.unheard = Set.of(d);
    Topology second = plan(three());
    Topology third = plan(second);
    assertThat(segment(third).findHolder(d)).isNull();
    facts.silent = List.of(a, d);
    SegmentOwnership next = segment(plan(third));
    assertThat(next.isLost()).isFalse();
    assertThat(next.partialHolders()).containsExactlyInAnyOrder(b, c);
  }

  @Test
  void holderThatReturnsBeginsAnew() {
    facts.silent = List.of(c);
    Topology second = plan(three());
    facts.joining = List.of(c);
    Topology third = plan(second);
    assertThat(segment(third).findHolder(c)).isEqualTo(new Holder(c, 1, true));
    SegmentOwnership next = segment(opened(third));
    assertThat(next.findHolder(c)).isEqualTo(new Holder(c, next.epoch(), false));
    assertThat(next.epoch()).isGreaterThan(2);
  }

  @Test
  void leavingPrimaryHandsOverBeforeItGoes() {
    facts.leaving = List.of(a);
    Topology second = plan(three());
    SegmentOwnership moving = segment(second);
    assertThat(moving.primary()).isNotEqualTo(a);
    assertThat(moving.lastOwners()).containsExactly(a);
    assertThat(moving.findHolder(a)).isNull();
    assertThat(moving.retiring()).containsExactly(a);
    assertThat(second.needs(a)).isTrue();
    Topology third = opened(second);
    assertThat(third.needs(a)).isFalse();
  }

  @Test
  void segmentSurvivesALeavingPrimaryThatDies() {
    facts.leaving = List.of(a);
    Topology second = plan(three());
    facts.silent = List.of(a);
    facts.leaving = List.of();
    SegmentOwnership next = segment(plan(second));
    assertThat(next.isLost()).isFalse();
    assertThat(next.partialHolders()).containsExactlyInAnyOrder(b, c);
  }

  @Test
  void leavingHolderIsDrainedBeforeItGoes() {
    facts.leaving = List.of(c);
    Topology second = plan(three());
    assertThat(segment(second).findHolder(c)).isEqualTo(new Holder(c, 1, true));
    assertThat(second.needs(c)).isTrue();
    assertThat(opened(second).needs(c)).isFalse();
  }

  @Test
  void primaryAloneIsMarkedUntilAnotherMemberHoldsCopies() {
    facts.silent = List.of(b, c);
    Topology alone = opened(plan(three()));
    assertThat(segment(alone).holders()).containsExactly(new Holder(a, 2, true));
    assertThat(segment(alone).isSteady()).isTrue();
    facts.joining = List.of(d);
    Topology two = plan(plan(alone));
    assertThat(segment(two).isOpeningAwaited()).isTrue();
    facts.silent = List.of(a);
    assertThat(segment(plan(two)).isLost()).isTrue();
    assertThat(segment(opened(two)).holders()).containsExactly(new Holder(d, 3, false));
  }

  @Test
  void primaryMovesOnlyWhileNothingDrains() {
    facts.joining = List.of(d);
    Topology second = plan(three());
    Topology later = plan(plan(second));
    assertThat(segment(later).owners()).hasSize(1);
    assertThat(segment(later).joiners()).isEmpty();
  }

  @Test
  void holdersAreReadAsTheyWereWritten() {
    facts.silent = List.of(a);
    Topology written = plan(three());
    Output out = new Output(1_024);
    written.write(out);
    byte[] bytes = out.toByteArray();
    Topology read = Topology.read(new Input(bytes, 0, bytes.length));
    assertThat(segment(read)).isEqualTo(segment(written));
  }
}
