package io.cantle.simulation;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a node holds and believes at this moment about the cache under test.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
interface NodeInspection {
  /** Of a node nobody can look into. */
  NodeInspection NONE = new EmptyInspection();

  /** Part of a node in a segment. */
  enum ReplicaPart {
    /** None. */
    NONE,
    /** It fetches what others hold. */
    JOINER,
    /** It holds every acknowledged write. */
    OWNER
  }

  /**
   * An entry or tombstone of a copy.
   *
   * @param key its canonical bytes
   * @param value its bytes, none for a tombstone
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
   * A copy of a key.
   *
   * @param value its bytes, none for a tombstone
   * @param stamp when it was written, 0 where writes have no stamps
   */
  record KeptValue(ByteBuffer value, long stamp, boolean tombstone) {}

  /** The number of the topology it acts on, 0 for none. */
  long topologyNumber();

  /** The grid it belongs to: of another one the numbers mean nothing. */
  UUID gridId();

  /** A hash of all of that topology. */
  long topologyHash();

  /** Which members decide, as far as it knows; none where nobody does. */
  List<UUID> voters();

  /** Whether it may answer from what it holds. */
  boolean hasLease();

  /** How many segments there are, as far as it knows. */
  int segmentCount();

  /** The epoch in which it believes to lead a segment, or 0. */
  int leads(int segment);

  /** Its part in a segment. */
  ReplicaPart partOf(int segment);

  /** Who owns a segment, as far as it knows: ids of members. */
  List<UUID> owners(int segment);

  /** What it holds of a segment, in one order on all nodes. */
  List<HeldEntry> heldEntries(int segment);

  /** The segment of a key. */
  int segmentOf(int key);

  /** What it holds of a key, or null. */
  @Nullable HeldEntry find(int key);

  /** What it keeps of a key, as one that holds everything, or to be merged. */
  List<KeptValue> keptValues(int key);

  /** The ids of the members, as far as it knows. */
  List<UUID> members();

  /** What it has reserved for answers that have not left it. */
  long answerBytes();

  /** The bytes of the value of a write. */
  ByteBuffer valueOf(int key, long value);

  /** Nothing known. */
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
    public List<UUID> owners(int segment) {
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
    public List<UUID> members() {
      return List.of();
    }

    @Override
    public ByteBuffer valueOf(int key, long value) {
      return ByteBuffer.allocate(0);
    }
  }
}
