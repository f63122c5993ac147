package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which members vote, since when, and when each was admitted. */
final class MembershipTest {
  private static List<Member> members(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> ManualNetwork.member("m" + i)).toList();
  }

  private static Membership founded(int count) {
    return TopologyFixture.membership(members(0, count), false);
  }

  private static Membership changed(Membership before, long number, List<Member> present) {
    return TopologyFixture.changed(before, number, present, List.of(), false);
  }

  @Test
  void atMostSevenMembersVote() {
    assertThat(founded(1).voters()).hasSize(1);
    assertThat(founded(7).voters()).isEqualTo(members(0, 7));
    assertThat(founded(8).voters()).isEqualTo(members(0, 7));
    assertThat(founded(40).voters()).isEqualTo(members(0, 7));
  }

  @Test
  void votersStayAndOldestMembersFillUp() {
    Membership nine = founded(9);
    List<Member> present = new ArrayList<>(members(0, 12));
    present.remove(3);
    present.remove(0);
    Membership next = changed(nine, 5, present);
    assertThat(next.voters().subList(0, 5))
        .isEqualTo(nine.voters().stream().filter(present::contains).toList());
    assertThat(next.voters().subList(5, 7)).isEqualTo(members(7, 9));
    assertThat(next.votersSinceNumber()).isEqualTo(5);
  }

  @Test
  void unchangedVotersKeepTheirNumber() {
    Membership nine = founded(9);
    Membership next = changed(nine, 5, members(0, 8));
    assertThat(next.voters()).isEqualTo(nine.voters());
    assertThat(next.votersSinceNumber()).isEqualTo(1);
    assertThat(changed(next, 6, members(1, 8)).votersSinceNumber()).isEqualTo(6);
  }

  @Test
  void majorityIsMoreThanHalfOfTheVoters() {
    int[] needed = {1, 2, 2, 3, 3, 4, 4};
    for (int voters = 1; voters <= 7; voters++) {
      Membership membership = founded(voters);
      assertThat(membership.isMajority(needed[voters - 1])).isTrue();
      assertThat(membership.isMajority(needed[voters - 1] - 1)).isFalse();
    }
  }

  @Test
  void olderOfTwoDecidesUntilAThirdConfirmed() {
    Membership two = TopologyFixture.membership(members(0, 2), true);
    Membership joined =
        two.withChanges(
            2,
            members(0, 3),
            member -> MemberCapacity.DEFAULT,
            List.of(),
            true,
            member -> !member.equals(members(2, 3).getFirst()),
            false);
    assertThat(joined.voters()).isEqualTo(members(0, 1));
    assertThat(joined.votersSinceNumber()).isEqualTo(1);
    Membership shown = TopologyFixture.changed(joined, 3, members(0, 3), List.of(), true);
    assertThat(shown.voters()).isEqualTo(members(0, 3));
  }

  @Test
  void olderOfTwoDecidesWhenOldestDecides() {
    Membership two = TopologyFixture.membership(members(0, 2), true);
    assertThat(two.voters()).isEqualTo(members(0, 1));
    Membership three = TopologyFixture.changed(two, 2, members(0, 3), List.of(), true);
    assertThat(three.voters()).isEqualTo(members(0, 3));
    assertThat(three.votersSinceNumber()).isEqualTo(2);
    Membership again = TopologyFixture.changed(three, 3, members(1, 3), List.of(), true);
    assertThat(again.voters()).as("the older of those that are left").isEqualTo(members(1, 2));
    assertThat(TopologyFixture.membership(members(0, 2), false).voters()).hasSize(2);
  }

  @Test
  void readmittedMemberHasANewAdmission() {
    Membership three = founded(3);
    Membership without = changed(three, 4, members(0, 2));
    Membership again = changed(without, 5, members(0, 3));
    assertThat(again.admissionNumber(members(0, 1).getFirst())).isEqualTo(1);
    assertThat(again.admissionNumber(members(2, 3).getFirst())).isEqualTo(5);
    assertThat(without.admissionNumber(members(2, 3).getFirst())).isZero();
  }

  @Test
  void lastReleasedMembersAreRemembered() {
    Membership membership = founded(3);
    List<Member> gone = members(10, 10 + Membership.MAX_RELEASED + 5);
    for (Member member : gone) {
      membership = membership.releasing(List.of(member));
    }
    assertThat(membership.released()).hasSize(Membership.MAX_RELEASED);
    assertThat(membership.isReleased(gone.getFirst())).isFalse();
    assertThat(membership.isReleased(gone.getLast())).isTrue();
  }

  @Test
  void allMembersThatGoTogetherAreRemembered() {
    List<Member> gone = members(10, 10 + 2 * Membership.MAX_RELEASED);
    Membership membership = founded(3).releasing(members(3, 5)).releasing(gone);
    assertThat(gone).allMatch(membership::isReleased);
    assertThat(membership.released()).hasSize(gone.size());
  }

  @Test
  void readmittedMemberIsNoLongerReleased() {
    Membership without =
        changed(founded(3), 4, members(0, 2)).releasing(List.of(members(2, 3).getFirst()));
    Membership again = changed(without, 5, members(0, 3));
    assertThat(without.isReleased(members(2, 3).getFirst())).isTrue();
    assertThat(again.released()).isEmpty();
  }

  @Test
  void eachMemberHasOneAdmissionAndOneCapacity() {
    List<Member> two = members(0, 2);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new Membership(
                    two,
                    List.of(1L),
                    List.of(MemberCapacity.DEFAULT, MemberCapacity.DEFAULT),
                    two,
                    1,
                    List.of(),
                    List.of()))
        .withMessageContainingAll("2", "1");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new Membership(
                    two,
                    List.of(1L, 1L),
                    List.of(MemberCapacity.DEFAULT),
                    two,
                    1,
                    List.of(),
                    List.of()))
        .withMessageContaining("1 seats");
  }
}
