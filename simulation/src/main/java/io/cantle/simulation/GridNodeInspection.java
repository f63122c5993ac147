package io.cantle.simulation;

import io.cantle.core.base.Version;
import io.cantle.core.memory.MemoryUse;
import io.cantle.core.node.NodeInspector;
import io.cantle.core.persistence.NodeStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The view into what a real node holds and believes.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class GridNodeInspection implements NodeInspection {
  /** The only cache there is. */
  private static final int CACHE = 0;

  private final NodeInspector inspection;
  private final NodeStore store;
  private final KeyNumbering keys;
  private final int valueBytes;
  private final ReplicaFeedChecker feedChecker = new ReplicaFeedChecker();

  /** The encoded bytes of each key that was asked for so far. */
  private final Map<Integer, byte[]> keyBytes = new HashMap<>();

  /**
   * Creates an inspection of a node.
   *
   * @param store where the values are that the node does not have in memory
   * @param keys what a key is made of
   * @param valueBytes the usual size of a value
   */
  GridNodeInspection(NodeInspector inspection, NodeStore store, KeyNumbering keys, int valueBytes) {
    this.inspection = inspection;
    this.store = store;
    this.keys = keys;
    this.valueBytes = valueBytes;
    inspection.whenReplicaCreated(feedChecker::attach);
  }

  @Override
  public long answerBytes() {
    return inspection.memory(MemoryUse.SCAN_ANSWERS).reservedBytes()
        + inspection.memory(MemoryUse.TRANSFERS).reservedBytes();
  }

  @Override
  public List<String> feedViolations() {
    return feedChecker.check();
  }

  @Override
  public List<String> feedDifferences() {
    return feedChecker.differences();
  }

  @Override
  public long topologyNumber() {
    return inspection.topologyNumber();
  }

  @Override
  public UUID gridId() {
    return inspection.grid();
  }

  @Override
  public long topologyHash() {
    return inspection.topologyHash();
  }

  @Override
  public List<UUID> voters() {
    return inspection.voters();
  }

  @Override
  public boolean hasLease() {
    return inspection.hasLease();
  }

  @Override
  public int segmentCount() {
    return inspection.segmentCount(CACHE);
  }

  @Override
  public int leads(int segment) {
    return inspection.primaryEpoch(CACHE, segment);
  }

  @Override
  public ReplicaPart partOf(int segment) {
    return switch (inspection.roleOf(CACHE, segment)) {
      case NONE -> ReplicaPart.NONE;
      case JOINER -> ReplicaPart.JOINER;
      case OWNER -> ReplicaPart.OWNER;
    };
  }

  @Override
  public int sinceEpoch(int segment) {
    return inspection.sinceEpoch(CACHE, segment);
  }

  @Override
  public List<UUID> owners(int segment) {
    return inspection.owners(CACHE, segment);
  }

  @Override
  public List<HeldEntry> heldEntries(int segment) {
    List<HeldEntry> held = new ArrayList<>();
    inspection.visitEntries(
        CACHE,
        segment,
        (key, value, epoch, index, tombstone) ->
            held.add(heldEntry(segment, key, value, epoch, index, tombstone)));
    return held;
  }

  private HeldEntry heldEntry(
      int segment, byte[] key, byte @Nullable [] value, int epoch, long index, boolean tombstone) {
    byte[] bytes = value;
    if (bytes == null && store instanceof SimulatedNodeStore.MountedStore disk) {
      bytes = disk.value(CACHE, segment, key, new Version(epoch, index));
    }
    if (bytes == null) {
      throw new IllegalStateException("a value is neither in memory nor on disk");
    }
    return new HeldEntry(ByteBuffer.wrap(key), ByteBuffer.wrap(bytes), epoch, index, tombstone);
  }

  @Override
  public @Nullable HeldEntry find(int key) {
    @Nullable HeldEntry[] found = new HeldEntry[1];
    inspection.visitKey(
        CACHE,
        bytesOf(key),
        (bytes, value, epoch, index, tombstone) ->
            found[0] = heldEntry(segmentOf(key), bytes, value, epoch, index, tombstone));
    return found[0];
  }

  @Override
  public List<KeptValue> keptValues(int key) {
    List<KeptValue> kept = new ArrayList<>();
    inspection.visitCopies(
        CACHE,
        keys.toKey(key),
        (value, stamp, tombstone) ->
            kept.add(
                new KeptValue(ByteBuffer.wrap(Objects.requireNonNull(value)), stamp, tombstone)));
    return kept;
  }

  @Override
  public List<UUID> members() {
    return inspection.members();
  }

  @Override
  public ByteBuffer valueOf(int key, long value) {
    return ByteBuffer.wrap(inspection.valueBytes(StampedValue.of(key, value, valueBytes)));
  }

  @Override
  public int segmentOf(int key) {
    return inspection.segment(CACHE, bytesOf(key));
  }

  private byte[] bytesOf(int key) {
    return keyBytes.computeIfAbsent(key, number -> inspection.keyBytes(keys.toKey(number)));
  }
}
