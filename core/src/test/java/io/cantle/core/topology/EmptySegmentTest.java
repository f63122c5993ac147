package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Where those that are cut off go on, a segment without owner begins empty and is never lost. */
final class EmptySegmentTest {
  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final Member c = HandNetwork.member("c");
  private final HandFacts facts = new HandFacts();
  private final Topology three = three();
  private final Ownership held = three.ownership(0, 0);
  private final Member first = held.owners().get(0);
  private final Member second = held.owners().get(1);

  private Topology three() {
    facts.wanted.add(new CacheDefinition("users", CacheConfig.distributed().segments(6)));
    Topology none =
        new Topology(
            1,
            Charter.founded(new UUID(1, 1), 3, 7, Mode.NEWER),
            HandTopology.membership(List.of(a, b, c), false),
            List.of());
    facts.adoptAll(none);
    return Evolution.next(none, facts);
  }

  @Test
  void itBeginsEmptyAtOnceWhenAllOwnersAreGone() {
    facts.crash(held.owners());
    Ownership empty = Evolution.next(three, facts).ownership(0, 0);
    assertThat(empty.epoch()).isEqualTo(2);
    assertThat(empty.born()).isEqualTo(2);
    assertThat(empty.owners()).isNotEmpty().doesNotContainAnyElementsOf(held.owners());
    assertThat(empty.last()).isEmpty();
  }

  @Test
  void whoIsBackBeforeAnotherServedIsAnOwnerAgain() {
    facts.crash(first);
    Topology without = Evolution.next(three, facts);
    assertThat(without.ownership(0, 0).last()).containsExactly(first);
    facts.crash(second);
    facts.join(first);
    Ownership back = Evolution.next(without, facts).ownership(0, 0);
    assertThat(back.owners()).containsExactly(first);
    assertThat(back.born()).isEqualTo(1);
  }

  @Test
  void whoIsBackAfterItBeganEmptyBringsNothingByItself() {
    facts.crash(first);
    Topology without = Evolution.next(three, facts);
    facts.crash(second);
    Topology empty = Evolution.next(without, facts);
    assertThat(empty.ownership(0, 0).born()).isEqualTo(empty.ownership(0, 0).epoch());
    facts.join(first);
    Ownership late = Evolution.next(empty, facts).ownership(0, 0);
    assertThat(late.owners()).doesNotContain(first);
    assertThat(late.joiners()).allMatch(joiner -> joiner.since() == late.epoch());
  }

  @Test
  void whoWasInAForkMeanwhileIsNoOwner() {
    facts.crash(first);
    Topology without = Evolution.next(three, facts);
    facts.join(first);
    facts.withoutCopies.add(first);
    Topology back = Evolution.next(without, facts);
    assertThat(back.members()).contains(first);
    assertThat(back.ownership(0, 0).owners()).containsExactly(second);
    for (int segment = 0; segment < 6; segment++) {
      assertThat(back.ownership(0, segment).last()).doesNotContain(first);
    }
    facts.withoutCopies.clear();
    Ownership later = Evolution.next(back, facts).ownership(0, 0);
    assertThat(later.owners()).as("and does not become one").containsExactly(second);
  }

  @Test
  void itBeginsEmptyWhenTheOnlyOneBackWasInAFork() {
    facts.crash(first);
    Topology without = Evolution.next(three, facts);
    facts.crash(second);
    facts.join(first);
    facts.withoutCopies.add(first);
    Ownership empty = Evolution.next(without, facts).ownership(0, 0);
    assertThat(empty.born()).isEqualTo(empty.epoch());
  }
}
