package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what a merging primary counts: threads start when the test says so. */
final class MergeCountTest {
  private final Queue<Runnable> threads = new ArrayDeque<>();
  private final OperationFixture node = new OperationFixture(threads::add, 1, NodeStore.NONE);
  private final Member self = node.self;
  private final Codec codec = node.codec;
  private final ByteSlice key = ByteSlice.of(codec.encodeKey("k"));
  private final ReplicaTable replicas = node.replicas;
  private final ConflictResolver conflictResolver =
      new ConflictResolver(
          WhenCut.available(MergePolicy.custom((cache, name, ours, theirs) -> "" + ours + theirs)));
  private final WriteHandler writeHandler = node.writeHandler(conflictResolver);

  @BeforeEach
  void open() {
    node.messaging.start();
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(1));
    Topology topology =
        TopologyFixture.written(
            TopologyFixture.of(
                1,
                3,
                List.of(self),
                List.of(new CacheOwnership(0, 0, one, List.of(TopologyFixture.owned(1, self))))));
    Output out = new Output(64);
    topology.write(out);
    node.driver.onMessage(MessageKind.TOPOLOGY, self, out.toInput());
    replicas.adopt(topology, Topology.NONE, self);
    assertThat(Objects.requireNonNull(replicas.find(0, 0)).serveEpoch(1)).isTrue();
    carryOut(1, new Put(ByteSlice.of(codec.encodeValue("ours")), false));
  }

  private void carryOut(long sequence, Operation operation) {
    writeHandler.write(
        self, sequence, null, new WriteRequest(1, 0, 0, 1, 1, 1, 1, sequence, 1, key, operation));
  }

  private void runThreads() {
    for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
      next.run();
    }
  }

  private ConflictMerge theirs(PartitionHandling mode) {
    ByteSlice value = ByteSlice.of(codec.encodeValue("theirs"));
    return new ConflictMerge(
        TopologyFixture.GRID, 1, mode, false, DivergencePoint.NOTHING_IN_COMMON, 1, value);
  }

  @Test
  void duplicateMergeIsCountedOnce() {
    carryOut(2, theirs(PartitionHandling.REMOVE));
    carryOut(2, theirs(PartitionHandling.REMOVE));
    assertThat(conflictResolver.losses().removed()).isEqualTo(2);
  }

  @Test
  void duplicateMergeByFunctionIsCountedOnce() {
    carryOut(2, theirs(PartitionHandling.CUSTOM));
    carryOut(2, theirs(PartitionHandling.CUSTOM));
    assertThat(conflictResolver.losses().overwritten()).isZero();
    runThreads();
    assertThat(conflictResolver.losses().overwritten()).isEqualTo(2);
  }
}
