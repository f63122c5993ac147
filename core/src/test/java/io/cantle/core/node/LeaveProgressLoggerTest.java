package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.ManualClock;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests what a node logs when it is closed and has to wait. */
final class LeaveProgressLoggerTest {
  private final ManualClock clock = new ManualClock();
  private final Member self = ManualNetwork.member("self");
  private final Member other = ManualNetwork.member("other");
  private final List<String> said = new ArrayList<>();
  private boolean cutOff;
  private int unmerged;
  private Topology topology = TopologyFixture.founded(self, other);

  private final LeaveProgressLogger progressLogger =
      new LeaveProgressLogger(
          self,
          Duration.ofMinutes(1),
          clock,
          () -> topology,
          () -> cutOff,
          () -> unmerged,
          text -> said.add(text));

  private static Topology grid(List<Member> members, SegmentOwnership... segments) {
    CacheDefinition one =
        new CacheDefinition("one", CacheConfig.distributed().segments(segments.length));
    return TopologyFixture.of(
        9, 3, members, List.of(new CacheOwnership(0, 0, one, List.of(segments))));
  }

  /** Lets time pass, with a check as often as a leaving node makes it. */
  private void pass(int seconds) {
    for (int i = 0; i < 20 * seconds; i++) {
      clock.advance(TimeUnit.MILLISECONDS.toNanos(50));
      progressLogger.run();
    }
  }

  @Test
  void saysNothingOfANodeThatIsNotToWait() {
    topology = grid(List.of(self, other), TopologyFixture.owned(1, self));
    new LeaveProgressLogger(
            self, Duration.ZERO, clock, () -> topology, () -> cutOff, () -> 0, said::add)
        .run();
    assertThat(said).isEmpty();
  }

  @Test
  void reportsSoleCopiesAtOnceAndEveryTenSeconds() {
    topology =
        grid(
            List.of(self, other),
            TopologyFixture.owned(1, self),
            TopologyFixture.owned(1, self),
            TopologyFixture.owned(1, self, other),
            TopologyFixture.owned(1, other));
    progressLogger.run();
    assertThat(said)
        .containsExactly(
            "self is leaving and waits until others have taken over; 2 segments are held by this"
                + " node only; it waits for 60000 ms more at most (leaveTimeout)");
    pass(9);
    assertThat(said).hasSize(1);
    pass(20);
    assertThat(said).hasSize(3);
    assertThat(said.getLast()).contains("40000 ms more");
  }

  @Test
  void reportsAtOnceThatTheNodeIsCutOff() {
    topology = grid(List.of(self, other), TopologyFixture.owned(1, self, other));
    progressLogger.run();
    assertThat(said).isEmpty();
    pass(2);
    cutOff = true;
    pass(1);
    assertThat(said)
        .singleElement()
        .asString()
        .contains("cut off from the majority", "57950 ms", "leaveTimeout")
        .doesNotContain("0 segments");
  }

  @Test
  void reportsAtOnceWhatIsStillToBeMerged() {
    unmerged = 3;
    topology = Topology.NONE;
    progressLogger.run();
    assertThat(said)
        .containsExactly(
            "self is leaving and waits until entries written in a partition are merged; 3"
                + " replicas of segments are still to be merged; it waits for 60000 ms more at most"
                + " (leaveTimeout)");
    topology = grid(List.of(self, other), TopologyFixture.owned(1, self));
    unmerged = 1;
    pass(10);
    assertThat(said.getLast())
        .contains(
            "others have taken over; 1 segment is held by this node only; 1 replica of a segment"
                + " is still to be merged");
  }

  @Test
  void reportsAtOnceThatNoMemberHasCapacity() {
    Topology grid = grid(List.of(self, other), TopologyFixture.owned(1, self));
    topology = TopologyFixture.with(grid, Map.of(other, MemberCapacity.of(0, "")));
    progressLogger.run();
    assertThat(said)
        .singleElement()
        .asString()
        .contains("no node that stays has capacity", "GridConfig.capacity")
        .contains("1 segment is held by this node only", "leaveTimeout");
  }

  @Test
  void shortLeaveIsSilentAndLongLeaveIsReported() {
    topology = grid(List.of(self, other), TopologyFixture.owned(1, self, other));
    pass(9);
    assertThat(said).isEmpty();
    pass(2);
    assertThat(said).hasSize(1);
  }

  @Test
  void lastNodeWaitsForNobody() {
    topology = grid(List.of(self), TopologyFixture.owned(1, self));
    pass(9);
    assertThat(said).isEmpty();
  }
}
