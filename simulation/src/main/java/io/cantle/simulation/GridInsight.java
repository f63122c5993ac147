package io.cantle.simulation;

import io.cantle.core.memory.MemoryUse;
import io.cantle.core.node.Inspection;
import io.cantle.core.store.Store;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a real node holds and believes.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class GridInsight implements Insight {
  /** The only cache there is. */
  private static final int CACHE = 0;

  private final Inspection inspection;
  private final Store store;
  private final Keys keys;
  private final int valueBytes;

  /** What the bytes of each key are, of those asked for by now. */
  private final Map<Integer, byte[]> keyBytes = new HashMap<>();

  /**
   * Looks into a node.
   *
   * @param store where the values are that the node does not have in memory
   * @param keys what a key is made of
   * @param valueBytes the usual size of a value
   */
  GridInsight(Inspection inspection, Store store, Keys keys, int valueBytes) {
    this.inspection = inspection;
    this.store = store;
    this.keys = keys;
    this.valueBytes = valueBytes;
  }

  @Override
  public long answerBytes() {
    return inspection.memory(MemoryUse.SCAN_ANSWERS).reservedBytes()
        + inspection.memory(MemoryUse.TRANSFERS).reservedBytes();
  }

  @Override
  public long topologyNumber() {
    return inspection.topologyNumber();
  }

  @Override
  public UUID grid() {
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
  public boolean leased() {
    return inspection.leased();
  }

  @Override
  public int segmentCount() {
    return inspection.segmentCount(CACHE);
  }

  @Override
  public int leads(int segment) {
    return inspection.leads(CACHE, segment);
  }

  @Override
  public Part part(int segment) {
    return switch (inspection.part(CACHE, segment)) {
      case NONE -> Part.NONE;
      case JOINER -> Part.JOINER;
      case OWNER -> Part.OWNER;
    };
  }

  @Override
  public List<UUID> owners(int segment) {
    return inspection.owners(CACHE, segment);
  }

  @Override
  public List<Held> held(int segment) {
    List<Held> held = new ArrayList<>();
    inspection.entries(
        CACHE,
        segment,
        (key, value, epoch, index, tombstone) ->
            held.add(held(segment, key, value, epoch, index, tombstone)));
    return held;
  }

  private Held held(
      int segment, byte[] key, byte @Nullable [] value, int epoch, long index, boolean tombstone) {
    byte[] bytes = value;
    if (bytes == null && store instanceof Disk.Mounted disk) {
      bytes = disk.value(CACHE, segment, key, epoch, index);
    }
    if (bytes == null) {
      throw new IllegalStateException("a value is neither in memory nor on disk");
    }
    return new Held(ByteBuffer.wrap(key), ByteBuffer.wrap(bytes), epoch, index, tombstone);
  }

  @Override
  public @Nullable Held find(int key) {
    @Nullable Held[] found = new Held[1];
    inspection.find(
        CACHE,
        bytesOf(key),
        (bytes, value, epoch, index, tombstone) ->
            found[0] = held(segmentOf(key), bytes, value, epoch, index, tombstone));
    return found[0];
  }

  @Override
  public List<Kept> kept(int key) {
    List<Kept> kept = new ArrayList<>();
    inspection.kept(
        CACHE,
        keys.of(key),
        (value, stamp, tombstone) ->
            kept.add(new Kept(ByteBuffer.wrap(Objects.requireNonNull(value)), stamp, tombstone)));
    return kept;
  }

  @Override
  public List<UUID> members() {
    return inspection.members();
  }

  @Override
  public ByteBuffer valueOf(int key, long value) {
    return ByteBuffer.wrap(inspection.valueBytes(Stamp.of(key, value, valueBytes)));
  }

  @Override
  public int segmentOf(int key) {
    return inspection.segment(CACHE, bytesOf(key));
  }

  private byte[] bytesOf(int key) {
    return keyBytes.computeIfAbsent(key, number -> inspection.keyBytes(keys.of(number)));
  }
}
