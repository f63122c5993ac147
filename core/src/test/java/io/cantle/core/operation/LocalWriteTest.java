package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.WhenCut;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.container.Entry;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests writes of keys whose primary is the node of the caller. */
final class LocalWriteTest {
  private static final CacheDefinition ONE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1));
  private static final byte[] KEY = ManualReplica.bytes("k");

  private final Member second = ManualNetwork.member("second");
  private final OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
  private final CacheResolver cacheResolver = new CacheResolver(node.driver, node.clock, ONE);
  private final OperationClient client =
      new OperationClient(
          node.context,
          node.writeHandler(new ConflictResolver(WhenCut.stop())),
          TimeUnit.SECONDS.toNanos(10));

  private OperationResult put(String value) {
    Put put = new Put(ByteSlice.of(ManualReplica.bytes(value)), false);
    return client.write(cacheResolver, KEY, put, client.deadlineFromNow());
  }

  private Entry entry() {
    return Objects.requireNonNull(
        node.replica().readLocally(node.hash(KEY), KEY, 0, KEY.length).entry());
  }

  @Test
  void writeOfASoleOwnerEndsOnTheCallingThreadWithoutAMessageOrACopy() {
    node.formGrid(ONE, node.self);
    node.network.inFlight.clear();
    node.clock.whileParked.add(
        () -> {
          throw new AssertionError("the caller waits");
        });
    assertThat(put("first")).isEqualTo(OperationResult.ABSENT);
    byte[] replaced = entry().bytes();
    assertThat(put("other").bytes()).as("the bytes of the replaced entry").isSameAs(replaced);
    assertThat(node.network.inFlight).isEmpty();
    assertThat(node.messaging.pendingCount()).isZero();
  }

  @Test
  void entryKeepsTheArrayInWhichTheCallerEncodedIt() {
    node.formGrid(ONE, node.self);
    byte[] both = ManualReplica.bytes("k" + "value");
    Put put = new Put(new ByteSlice(both, 1, 5), false);
    client.write(cacheResolver, new ByteSlice(both, 0, 1), put, null, client.deadlineFromNow());
    assertThat(entry().bytes()).isSameAs(both);
    assertThat(entry().keyLength()).isEqualTo(1);
  }

  @Test
  void writeOfAPrimaryWithBackupsEndsOnceTheyHoldIt() {
    node.formGrid(ONE, node.self, second);
    Replica replica = node.replica();
    node.clock.whileParked.add(
        () -> {
          assertThat(node.messaging.pendingCount()).as("a change of members wakes it").isOne();
          assertThat(replica.onAck(second, 1, 1)).isTrue();
          replica.performEffects();
        });
    assertThat(put("first")).isEqualTo(OperationResult.ABSENT);
    assertThat(node.messaging.pendingCount()).isZero();
    assertThat(node.clock.whileParked).isEmpty();
  }

  @Test
  void callIsNotInDoubtBecauseTheReplicaIsInAnotherEpoch() {
    node.formGrid(ONE, node.self);
    WriteHandler handler = node.writeHandler(new ConflictResolver(WhenCut.stop()));
    InFlightWrite call = new InFlightWrite(null);
    call.beginAttempt(2);
    long topology = node.driver.current().number();
    long admission = node.driver.current().membership().admissionNumber(node.self);
    Put put = new Put(ByteSlice.of(KEY), false);
    WriteRequest early =
        new WriteRequest(topology, 0, 0, 2, 2, 1, admission, 1, 1, ByteSlice.of(KEY), put);
    handler.write(node.self, 1, call, early);
    assertThat(call.isRefused()).isTrue();
    assertThat(call.isDoubtful()).isFalse();
  }
}
