package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.MembershipEvent;
import io.cantle.MembershipEvent.MajorityLost;
import io.cantle.MembershipEvent.MajorityRegained;
import io.cantle.MembershipEvent.MemberJoined;
import io.cantle.MembershipEvent.MemberLeft;
import io.cantle.MembershipEvent.MemberLost;
import io.cantle.core.base.ManualClock;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests which events a node finds in its topologies, and what it logs of them. */
final class MembershipReporterTest {
  private final ManualClock clock = new ManualClock();
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final Map<Member, String> addresses =
      new HashMap<>(Map.of(a, "127.0.0.1:1", b, "127.0.0.1:2", c, "127.0.0.1:3"));
  private final List<String> lines = new ArrayList<>();
  private final List<MembershipEvent> events = new ArrayList<>();
  private final MembershipReporter reporter =
      new MembershipReporter(
          a, "shop", clock, member -> addresses.getOrDefault(member, ""), lines::add, events::add);

  private Topology topology = Topology.NONE;

  private void adopt(List<Member> members, Member... leaving) {
    plan(members, leaving);
    reporter.onAdopted(topology);
  }

  /** A topology of which this node does not hear. */
  private void plan(List<Member> members, Member... leaving) {
    next(
        members,
        topology.isFounded()
            ? TopologyFixture.changed(
                topology.membership(), topology.number() + 1, members, List.of(leaving), false)
            : TopologyFixture.membership(members, false));
  }

  private void planRelease(List<Member> members, Member letGo) {
    next(
        members,
        TopologyFixture.releasing(
            TopologyFixture.changed(
                topology.membership(), topology.number() + 1, members, List.of(), false),
            letGo));
  }

  private void next(List<Member> members, Membership membership) {
    Topology base = TopologyFixture.founded(members.toArray(Member[]::new));
    topology =
        new Topology(topology.number() + 1, base.gridDefinition(), membership, CacheCatalog.NONE);
  }

  @Test
  void foundingIsOneLineWithAddressVersionAndTime() {
    reporter.begin(clock.nanoTime());
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1_234));
    adopt(List.of(a, b, c));
    assertThat(lines)
        .containsExactly(
            "a (127.0.0.1:1) has founded grid \"shop\" in 1,234 ms, with Cantle "
                + ProductVersion.TEXT
                + "; now 3 members and 3 voters, a, b, c");
    assertThat(ProductVersion.TEXT).matches("[0-9]+\\.[0-9]+\\..*");
    assertThat(events)
        .containsExactly(new MemberJoined("a", "127.0.0.1:1", List.of("a", "b", "c"), 3));
  }

  @Test
  void eachChangeIsOneLineAndOneEvent() {
    adopt(List.of(a));
    lines.clear();
    events.clear();
    adopt(List.of(a, b));
    adopt(List.of(a, b), b);
    // The address of a member that is gone is remembered until it was told.
    addresses.remove(b);
    planRelease(List.of(a), b);
    reporter.onAdopted(topology);
    adopt(List.of(a, c));
    adopt(List.of(a));
    assertThat(lines)
        .containsExactly(
            "b (127.0.0.1:2) has joined grid \"shop\"; now 2 members and 2 voters",
            "b (127.0.0.1:2) has left grid \"shop\"; now 1 member and 1 voter",
            "c (127.0.0.1:3) has joined grid \"shop\"; now 2 members and 2 voters",
            "c (127.0.0.1:3) is lost to grid \"shop\": it has crashed or is cut off; now 1 member"
                + " and 1 voter");
    assertThat(events)
        .containsExactly(
            new MemberJoined("b", "127.0.0.1:2", List.of("a", "b"), 2),
            new MemberLeft("b", "127.0.0.1:2", List.of("a"), 1),
            new MemberJoined("c", "127.0.0.1:3", List.of("a", "c"), 2),
            new MemberLost("c", "127.0.0.1:3", List.of("a"), 1));
  }

  @Test
  void leaverThatIsKilledWhileItHandsOverIsLost() {
    adopt(List.of(a, b, c));
    adopt(List.of(a, b, c), b);
    adopt(List.of(a, c));
    assertThat(lines.getLast()).contains("b (127.0.0.1:2) is lost to grid \"shop\"");
    assertThat(events.getLast())
        .isEqualTo(new MemberLost("b", "127.0.0.1:2", List.of("a", "c"), 2));
  }

  /** This node was away while the others learned that b leaves, and that it may go. */
  @Test
  void nodeThatMissedALeaveTellsItAsTheOthersDo() {
    adopt(List.of(a, b, c));
    plan(List.of(a, b, c), b);
    planRelease(List.of(a, c), b);
    plan(List.of(a, c));
    reporter.onAdopted(topology);
    assertThat(lines.getLast()).contains("b (127.0.0.1:2) has left grid \"shop\"");
    assertThat(events.getLast())
        .isEqualTo(new MemberLeft("b", "127.0.0.1:2", List.of("a", "c"), 2));
  }

  @Test
  void nodeThatIsExcludedWhileItLeavesDoesNotAskToBeAdmitted() {
    adopt(List.of(a, b, c));
    adopt(List.of(a, b, c), a);
    adopt(List.of(b, c));
    assertThat(lines.getLast()).contains("a (127.0.0.1:1) was excluded", "while it was leaving");
    assertThat(lines.getLast()).doesNotContain("admitted again");
  }

  @Test
  void lostMajorityIsToldOnceAndSoIsItsReturn() {
    adopt(List.of(a, b, c));
    lines.clear();
    events.clear();
    reporter.onLeaseHeld();
    reporter.onCutOff("b and c are missing");
    reporter.onCutOff("b and c are missing");
    reporter.onLeaseHeld();
    reporter.onLeaseHeld();
    assertThat(lines)
        .containsExactly(
            "a (127.0.0.1:1) has lost the majority of grid \"shop\": b and c are missing",
            "a (127.0.0.1:1) reaches a majority of grid \"shop\" again; now 3 members and 3 voters");
    assertThat(events)
        .containsExactly(
            new MajorityLost("b and c are missing", List.of("a", "b", "c"), 3),
            new MajorityRegained(List.of("a", "b", "c"), 3));
  }

  /** It knows the topology of its last run, whose members may be others. */
  @Test
  void nodeThatRestartsTellsNothingBeforeItIsAdmitted() {
    adopt(List.of(b, c));
    reporter.onCutOff("b is missing");
    reporter.onLeaseHeld();
    adopt(List.of(c));
    assertThat(lines).isEmpty();
    adopt(List.of(c, a));
    assertThat(lines)
        .singleElement()
        .asString()
        .contains("a (127.0.0.1:1) has joined", "2 members");
  }

  @Test
  void nodeThatIsExcludedAndAdmittedAgainTellsBoth() {
    adopt(List.of(a, b, c));
    lines.clear();
    adopt(List.of(b, c));
    adopt(List.of(b, c, a));
    assertThat(lines)
        .satisfiesExactly(
            line -> assertThat(line).startsWith("a (127.0.0.1:1) was excluded from grid \"shop\""),
            line -> assertThat(line).startsWith("a (127.0.0.1:1) has joined grid \"shop\""));
  }

  @Test
  void nodeThatIsBackWithItsStoreIsOneLineAndTwoEvents() {
    Member before = new Member(new UUID(4, 1), new UUID(4, 0), "d");
    Member after = new Member(new UUID(4, 2), new UUID(4, 0), "d");
    addresses.put(after, "127.0.0.1:4");
    adopt(List.of(a, before));
    lines.clear();
    events.clear();
    adopt(List.of(a, after));
    assertThat(lines)
        .containsExactly(
            "d (127.0.0.1:4) has started again, and is back in grid \"shop\"; now 2 members and 2"
                + " voters");
    assertThat(events).hasExactlyElementsOfTypes(MemberLost.class, MemberJoined.class);
  }

  @Test
  void manyNamesAreShortened() {
    assertThat(MembershipReporter.shorten(List.of("a", "b"))).isEqualTo("a, b");
    assertThat(MembershipReporter.shorten(Collections.nCopies(25, "n")))
        .isEqualTo("n, ".repeat(19) + "n and 5 more");
  }
}
