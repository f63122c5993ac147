package io.cantle.simulation.probe;

import io.cantle.core.base.Output;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.node.NodeInspector;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.LosingReplica;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.transport.Member;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Looks into a real node: what it holds and believes at this moment.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
public final class NodeProbe {
  private final NodeInspector inspector;

  /** Creates a probe of the node of this inspector. */
  public NodeProbe(NodeInspector inspector) {
    this.inspector = inspector;
  }

  /** The role of the node for a segment. */
  public enum SegmentRole {
    /** It has no role. */
    NONE,
    /** It holds second copies of some entries of a scattered cache. */
    HOLDER,
    /** It fetches what others hold. */
    JOINER,
    /** It holds every acknowledged write. */
    OWNER
  }

  /** Visits each entry of a replica, in order. */
  @FunctionalInterface
  public interface ProbeVisitor {
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

  /** What the node itself tells. */
  public NodeInspector inspector() {
    return inspector;
  }

  /** The node's topology. */
  public Topology topology() {
    return inspector.topology();
  }

  /** A hash of the grid id and of every byte of that topology. */
  public long topologyHash() {
    Output out = new Output(1024);
    topology().write(out);
    return topology().gridId().getLeastSignificantBits() * 31 + Arrays.hashCode(out.toByteArray());
  }

  /** The voters, which decide the next topology. */
  public List<UUID> voters() {
    return ids(topology().membership().voters());
  }

  /** The ids of the members in the node's topology. */
  public List<UUID> members() {
    return ids(topology().members());
  }

  /** The ids of the owners of a segment, the primary first, as the node knows them. */
  public List<UUID> owners(int cache, int segment) {
    return ids(topology().ownership(cache, segment).owners());
  }

  /**
   * The ids of the holders of a scattered segment, as the node knows them; empty while some entry
   * may have no second copy at one of them.
   */
  public List<UUID> settledHolders(int cache, int segment) {
    SegmentOwnership ownership = topology().ownership(cache, segment);
    return ownership.isOpeningAwaited() ? List.of() : ids(ownership.assignableHolders());
  }

  private static List<UUID> ids(List<Member> members) {
    return members.stream().map(Member::id).toList();
  }

  /** Whether the node may answer from what it holds: a majority has recently renewed its lease. */
  public boolean hasLease() {
    return inspector.hasLease();
  }

  /** The number of segments of a cache, 0 while the node knows no such cache. */
  public int segmentCount(int cache) {
    Topology.CacheOwnership found = topology().caches().find(cache);
    return found == null ? 0 : found.segments().size();
  }

  /** The segments of a cache that are not steady in the node's topology, as text. */
  public List<String> unsteadySegments(int cache) {
    Topology topology = topology();
    return IntStream.range(0, segmentCount(cache))
        .filter(segment -> !topology.ownership(cache, segment).isSteady())
        .mapToObj(segment -> segment + ": " + topology.ownership(cache, segment))
        .toList();
  }

  /** The bytes a key is stored as. */
  public byte[] keyBytes(Object key) {
    return inspector.keyBytes(key);
  }

  /** The segment of an encoded key. */
  public int segment(int cache, byte[] key) {
    return KeyHash.segment(hash(key), segmentCount(cache));
  }

  private long hash(byte[] key) {
    return KeyHash.hash(topology().hashSeed(), key, 0, key.length);
  }

  /** Visits what the node holds of an encoded key, if it holds anything. */
  public void visitKey(int cache, byte[] key, ProbeVisitor visitor) {
    Replica replica =
        segmentCount(cache) == 0 ? null : inspector.findReplica(cache, segment(cache, key));
    Entry entry = replica == null ? null : replica.entries().get(hash(key), key, 0, key.length);
    if (entry != null) {
      visitor.visitEntry(key, value(entry), entry.epoch(), entry.index(), entry.isTombstone());
    }
  }

  /**
   * Visits what the node keeps of a key, tombstones too: in a replica that holds everything, and in
   * losing replicas that are still to be merged.
   */
  public void visitCopies(String name, Object key, CopyVisitor visitor) {
    int cache = topology().cacheIndex(name);
    byte[] bytes = keyBytes(key);
    if (cache >= 0) {
      Replica replica = inspector.findReplica(cache, segment(cache, bytes));
      if (replica != null && replica.holdsEverything()) {
        Entry entry = replica.entries().get(hash(bytes), bytes, 0, bytes.length);
        if (entry != null) {
          visitor.visitCopy(value(entry), entry.stamp(), entry.isTombstone());
        }
      }
    }
    for (LosingReplica copy : inspector.unmergedReplicas()) {
      boolean isOfCache = copy.cache().name().equals(name);
      for (Entry entry : isOfCache ? copy.entries() : List.<Entry>of()) {
        if (Arrays.equals(bytes, key(entry))) {
          visitor.visitCopy(value(entry), entry.stamp(), entry.isTombstone());
        }
      }
    }
  }

  /** The epoch in which the node is the active primary of a segment, as far as it knows, or 0. */
  public int primaryEpoch(int cache, int segment) {
    Replica replica = inspector.findReplica(cache, segment);
    ReplicaState state = replica == null ? null : replica.state();
    return state != null && state.isActivePrimary() ? state.epoch() : 0;
  }

  /** The role of the node for a segment. */
  public SegmentRole roleOf(int cache, int segment) {
    Replica replica = inspector.findReplica(cache, segment);
    return replica == null
        ? SegmentRole.NONE
        : switch (replica.state().role()) {
          case NONE -> SegmentRole.NONE;
          case HOLDER -> SegmentRole.HOLDER;
          case JOINER -> SegmentRole.JOINER;
          case FORMER_OWNER, BACKUP, PRIMARY -> SegmentRole.OWNER;
        };
  }

  /** The epoch since which the node has taken part in every write of a segment; 0 if in none. */
  public int sinceEpoch(int cache, int segment) {
    Replica replica = inspector.findReplica(cache, segment);
    return replica == null ? 0 : replica.sinceEpoch();
  }

  /**
   * What the node holds of a cache.
   *
   * @param entries how many entries have a value
   * @param bytes the memory that these take
   */
  public record HeldFigures(long entries, long bytes, long tombstones) {}

  /** Counts what the node holds of a cache, entry by entry. */
  public HeldFigures heldFigures(int cache) {
    long[] figures = new long[3];
    for (int segment = 0; segment < segmentCount(cache); segment++) {
      Replica replica = inspector.findReplica(cache, segment);
      if (replica != null) {
        Container entries = replica.entries();
        entries.forEach(
            entry -> {
              figures[0] += entry.isTombstone() ? 0 : 1;
              figures[1] += entry.isTombstone() ? 0 : entries.sizeBytes(entry);
              figures[2] += entry.isTombstone() ? 1 : 0;
            });
      }
    }
    return new HeldFigures(figures[0], figures[1], figures[2]);
  }

  /** Visits what the node holds of a segment. */
  public void visitEntries(int cache, int segment, ProbeVisitor visitor) {
    Replica replica = inspector.findReplica(cache, segment);
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
