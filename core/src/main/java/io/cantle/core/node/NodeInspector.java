package io.cantle.core.node;

import io.cantle.core.base.Output;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.memory.MemoryUse;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.LosingReplica;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.transport.Member;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
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

  /** How many requests of any kind, sent by this node, wait for their answer. */
  public int pendingRequests() {
    return node.messaging.pendingCount();
  }

  /** The role of this node for a segment. */
  public enum SegmentRole {
    /** It has no role. */
    NONE,
    /** It fetches what others hold. */
    JOINER,
    /** It holds every acknowledged write. */
    OWNER
  }

  /** Visits each entry of a replica, in order. */
  @FunctionalInterface
  public interface EntryVisitor {
    /**
     * Visits an entry or tombstone.
     *
     * @param key its canonical bytes
     * @param value its bytes, none for a tombstone; null if they are on disk only
     * @param epoch the epoch of its version
     * @param index the index of its version
     */
    void visitEntry(byte[] key, byte @Nullable [] value, int epoch, long index, boolean tombstone);
  }

  /** This node's topology. */
  public Topology topology() {
    return node.topologyDriver.current();
  }

  /** The voters, which decide the next topology. */
  public List<UUID> voters() {
    return node.topologyDriver.current().membership().voters().stream().map(Member::id).toList();
  }

  /** The number of this node's topology, 0 for none. */
  public long topologyNumber() {
    return node.topologyDriver.current().number();
  }

  /** The id of this node's grid. */
  public UUID grid() {
    return node.topologyDriver.current().gridId();
  }

  /** A hash of the grid id and of every byte of that topology. */
  public long topologyHash() {
    Topology topology = node.topologyDriver.current();
    Output out = new Output(1024);
    topology.write(out);
    return topology.gridId().getLeastSignificantBits() * 31 + Arrays.hashCode(out.toByteArray());
  }

  /** Whether this node may answer from what it holds: a majority has recently renewed its lease. */
  public boolean hasLease() {
    return node.topologyDriver.lease().isHeld();
  }

  /** Sets a task to run with every replica that is created from now on. */
  public void whenReplicaCreated(Consumer<Replica> task) {
    node.replicas.whenCreated(task);
  }

  /** The number of segments of a cache, 0 while this node knows no such cache. */
  public int segmentCount(int cache) {
    Topology topology = node.topologyDriver.current();
    return cache < topology.caches().size() ? topology.caches().get(cache).segments().size() : 0;
  }

  /** The bytes a key is stored as. */
  public byte[] keyBytes(Object key) {
    return node.codec.encodeKey(key);
  }

  /** The segment of an encoded key. */
  public int segment(int cache, byte[] key) {
    return KeyHash.segment(hash(key), segmentCount(cache));
  }

  private long hash(byte[] key) {
    return KeyHash.hash(node.topologyDriver.current().hashSeed(), key, 0, key.length);
  }

  /** Visits what this node holds of an encoded key, if it holds anything. */
  public void visitKey(int cache, byte[] key, EntryVisitor visitor) {
    long hash = hash(key);
    Replica replica = node.replicas.find(cache, KeyHash.segment(hash, segmentCount(cache)));
    Entry entry = replica == null ? null : replica.entries().get(hash, key, 0, key.length);
    if (entry != null) {
      visitor.visitEntry(key, value(entry), entry.epoch(), entry.index(), entry.isTombstone());
    }
  }

  /** Visits each copy of a key. */
  @FunctionalInterface
  public interface CopyVisitor {
    /**
     * Visits a copy.
     *
     * @param value its bytes, none for a tombstone; null if they are on disk only
     * @param stamp when it was written, 0 in grids whose writes have no stamps
     */
    void visitCopy(byte @Nullable [] value, long stamp, boolean tombstone);
  }

  /**
   * Visits what this node keeps of a key, tombstones too: in a replica that holds everything, and
   * in losing replicas that are still to be merged.
   */
  public void visitCopies(int cache, Object key, CopyVisitor visitor) {
    byte[] bytes = node.codec.encodeKey(key);
    if (segmentCount(cache) > 0) {
      long hash = hash(bytes);
      Replica replica = node.replicas.find(cache, KeyHash.segment(hash, segmentCount(cache)));
      if (replica != null && replica.holdsEverything()) {
        Entry entry = replica.entries().get(hash, bytes, 0, bytes.length);
        if (entry != null) {
          visitor.visitCopy(value(entry), entry.stamp(), entry.isTombstone());
        }
      }
    }
    for (LosingReplica copy : node.replicas.mergeBacklog().unmergedReplicas()) {
      for (Entry entry : copy.entries()) {
        if (Arrays.equals(bytes, key(entry))) {
          visitor.visitCopy(value(entry), entry.stamp(), entry.isTombstone());
        }
      }
    }
  }

  /** The ids of the members in this node's topology. */
  public List<UUID> members() {
    return node.topologyDriver.current().members().stream().map(Member::id).toList();
  }

  /** The ids of the owners of a segment, the primary first, as this node knows them. */
  public List<UUID> owners(int cache, int segment) {
    return node.topologyDriver.current().ownership(cache, segment).owners().stream()
        .map(Member::id)
        .toList();
  }

  /** The epoch in which this node is the active primary of a segment, as far as it knows, or 0. */
  public int primaryEpoch(int cache, int segment) {
    Replica replica = node.replicas.find(cache, segment);
    ReplicaState state = replica == null ? null : replica.state();
    return state != null && state.isActivePrimary() ? state.epoch() : 0;
  }

  /** The role of this node for a segment. */
  public SegmentRole roleOf(int cache, int segment) {
    Replica replica = node.replicas.find(cache, segment);
    return replica == null
        ? SegmentRole.NONE
        : switch (replica.state().role()) {
          case NONE -> SegmentRole.NONE;
          case JOINER -> SegmentRole.JOINER;
          case FORMER_OWNER, BACKUP, PRIMARY -> SegmentRole.OWNER;
        };
  }

  /** The epoch since which this node has taken part in every write of a segment; 0 if in none. */
  public int sinceEpoch(int cache, int segment) {
    Replica replica = node.replicas.find(cache, segment);
    return replica == null ? 0 : replica.sinceEpoch();
  }

  /** The bytes a value is stored as. */
  public byte[] valueBytes(Object value) {
    return node.codec.encodeValue(value);
  }

  /** Visits what this node holds of a segment. */
  public void visitEntries(int cache, int segment, EntryVisitor visitor) {
    Replica replica = node.replicas.find(cache, segment);
    if (replica != null) {
      replica
          .entries()
          .scan(
              SegmentCursor.START,
              entry -> {
                visitor.visitEntry(
                    key(entry), value(entry), entry.epoch(), entry.index(), entry.isTombstone());
                return Container.VisitResult.CONTINUE;
              });
    }
  }

  private static byte[] key(Entry entry) {
    return Arrays.copyOf(entry.bytes(), entry.keyLength());
  }

  private static byte @Nullable [] value(Entry entry) {
    if (entry.isEvicted()) {
      return null;
    }
    int from = entry.valueOffset();
    return entry.isTombstone()
        ? new byte[0]
        : Arrays.copyOfRange(entry.bytes(), from, from + entry.valueLength());
  }
}
