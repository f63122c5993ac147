package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.ExecuteResult;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.topology.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.ResponseHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a primary's answer to a read of an entry that its backup has not acknowledged yet. */
final class ReadHandlerTest {
  private final OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
  private final Member self = node.self;
  private final Member backup = ManualNetwork.member("backup");
  private final ReplicaTable replicas = node.replicas;
  private final MessagingService messaging = node.messaging;
  private final TopologyDriver driver = node.driver;
  private final ReadHandler readHandler = node.readHandler();
  private final List<String> answers = new ArrayList<>();
  private Topology topology = Topology.NONE;
  private long sequence;

  @BeforeEach
  void open() {
    messaging.start();
    messaging.onMembersChanged(List.of(self));
    // Alone it holds a lease; the ownership of its segment is set separately.
    driver.onViewChange(List.of(self));
    node.clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
    enter(1);
  }

  private void enter(int epoch) {
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(1));
    Topology next =
        TopologyFixture.of(
            epoch,
            driver.current().hashSeed(),
            List.of(self, backup),
            List.of(new CacheOwnership(one, List.of(TopologyFixture.owned(epoch, self, backup)))));
    replicas.adopt(next, topology, self);
    topology = next;
    replica().serveEpoch(epoch);
  }

  private Replica replica() {
    return Objects.requireNonNull(replicas.find(0, 0));
  }

  private long hash(byte[] key) {
    return KeyHash.hash(driver.current().hashSeed(), key, 0, key.length);
  }

  private void write(String value) {
    byte[] key = ManualReplica.bytes("k");
    byte[] both = ManualReplica.bytes("k" + value);
    sequence++;
    CommandId command = new CommandId(new SessionId(backup.id(), 1), sequence, sequence, 1, 1);
    ExecuteResult outcome =
        replica()
            .execute(
                () -> true,
                replica().state().epoch(),
                command,
                hash(key),
                key,
                0,
                key.length,
                found -> CommandEffect.put(both, OperationResult.TRUE, false));
    assertThat(outcome).isInstanceOf(CommandOutcome.Written.class);
  }

  private void read() {
    long number =
        messaging.register(
            new ResponseHandler() {
              @Override
              public void onResponse(Member from, Input body) {
                if (body.readByte() == OperationReplyEncoder.REFUSED) {
                  answers.add("refused");
                } else {
                  body.readVarint();
                  body.readVarint();
                  answers.add(ManualReplica.text(OperationResult.read(body)));
                }
              }

              @Override
              public void wake() {}
            });
    Output out = new Output(64);
    out.writeLong(driver.current().number());
    out.writeVarint(0);
    out.writeVarint(0);
    out.writeBoolean(true);
    ByteSlice.of(ManualReplica.bytes("k")).write(out);
    readHandler.onRead(self, number, out.toInput());
  }

  @Test
  void uncommittedEntryIsReturnedOnceCommitted() {
    write("1");
    read();
    assertThat(answers).isEmpty();
    replica().onAck(backup, 1, 1);
    assertThat(answers).containsExactly("1");
  }

  @Test
  void constantlyRewrittenKeyIsReturnedAsOfTheRead() {
    write("1");
    replica().onAck(backup, 1, 1);
    write("2");
    read();
    node.network.inFlight.clear();
    write("3");
    replica().onAck(backup, 1, 2);
    assertThat(answers).containsExactly("2");
    assertThat(node.network.inFlight).as("no acknowledgement is requested again").isEmpty();
    read();
    assertThat(answers).as("the later write is not committed").hasSize(1);
    replica().onAck(backup, 1, 3);
    assertThat(answers).containsExactly("2", "3");
  }

  @Test
  void waitingReadIsRefusedWhenTheEpochEnds() {
    write("1");
    read();
    enter(2);
    assertThat(answers).containsExactly("refused");
  }
}
