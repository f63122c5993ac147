package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.container.Lifetime;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a primary's answer to a read of an entry that its backup has not acknowledged yet. */
final class ReadHandlerTest {
  private final OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
  private final Member self = node.self;
  private final Member backup = ManualNetwork.member("backup");
  private final ReplicaTable replicas = node.replicas;
  private final ReadHandler readHandler = node.readHandler();
  private final List<String> answers = new ArrayList<>();
  private Topology topology = Topology.NONE;
  private long sequence;

  @BeforeEach
  void open() {
    // Alone it holds a lease; the ownership of its segment is set separately.
    node.formGrid();
    enter(1);
  }

  private void enter(int epoch) {
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(1));
    Topology next =
        TopologyFixture.of(
            epoch,
            node.driver.current().hashSeed(),
            List.of(self, backup),
            List.of(
                new CacheOwnership(
                    0, 0, one, List.of(TopologyFixture.owned(epoch, self, backup)))));
    replicas.adopt(next, topology, self);
    topology = next;
    node.replica().serveEpoch(epoch);
  }

  private void write(String value) {
    sequence++;
    node.write(new SessionId(backup.id(), 1), sequence, "k", value, Lifetime.UNLIMITED);
  }

  private void read() {
    node.read(
        readHandler,
        "k",
        true,
        result -> answers.add(result == null ? "refused" : ManualReplica.text(result)));
  }

  @Test
  void uncommittedEntryIsReturnedOnceCommitted() {
    write("1");
    read();
    assertThat(answers).isEmpty();
    node.replica().onAck(backup, 1, 1);
    node.replica().performEffects();
    assertThat(answers).containsExactly("1");
  }

  @Test
  void constantlyRewrittenKeyIsReturnedAsOfTheRead() {
    write("1");
    node.replica().onAck(backup, 1, 1);
    node.replica().performEffects();
    write("2");
    read();
    node.network.inFlight.clear();
    write("3");
    node.replica().onAck(backup, 1, 2);
    node.replica().performEffects();
    assertThat(answers).containsExactly("2");
    assertThat(node.network.inFlight).as("no acknowledgement is requested again").isEmpty();
    read();
    assertThat(answers).as("the later write is not committed").hasSize(1);
    node.replica().onAck(backup, 1, 3);
    node.replica().performEffects();
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
