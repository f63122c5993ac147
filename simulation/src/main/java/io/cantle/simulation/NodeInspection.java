package io.cantle.simulation;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A view into what a node holds and believes at this moment about the cache under test.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
interface NodeInspection {
  /** The inspection of a node that nobody can look into. */
  NodeInspection NONE = new EmptyInspection();

  /** The part of a node in a segment. */
  enum ReplicaPart {
    /** It has no part. */
    NONE,
    /** It holds second copies of some entries of a scattered cache. */
    HOLDER,
    /** It fetches the data from others. */
    JOINER,
    /** It holds every acknowledged write. */
    OWNER
  }

  /**
   * An entry or tombstone of a replica.
   *
   * @param key its canonical bytes
   * @param value its bytes, empty for a tombstone
   * @param epoch the first part of its version
   * @param index the second part of its version
   */
  record HeldEntry(ByteBuffer key, ByteBuffer value, int epoch, long index, boolean tombstone) {
    @Override
    public String toString() {
      String stored = tombstone ? "a tombstone" : value.remaining() + " bytes";
      return describe(key) + " with " + stored + " of version " + epoch + "." + index;
    }

    private static String describe(ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(bytes.position(), copy);
      return HexFormat.of().formatHex(copy);
    }

    boolean isOlderThan(HeldEntry other) {
      return epoch != other.epoch ? epoch < other.epoch : index < other.index;
    }
  }

  /**
   * A node's copy of the value of a key.
   *
   * @param value its bytes, empty for a tombstone
   * @param stamp when it was written, 0 where writes have no stamps
   */
  record KeptValue(ByteBuffer value, long stamp, boolean tombstone) {}

  /** Returns the number of the topology the node acts on, 0 for none. */
  long topologyNumber();

  /** Returns the grid the node belongs to. Numbers of different grids cannot be compared. */
  UUID gridId();

  /** Returns a hash over all of that topology. */
  long topologyHash();

  /** Returns the voters, as far as the node knows; empty where there are none. */
  List<UUID> voters();

  /** Returns whether the node may answer from what it holds. */
  boolean hasLease();

  /** Returns how many segments there are, as far as the node knows. */
  int segmentCount();

  /** Returns the epoch in which the node believes to lead a segment, or 0. */
  int leads(int segment);

  /** Returns the part of the node in a segment. */
  ReplicaPart partOf(int segment);

  /** The epoch since which the node has taken part in every write of a segment; 0 if in none. */
  int sinceEpoch(int segment);

  /** Returns the member ids of the owners of a segment, as far as the node knows. */
  List<UUID> owners(int segment);

  /**
   * Returns the member ids of the holders of a scattered segment, as far as the node knows. One of
   * them has a second copy of each entry; empty while that is not certain, and for other caches.
   */
  List<UUID> settledHolders(int segment);

  /** Returns what the node holds of a segment, in an order that is the same on all nodes. */
  List<HeldEntry> heldEntries(int segment);

  /** Returns the segment of a key. */
  int segmentOf(int key);

  /** Returns the entry or tombstone the node holds for a key, or null. */
  @Nullable HeldEntry find(int key);

  /**
   * Returns the versions of a key that the node keeps, as a complete replica or as one still to be
   * merged.
   */
  List<KeptValue> keptValues(int key);

  /** Returns the ids of the members, as far as the node knows. */
  List<UUID> members();

  /** Returns the bytes reserved for answers that have not left the node. */
  long answerBytes();

  /** Returns what was wrong in what observers of the replicas were told. */
  List<String> feedViolations();

  /** Returns how what observers of the replicas were told differs from the replicas at rest. */
  List<String> feedDifferences();

  /**
   * Returns what the node holds beyond the bound of a cache that evicts, or beside its entries, and
   * which values are in memory beyond that of its store; empty at rest.
   */
  List<String> boundExcess();

  /** Returns what the node still has of caches that it knows to be destroyed; empty at rest. */
  List<String> destroyedRemains();

  /** Returns the segments that are not steady in the node's topology, as text. */
  List<String> unsteadySegments();

  /** Returns the bytes of the value that a write wrote. */
  ByteBuffer valueOf(int key, long value);

  /** The inspection that knows nothing. */
  record EmptyInspection() implements NodeInspection {
    @Override
    public long topologyNumber() {
      return 0;
    }

    @Override
    public long answerBytes() {
      return 0;
    }

    @Override
    public UUID gridId() {
      return new UUID(0, 0);
    }

    @Override
    public long topologyHash() {
      return 0;
    }

    @Override
    public List<UUID> voters() {
      return List.of();
    }

    @Override
    public boolean hasLease() {
      return false;
    }

    @Override
    public int segmentCount() {
      return 0;
    }

    @Override
    public int leads(int segment) {
      return 0;
    }

    @Override
    public ReplicaPart partOf(int segment) {
      return ReplicaPart.NONE;
    }

    @Override
    public int sinceEpoch(int segment) {
      return 0;
    }

    @Override
    public List<UUID> owners(int segment) {
      return List.of();
    }

    @Override
    public List<UUID> settledHolders(int segment) {
      return List.of();
    }

    @Override
    public List<HeldEntry> heldEntries(int segment) {
      return List.of();
    }

    @Override
    public int segmentOf(int key) {
      return 0;
    }

    @Override
    public @Nullable HeldEntry find(int key) {
      return null;
    }

    @Override
    public List<KeptValue> keptValues(int key) {
      return List.of();
    }

    @Override
    public List<String> feedViolations() {
      return List.of();
    }

    @Override
    public List<String> feedDifferences() {
      return List.of();
    }

    @Override
    public List<String> unsteadySegments() {
      return List.of();
    }

    @Override
    public List<String> destroyedRemains() {
      return List.of();
    }

    @Override
    public List<String> boundExcess() {
      return List.of();
    }

    @Override
    public List<UUID> members() {
      return List.of();
    }

    @Override
    public ByteBuffer valueOf(int key, long value) {
      return ByteBuffer.allocate(0);
    }
  }
}
