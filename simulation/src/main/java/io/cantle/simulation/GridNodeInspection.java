package io.cantle.simulation;

import io.cantle.CacheConfig;
import io.cantle.WhenFull;
import io.cantle.core.base.Version;
import io.cantle.core.memory.MemoryUse;
import io.cantle.core.node.NodeInspector;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.Topology;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.simulation.probe.NodeProbe;
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
  /** Twice the growth after which a fruitless sweep is repeated. */
  private static final int STORE_MEMORY_SPARE_DIVISOR = 32;

  /** The name of the cache that is inspected. */
  static final String CACHE = "simulated";

  private final NodeProbe probe;
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
  GridNodeInspection(NodeInspector inspector, NodeStore store, KeyNumbering keys, int valueBytes) {
    this.probe = new NodeProbe(inspector);
    this.store = store;
    this.keys = keys;
    this.valueBytes = valueBytes;
    inspector.addReplicaListener(feedChecker::attach);
  }

  @Override
  public long answerBytes() {
    return probe.inspector().memory(MemoryUse.SCAN_ANSWERS).reservedBytes()
        + probe.inspector().memory(MemoryUse.TRANSFERS).reservedBytes();
  }

  @Override
  public List<String> feedViolations() {
    return feedChecker.check();
  }

  @Override
  public List<String> feedDifferences() {
    return feedChecker.differences();
  }

  /**
   * Returns the index of the cache. A grid that was founded anew may have created another one
   * first.
   */
  private int cacheIndex() {
    return Math.max(0, probe.topology().cacheIndex(CACHE));
  }

  @Override
  public List<String> destroyedRemains() {
    CacheCatalog caches = probe.topology().caches();
    List<String> remains = new ArrayList<>();
    for (int cache = 0; cache < caches.nextIndex(); cache++) {
      if (caches.isDestroyed(cache)) {
        if (probe.inspector().findReplica(cache, 0) != null) {
          remains.add("destroyed cache " + cache + " in memory");
        }
        if (store instanceof SimulatedNodeStore.MountedStore disk && disk.hasCache(cache)) {
          remains.add("destroyed cache " + cache + " on disk");
        }
      }
    }
    return remains;
  }

  @Override
  public List<String> unsteadySegments() {
    return probe.unsteadySegments(cacheIndex());
  }

  @Override
  public List<String> boundExcess() {
    Topology.CacheOwnership cache = probe.topology().caches().find(cacheIndex());
    CacheConfig config = cache == null ? null : cache.definition().config();
    List<String> excess = new ArrayList<>();
    addStoreMemoryExcess(excess);
    if (config == null || !config.isBounded() || config.whenFull() != WhenFull.EVICT) {
      return excess;
    }
    NodeProbe.HeldFigures held = probe.heldFigures(cacheIndex());
    if (held.entries() > config.maxEntries()) {
      excess.add(held.entries() + " entries, and may hold " + config.maxEntries());
    }
    long maxBytes = Math.min(config.maxBytes(), config.memoryBudget().maxBytes());
    if (held.bytes() > maxBytes) {
      excess.add(held.bytes() + " bytes, and may hold " + maxBytes);
    }
    // Where sides merge, tombstones stay.
    if (held.tombstones() > 0 && !probe.topology().gridDefinition().prefersAvailability()) {
      excess.add(held.tombstones() + " tombstones, and nothing is under way");
    }
    return excess;
  }

  private void addStoreMemoryExcess(List<String> excess) {
    ReplicaTable.StoreMemory memory = probe.inspector().storeMemory();
    // After a sweep that found no more to evict, there may be some growth before the next one.
    long spare = memory.usedBytes() / STORE_MEMORY_SPARE_DIVISOR;
    if (memory.usedBytes() > memory.maxBytes() && memory.evictableBytes() > spare) {
      excess.add("values in memory that could be on disk only: " + memory);
    }
  }

  @Override
  public long topologyNumber() {
    return probe.topology().number();
  }

  @Override
  public UUID gridId() {
    return probe.topology().gridId();
  }

  @Override
  public long topologyHash() {
    return probe.topologyHash();
  }

  @Override
  public List<UUID> voters() {
    return probe.voters();
  }

  @Override
  public boolean hasLease() {
    return probe.hasLease();
  }

  @Override
  public int segmentCount() {
    return probe.segmentCount(cacheIndex());
  }

  @Override
  public int leads(int segment) {
    return probe.primaryEpoch(cacheIndex(), segment);
  }

  @Override
  public ReplicaPart partOf(int segment) {
    return switch (probe.roleOf(cacheIndex(), segment)) {
      case NONE -> ReplicaPart.NONE;
      case HOLDER -> ReplicaPart.HOLDER;
      case JOINER -> ReplicaPart.JOINER;
      case OWNER -> ReplicaPart.OWNER;
    };
  }

  @Override
  public int sinceEpoch(int segment) {
    return probe.sinceEpoch(cacheIndex(), segment);
  }

  @Override
  public List<UUID> owners(int segment) {
    return probe.owners(cacheIndex(), segment);
  }

  @Override
  public List<UUID> settledHolders(int segment) {
    return probe.settledHolders(cacheIndex(), segment);
  }

  @Override
  public List<HeldEntry> heldEntries(int segment) {
    List<HeldEntry> held = new ArrayList<>();
    probe.visitEntries(
        cacheIndex(),
        segment,
        (key, value, epoch, index, tombstone) ->
            held.add(heldEntry(segment, key, value, epoch, index, tombstone)));
    return held;
  }

  private HeldEntry heldEntry(
      int segment, byte[] key, byte @Nullable [] value, int epoch, long index, boolean tombstone) {
    byte[] bytes = value;
    if (bytes == null && store instanceof SimulatedNodeStore.MountedStore disk) {
      bytes = disk.value(cacheIndex(), segment, key, new Version(epoch, index));
    }
    if (bytes == null) {
      throw new IllegalStateException("a value is neither in memory nor on disk");
    }
    return new HeldEntry(ByteBuffer.wrap(key), ByteBuffer.wrap(bytes), epoch, index, tombstone);
  }

  @Override
  public @Nullable HeldEntry find(int key) {
    @Nullable HeldEntry[] found = new HeldEntry[1];
    probe.visitKey(
        cacheIndex(),
        bytesOf(key),
        (bytes, value, epoch, index, tombstone) ->
            found[0] = heldEntry(segmentOf(key), bytes, value, epoch, index, tombstone));
    return found[0];
  }

  @Override
  public List<KeptValue> keptValues(int key) {
    List<KeptValue> kept = new ArrayList<>();
    probe.visitCopies(
        CACHE,
        keys.toKey(key),
        (value, stamp, tombstone) ->
            kept.add(
                new KeptValue(ByteBuffer.wrap(Objects.requireNonNull(value)), stamp, tombstone)));
    return kept;
  }

  @Override
  public List<UUID> members() {
    return probe.members();
  }

  @Override
  public ByteBuffer valueOf(int key, long value) {
    return ByteBuffer.wrap(probe.inspector().valueBytes(StampedValue.of(key, value, valueBytes)));
  }

  @Override
  public int segmentOf(int key) {
    return probe.segment(cacheIndex(), bytesOf(key));
  }

  private byte[] bytesOf(int key) {
    return keyBytes.computeIfAbsent(key, number -> probe.keyBytes(keys.toKey(number)));
  }
}
