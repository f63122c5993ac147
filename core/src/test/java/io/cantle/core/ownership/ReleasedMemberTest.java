package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of which members that are gone a topology says that they were let go. */
final class ReleasedMemberTest {
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final ManualFacts facts = new ManualFacts();

  @Test
  void memberThatIsLetGoIsRecordedAsReleased() {
    facts.leavingMembers.add(b);
    Topology leaving = TopologyPlanner.plan(TopologyFixture.founded(a, b), facts);
    List.of(a, b).forEach(member -> facts.adoptedNumbers.put(member, leaving.number()));
    Topology without = TopologyPlanner.plan(leaving, facts);
    assertThat(without.members()).containsExactly(a);
    assertThat(without.membership().isReleased(b)).isTrue();
    facts.join(c);
    Topology later = TopologyPlanner.plan(without, facts);
    assertThat(later.membership().isReleased(b)).as("a node may have missed it").isTrue();
  }

  @Test
  void memberThatFallsSilentWhileItHandsOverIsNotReleased() {
    Topology three = facts.founded(a, b, c);
    facts.leavingMembers.add(b);
    Topology leaving = TopologyPlanner.plan(three, facts);
    assertThat(leaving.needs(b)).isTrue();
    facts.crash(b);
    Topology without = TopologyPlanner.plan(leaving, facts);
    assertThat(without.members()).containsExactly(a, c);
    assertThat(without.membership().isReleased(b)).isFalse();
  }

  /** None hands over to another, so each may go without a word to the rest. */
  @Test
  void membersThatAllLeaveAreReleasedHoweverTheyGo() {
    facts.leavingMembers.addAll(List.of(a, b, c));
    Topology leaving = TopologyPlanner.plan(TopologyFixture.founded(a, b, c), facts);
    facts.silentMembers.add(c);
    Topology without = TopologyPlanner.plan(leaving, facts);
    assertThat(without.members()).containsExactly(a, b);
    assertThat(without.membership().isReleased(c)).isTrue();
  }
}
