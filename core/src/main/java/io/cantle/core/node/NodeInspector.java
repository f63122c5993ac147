package io.cantle.core.node;

import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.memory.MemoryUse;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.LosingReplica;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaTable;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a node holds and believes at this moment, for inspection from within. Nothing here waits or
 * changes anything.
 *
 * <p><b>Threading:</b> any thread, without a lock. Its answers belong to one moment only if nothing
 * else runs, as in a simulation.
 */
public final class NodeInspector {
  private final Node node;

  NodeInspector(Node node) {
    this.node = node;
  }

  /** How much memory a kind of work takes, and may take. */
  public MemoryAccount memory(MemoryUse use) {
    return node.memory.account(use);
  }

  /** How much memory the entries off the heap take, and may take. */
  public MemoryAccount offHeapMemory() {
    return node.offHeapMemory;
  }

  /** How much memory durable caches take, and may take. */
  public ReplicaTable.StoreMemory storeMemory() {
    return node.replicas.storeMemory();
  }

  /** How many requests of any kind, sent by this node, wait for their answer. */
  public int pendingRequests() {
    return node.messaging.pendingCount();
  }

  /** This node's topology. */
  public Topology topology() {
    return node.topologyDriver.current();
  }

  /** Whether this node may answer from what it holds: a majority has recently renewed its lease. */
  public boolean hasLease() {
    return node.topologyDriver.lease().isHeld();
  }

  /** Sets a task to run with every replica that is created from now on. */
  public void addReplicaListener(Consumer<Replica> task) {
    node.replicas.addCreationListener(task);
  }

  /** This node's replica of a segment, or null. */
  public @Nullable Replica findReplica(int cache, int segment) {
    return node.replicas.find(cache, segment);
  }

  /** The losing replicas that are still to be merged. */
  public List<LosingReplica> unmergedReplicas() {
    return node.replicas.losingReplicas().backlog().unmergedReplicas();
  }

  /** The bytes a key is stored as. */
  public byte[] keyBytes(Object key) {
    return node.codec.encodeKey(key);
  }

  /** The bytes a value is stored as. */
  public byte[] valueBytes(Object value) {
    return node.codec.encodeValue(value);
  }
}
