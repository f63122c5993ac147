package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.WhenCut;
import io.cantle.WhenFull;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.SessionId;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.ResponseHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests that a bulk write for which there is no room is not made later, and known not to be. */
final class BulkRefusalTest {
  private static final CacheDefinition ONE_ENTRY =
      new CacheDefinition(
          "one", CacheConfig.distributed().segments(1).maxEntries(1).whenFull(WhenFull.REFUSE));

  private static final UUID GRID = new UUID(1, 2);

  private final OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
  private final BulkWriteHandler handler =
      node.bulkWriteHandler(node.writeHandler(new ConflictResolver(WhenCut.stop())));
  private final List<BulkWriteReply> replies = new ArrayList<>();

  private static BulkWriteItem item(long sequence, int attempt, String key, boolean removal) {
    ByteSlice bytes = ByteSlice.of(ManualReplica.bytes(key));
    return new BulkWriteItem(
        0,
        1,
        1,
        attempt,
        sequence,
        1,
        bytes,
        removal ? new RemoveEntry(true) : new Put(bytes, true));
  }

  private BulkWriteReply send(BulkWriteItem... items) {
    long admission = node.driver.current().membership().admissionNumber(node.self);
    Output out = new Output(64);
    new BulkWriteRequest(node.driver.current().number(), 0, admission, List.of(items)).write(out);
    long request =
        node.messaging.register(
            new ResponseHandler() {
              @Override
              public void onResponse(Member from, Input body) {
                replies.add(BulkWriteReply.read(body, items.length));
              }

              @Override
              public void wake() {}
            });
    handler.onBulkWrite(node.self, request, out.toInput());
    return replies.getLast();
  }

  @Test
  void refusedWriteIsNotMadeWhenItsMessageArrivesAgain() {
    node.formGrid(ONE_ENTRY, node.self);
    BulkWriteItem[] both = {item(1, 1, "k", false), item(2, 1, "l", false)};
    assertThat(send(both).unmade()).containsExactly(1);

    assertThat(send(item(3, 1, "k", true)).unmade()).isEmpty();
    BulkWriteReply again = send(both);
    assertThat(again.refused()).containsExactly(1);
    assertThat(node.replica().entries().liveCount()).isZero();

    assertThat(send(item(2, 2, "l", false)).refused()).isEmpty();
    assertThat(node.replica().entries().liveCount()).isEqualTo(1);
  }

  @Test
  void attemptOfThisNodeInAnotherEpochHasNoEffect() {
    node.formGrid(ONE_ENTRY, node.self);
    ByteSlice key = ByteSlice.of(ManualReplica.bytes("k"));
    BulkWriteReply early = send(new BulkWriteItem(0, 2, 2, 1, 1, 1, key, new Put(key, true)));
    assertThat(early.refused()).containsExactly(0);
    assertThat(early.unmade()).containsExactly(0);
    assertThat(early.noRoom()).isNull();
  }

  @Test
  void wantOfRoomSaysThatNoAttemptOfItsEpochWasExecuted() {
    CommandSequencer sequencer =
        new ClientSession(GRID, new SessionId(node.self.id(), 1), node.clock).sequencer(0, 0);
    PendingBulkWrite write =
        new PendingBulkWrite(
            new BulkWriteClient.KeyWrite(ManualReplica.bytes("k"), new RemoveEntry(true), 1));
    write.begin(sequencer, node.clock.nanoTime() + TimeUnit.SECONDS.toNanos(1));
    assertThat(write.toItem(5).attempt()).isEqualTo(1);
    assertThat(write.toItem(5).attempt()).isEqualTo(2);
    write.markRefused();
    assertThat(write.isDoubtful()).as("the first attempt may have been executed").isTrue();
    write.markWithoutRoom();
    assertThat(write.isDoubtful()).isFalse();

    assertThat(write.toItem(6).firstEpoch()).as("none of epoch 5 was executed").isEqualTo(6);
    assertThat(write.toItem(7).firstEpoch()).isEqualTo(6);
    write.markWithoutRoom();
    assertThat(write.isDoubtful()).as("the attempt in epoch 6 may have been executed").isTrue();
  }
}
