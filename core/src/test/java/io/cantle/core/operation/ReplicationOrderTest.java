package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.WhenCut;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Output;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.SessionId;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a primary sends a write before it performs the effects of other steps, which may take
 * long, and that it performs them.
 */
final class ReplicationOrderTest {
  private final Member second = ManualNetwork.member("second");
  private final OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
  private final WriteHandler writeHandler = node.writeHandler(new ConflictResolver(WhenCut.stop()));

  /** How many writes had been sent whenever the effect of another step was performed. */
  private final List<Long> sentBefore = new ArrayList<>();

  @BeforeEach
  void open() {
    node.formGrid(
        new CacheDefinition("one", CacheConfig.distributed().segments(1)), node.self, second);
    node.network.inFlight.clear();
  }

  /** Leaves an effect, as a step of another thread that has not performed it yet. */
  private void leaveEffect() {
    boolean waits =
        node.replica().notifyOnceCommitted(1, 0, isCommitted -> sentBefore.add(sentWrites()));
    assertThat(waits).isFalse();
  }

  private long sentWrites() {
    return node.network.inFlight.stream()
        .filter(sent -> sent.kind() == MessageKind.REPLICATE)
        .count();
  }

  private long admission() {
    return node.driver.current().membership().admissionNumber(node.self);
  }

  private static ByteSlice bytes(String text) {
    return ByteSlice.of(ManualReplica.bytes(text));
  }

  @Test
  void writeIsSentBeforeOtherEffectsArePerformed() {
    leaveEffect();
    Put put = new Put(bytes("v"), false);
    long topology = node.driver.current().number();
    writeHandler.write(
        node.self,
        1,
        null,
        new WriteRequest(topology, 0, 0, 1, 1, 1, admission(), 1, 1, bytes("k"), put));
    assertThat(sentBefore).containsExactly(1L);
  }

  @Test
  void bulkWriteIsSentBeforeOtherEffectsArePerformed() {
    leaveEffect();
    List<BulkWriteItem> items =
        List.of(
            new BulkWriteItem(0, 1, 1, 1, 1, 1, bytes("k"), new Put(bytes("v"), false)),
            new BulkWriteItem(0, 1, 1, 1, 2, 1, bytes("l"), new Put(bytes("v"), false)));
    Output out = new Output(64);
    new BulkWriteRequest(node.driver.current().number(), 0, admission(), items).write(out);
    node.bulkWriteHandler(writeHandler).onBulkWrite(node.self, 1, out.toInput());
    assertThat(sentBefore).as("both writes are in one message").containsExactly(1L);
  }

  @Test
  void tickIsSentBeforeOtherEffectsArePerformed() {
    node.write(new SessionId(node.self.id(), admission()), 1, "k", "v", new Lifetime(1_000, 0));
    node.clock.advance(TimeUnit.SECONDS.toNanos(2));
    node.network.inFlight.clear();
    leaveEffect();
    node.read(node.readHandler(), "k", true, result -> {});
    assertThat(sentBefore).containsExactly(1L);
  }
}
