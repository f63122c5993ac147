package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.memory.HeapGuard;
import io.cantle.core.memory.ManualHeapGauge;
import io.cantle.core.transport.Member;
import io.cantle.core.wire.ReplicationMessage.HeapNotice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a primary refuses what would not fit into its heap, or into that of another owner. */
final class HeapRoomTest {
  private static final String LONG = "x".repeat(10_000);

  private final HeapGuard guard = new HeapGuard(new ManualHeapGauge(64_000));
  private final ManualReplica a = new ManualReplica("a", guard);
  private final ManualReplica b =
      new ManualReplica("b", new HeapGuard(new ManualHeapGauge(1 << 30)));

  private static void assertFull(ExecuteResult result, String node) {
    assertThat(result)
        .isInstanceOfSatisfying(
            CommandOutcome.NoRoom.class,
            full -> {
              assertThat(full.refusal().shortage()).isEqualTo(WriteRefusal.Shortage.HEAP_FULL);
              assertThat(full.refusal().node()).isEqualTo(node);
            });
  }

  private void fill() {
    open(ownership(1, a), a);
    for (int i = 0; i < 5; i++) {
      a.written("k" + i, LONG);
    }
    assertFull(a.put("more", LONG), "");
  }

  @Test
  void writeThatDoesNotFitIsRefusedAndASmallerOneIsNot() {
    fill();
    assertThat(guard.refusalCount()).isEqualTo(1);
    a.written("small", "x");
    assertThat(a.contents()).hasSize(6);
  }

  @Test
  void writesThatNeedNoMoreMemoryAndRemovalsGoOn() {
    fill();
    a.written("k0", LONG);
    a.written("k1", "short");
    a.remove("k2");
    assertFull(a.put("more", LONG), "");
    // The client has the values that it replaced and removed: no results are kept for it any more.
    assertThat(a.put(a.command(100, 100), "more", LONG)).isInstanceOf(CommandOutcome.Written.class);
  }

  @Test
  void bytesAreGivenBackWhenTheReplicaEnds() {
    fill();
    a.replica.destroy();
    assertThat(guard.entryBytes()).isZero();
  }

  @Test
  void primaryRefusesForAnotherOwnerUntilThatHasRoom() {
    open(ownership(1, a, b), a, b);
    Member other = b.self;
    a.heapRoom.onNotice(other, new HeapNotice(true, 900, 800));
    assertFull(a.put("k", "1"), "b");
    assertThat(a.heapRoom.fullMembers()).containsExactly("b");
    a.heapRoom.onNotice(other, new HeapNotice(false, 700, 800));
    a.written("k", "1");
  }

  @Test
  void noticeThatIsNotRepeatedCountsNoLonger() {
    open(ownership(1, a, b), a, b);
    a.heapRoom.onNotice(b.self, new HeapNotice(true, 900, 800));
    a.clock.advance(HeapRoom.NOTICE_NANOS - 1);
    assertFull(a.put("k", "1"), "b");
    a.clock.advance(1);
    a.written("k", "1");
    a.heapRoom.onNotice(b.self, new HeapNotice(true, 900, 800));
    a.heapRoom.retain(List.of(a.self));
    a.written("l", "1");
  }

  @Test
  void fullHeapOfANodeThatHoldsNoCopyIsNoReason() {
    open(ownership(1, a), a);
    a.heapRoom.onNotice(b.self, new HeapNotice(true, 900, 800));
    a.written("k", "1");
  }
}
