package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.replica.LocalRead.Status;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a node that has dropped a replica it should hold. */
final class DroppedReplicaTest {
  private final ManualNodeStore disk = new ManualNodeStore();
  private final ManualNodeStore otherDisk = new ManualNodeStore();
  private final ManualReplica a = restart("a", 1, disk);
  private final ManualReplica b = restart("b", 1, otherDisk);

  private static ManualReplica restart(String node, int life, ManualNodeStore store) {
    UUID id = ManualNetwork.member(node).id();
    Member self = new Member(ManualNetwork.member(node + life).id(), id, node);
    return new ManualReplica(self, store);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ownerThatDroppedItsReplicaServesNothing(boolean restarts) {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    disk.flushPending();
    otherDisk.flushPending();
    a.enter(ownership(2, b));
    disk.flushPending();
    ManualReplica again = a;
    if (restarts) {
      disk.cutPower();
      again = restart("a", 2, disk);
    }
    again.enter(ownership(3, List.of(again), List.of(), 1, 1));
    assertThat(again.replica.hasDroppedOwnedCopy(3)).isTrue();
    assertThat(again.replica.state().role()).isEqualTo(ReplicaRole.NONE);
    assertThat(again.replica.serveEpoch(3)).isFalse();
    assertThat(again.peek("k").status()).isEqualTo(Status.REFUSED);
    again.enter(
        new SegmentOwnership(4, 1, List.of(), List.of(), List.of(), List.of(), List.of(a.self)));
    again.enter(
        new SegmentOwnership(
            5, 1, List.of(), List.of(), List.of(), List.of(), List.of(again.self)));
    assertThat(again.replica.hasDroppedOwnedCopy(5))
        .as("the voters have still to be told")
        .isTrue();
    disk.flushPending();
    if (restarts) {
      disk.cutPower();
      again = restart("a", 3, disk);
    }
    // The node may own a segment that it joins, or that began empty again.
    open(ownership(6, List.of(b), List.of(again), 6, 1), b, again);
    again
        .replica
        .transfer()
        .apply(6, 0, List.of(ManualReplica.entry("k", "1", 1, 1)), SegmentCursor.END, -1);
    open(ownership(7, List.of(again), List.of(), 1, 1), again);
    assertThat(again.contents()).containsExactly("k=1");
    again.enter(ownership(8, b));
    open(ownership(9, List.of(again), List.of(), 1, 9), again);
    assertThat(again.replica.hasDroppedOwnedCopy(9)).isFalse();
    assertThat(again.contents()).isEmpty();
  }

  @Test
  void ownerThatNeverHeldTheSegmentStartsEmpty() {
    a.enter(ownership(1, b));
    open(ownership(4, List.of(a), List.of(), 1, 1), a);
    assertThat(a.replica.hasDroppedOwnedCopy(4)).isFalse();
    assertThat(a.written("k", "1").write().index()).isEqualTo(1);
  }
}
