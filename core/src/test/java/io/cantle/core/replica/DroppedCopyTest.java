package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static io.cantle.core.replica.HandReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Cursor;
import io.cantle.core.replica.Peek.Status;
import io.cantle.core.store.HandStore;
import io.cantle.core.topology.Ownership;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that should hold what it has dropped. */
final class DroppedCopyTest {
  private final HandStore disk = new HandStore();
  private final HandStore otherDisk = new HandStore();
  private final HandReplica a = life("a", 1, disk);
  private final HandReplica b = life("b", 1, otherDisk);

  private static HandReplica life(String node, int life, HandStore store) {
    UUID id = HandNetwork.member(node).id();
    Member self = new Member(HandNetwork.member(node + life).id(), id, node);
    return new HandReplica(self, store);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anOwnerThatHasDroppedItsCopyServesNothing(boolean restarts) {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    disk.flush();
    otherDisk.flush();
    a.enter(ownership(2, b));
    disk.flush();
    HandReplica again = a;
    if (restarts) {
      disk.cut();
      again = life("a", 2, disk);
    }
    again.enter(ownership(3, List.of(again), List.of(), 1, 1));
    assertThat(again.replica.lacks(3)).isTrue();
    assertThat(again.replica.state().role()).isEqualTo(Role.NONE);
    assertThat(again.replica.serve(3)).isFalse();
    assertThat(again.peek("k").status()).isEqualTo(Status.REFUSED);
    again.enter(new Ownership(4, 1, List.of(), List.of(), List.of(), List.of(), List.of(a.self)));
    again.enter(
        new Ownership(5, 1, List.of(), List.of(), List.of(), List.of(), List.of(again.self)));
    assertThat(again.replica.lacks(5)).as("still to be told").isTrue();
    disk.flush();
    if (restarts) {
      disk.cut();
      again = life("a", 3, disk);
    }
    // What it joins, and what begins empty once more, it may own.
    open(ownership(6, List.of(b), List.of(again), 6, 1), b, again);
    again.replica.transferred(6, 0, List.of(HandReplica.entry("k", "1", 1, 1)), Cursor.END, -1);
    open(ownership(7, List.of(again), List.of(), 1, 1), again);
    assertThat(again.contents()).containsExactly("k=1");
    again.enter(ownership(8, b));
    open(ownership(9, List.of(again), List.of(), 1, 9), again);
    assertThat(again.replica.lacks(9)).isFalse();
    assertThat(again.contents()).isEmpty();
  }

  @Test
  void anOwnerThatHasSeenNothingOfItsSegmentBeginsItEmpty() {
    a.enter(ownership(1, b));
    open(ownership(4, List.of(a), List.of(), 1, 1), a);
    assertThat(a.replica.lacks(4)).isFalse();
    assertThat(a.written("k", "1").item().index()).isEqualTo(1);
  }
}
