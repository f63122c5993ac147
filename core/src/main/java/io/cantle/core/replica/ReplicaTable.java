package io.cantle.core.replica;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.ContainerKind;
import io.cantle.core.base.Clock;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.container.Container;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.ValueHints;
import io.cantle.core.memory.HeapGuard;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.SegmentShare;
import io.cantle.core.ownership.ShareTable;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * This node's replicas of all segments of all caches.
 *
 * <p><b>Threading:</b> any thread reads; {@link #adopt} is called by one thread at a time.
 */
public final class ReplicaTable {
  private final DecodedObjectCache objectCache;
  private final HybridLogicalClock stampClock;
  private final Clock clock;
  private final NodeStore store;
  private final Function<ContainerKind, Container> containers;
  private final HeapRoom heapRoom;
  private final LosingReplicaCollector losingReplicas = new LosingReplicaCollector();
  private final ValueEvictor valueEvictor;
  private LiveSessions liveSessions = LiveSessions.NONE;
  private final List<Consumer<Replica>> creationListeners = new CopyOnWriteArrayList<>();
  private volatile Runnable diskListener = () -> {};
  private volatile Replica[][] byCache = new Replica[0][];

  /** Creates an empty table on a heap without a limit. */
  public ReplicaTable(
      DecodedObjectCache objectCache,
      HybridLogicalClock stampClock,
      Clock clock,
      NodeStore store,
      Function<ContainerKind, Container> containers) {
    this(
        objectCache,
        stampClock,
        clock,
        store,
        containers,
        new HeapRoom(HeapGuard.UNLIMITED, clock));
  }

  /**
   * Creates an empty table.
   *
   * @param store keeps replicas of durable caches
   * @param containers makes the empty container of a replica, of the kind that its cache has
   */
  public ReplicaTable(
      DecodedObjectCache objectCache,
      HybridLogicalClock stampClock,
      Clock clock,
      NodeStore store,
      Function<ContainerKind, Container> containers,
      HeapRoom heapRoom) {
    this.heapRoom = heapRoom;
    this.objectCache = objectCache;
    this.stampClock = stampClock;
    this.clock = clock;
    this.store = store;
    this.containers = containers;
    this.valueEvictor = new ValueEvictor(store.maxMemoryBytes(), clock, this::valuesOnDisk);
  }

  /**
   * Sets a task to run when the commit index of a replica advances because something is on disk.
   */
  public void setDiskListener(Runnable task) {
    diskListener = task;
  }

  /** Sets a task to run with every replica that is created from now on. */
  public void addCreationListener(Consumer<Replica> task) {
    creationListeners.add(task);
  }

  /** What replicas held that ended on a side of a partition. */
  public LosingReplicaCollector losingReplicas() {
    return losingReplicas;
  }

  private static final Replica[] NO_REPLICAS = new Replica[0];

  /** A replica whose ownership has changed. */
  public record ReplicaChange(Replica replica, SegmentOwnership ownership) {}

  /**
   * Makes every replica enter the epoch that a topology gives its segment. Returns those for which
   * the epoch is new.
   */
  public List<ReplicaChange> adopt(Topology topology, Topology before, Member self) {
    boolean sameSessions =
        topology.membership().admissionNumbers().equals(before.membership().admissionNumbers())
            && topology.members().equals(before.members());
    if (!sameSessions) {
      Set<SessionId> sessions =
          topology.members().stream()
              .map(
                  member ->
                      new SessionId(member.id(), topology.membership().admissionNumber(member)))
              .collect(Collectors.toSet());
      liveSessions = new LiveSessions(sessions::contains, topology.number());
    }
    boolean isMember = topology.members().contains(self);
    dropDestroyed(topology, before);
    addCaches(topology);
    List<ReplicaChange> changed = new ArrayList<>();
    ShareTable shareTable = new ShareTable(topology.caches());
    for (CacheOwnership cache : topology.caches()) {
      List<SegmentOwnership> segments = cache.segments();
      List<SegmentShare> shares = shareTable.sharesOf(cache);
      for (int segment = 0; segment < segments.size(); segment++) {
        Replica replica = byCache[cache.index()][segment];
        replica.eviction().setShare(shares.get(segment));
        if (replica.enterEpoch(segments.get(segment), self, topology.gridDefinition(), isMember)) {
          replica.performEffects();
          changed.add(new ReplicaChange(replica, segments.get(segment)));
          losingReplicas.collect(before, replica);
        } else if (cache.definition().isScattered()) {
          replica.copies().onTopology(segments.get(segment));
        }
        if (!sameSessions) {
          replica.retainSessions(liveSessions);
        }
      }
    }
    return changed;
  }

  /**
   * Forgets everything, because this node becomes part of another grid.
   *
   * @param last the topology of the grid it leaves; what was written there is kept for the other
   *     grid if the left one preferred availability
   */
  public void leaveGrid(Topology last) {
    List<Replica> left = all();
    byCache = new Replica[0][];
    for (Replica replica : left) {
      replica.retire();
      replica.performEffects();
      losingReplicas.collect(last, replica);
    }
    liveSessions = LiveSessions.NONE;
  }

  /**
   * Drops all that this node holds of caches that were destroyed, in memory and on disk: also the
   * copies that an earlier incarnation left, which may have stopped while it dropped them.
   */
  private void dropDestroyed(Topology topology, Topology before) {
    CacheCatalog caches = topology.caches();
    if (before.isFounded() && !topology.mayHaveDestroyedSince(before)) {
      return;
    }
    boolean isFirst = !before.isFounded();
    Replica[][] remaining = byCache.clone();
    List<Replica> dropped = new ArrayList<>();
    for (int cache = 0; cache < remaining.length; cache++) {
      if (remaining[cache].length > 0 && caches.isDestroyed(cache)) {
        dropped.addAll(List.of(remaining[cache]));
        remaining[cache] = NO_REPLICAS;
      }
    }
    if (!dropped.isEmpty()) {
      byCache = remaining;
      dropped.forEach(Replica::destroy);
    }
    if (isFirst || !dropped.isEmpty()) {
      store.dropReplicas(caches::isDestroyed);
    }
    dropped.forEach(Replica::performEffects);
  }

  private void addCaches(Topology topology) {
    CacheCatalog caches = topology.caches();
    int known = byCache.length;
    if (caches.nextIndex() > known) {
      Replica[][] extended = Arrays.copyOf(byCache, caches.nextIndex());
      Arrays.fill(extended, known, extended.length, NO_REPLICAS);
      for (CacheOwnership cache : caches) {
        if (cache.index() >= known) {
          extended[cache.index()] = createReplicas(topology, cache);
        }
      }
      byCache = extended;
    }
  }

  private Replica[] createReplicas(Topology topology, CacheOwnership cache) {
    CacheIdentity identity = CacheIdentity.of(topology, cache);
    CacheConfig config = cache.definition().config();
    Replica[] created = new Replica[cache.segments().size()];
    ValueHints hints = objectCache.newHints(config.container() == ContainerKind.OBJECTS);
    for (int segment = 0; segment < created.length; segment++) {
      created[segment] = createReplica(identity, segment, config, hints);
    }
    return created;
  }

  /** Creates a replica. If it is also kept on disk, it starts from what is there. */
  private Replica createReplica(
      CacheIdentity cache, int segment, CacheConfig config, ValueHints hints) {
    ReplicaDurability replicaDurability = null;
    LoadedReplica loaded = null;
    if (store.keepsEntries() && config.durability().keeps()) {
      replicaDurability =
          new ReplicaDurability(store.replicaStore(cache.index(), segment), config.durability());
      loaded = store.takeLoadedReplica(cache.index(), segment);
    }
    Container entries = containers.apply(config.container());
    if (loaded != null) {
      // They were loaded before their caches were known.
      entries = loaded.moveTo(entries);
    }
    ReplicaData data =
        new ReplicaData(
            entries,
            objectCache,
            hints,
            stampClock,
            clock,
            liveSessions,
            replicaDurability,
            accountOf(entries, config, replicaDurability != null),
            heapRoom,
            loaded);
    Replica replica = new Replica(cache, segment, data, clock, () -> diskListener.run());
    if (config.mode() == CacheMode.SCATTERED) {
      data.setCopies(replica.copies());
    }
    if (loaded != null) {
      replica.restore(loaded);
    }
    creationListeners.forEach(listener -> listener.accept(replica));
    return replica;
  }

  private @Nullable EntryAccount accountOf(
      Container entries, CacheConfig config, boolean isDurable) {
    if (isDurable) {
      return EntryAccount.ofValues(entries, valueEvictor);
    }
    return config.isBounded() ? EntryAccount.ofEntries(entries, config.whenFull()) : null;
  }

  /** Gives back the memory of all replicas, because this node has closed: nothing writes. */
  public void close() {
    for (Replica replica : all()) {
      replica.close();
    }
  }

  /** The replica of a segment, or null while this node knows no such segment. */
  public @Nullable Replica find(int cache, int segment) {
    Replica[][] all = byCache;
    return cache < all.length && segment < all[cache].length ? all[cache][segment] : null;
  }

  /** The replicas of a cache by segment, which must not be modified; none if it is not known. */
  public Replica[] ofCache(int cache) {
    Replica[][] all = byCache;
    return cache < all.length ? all[cache] : NO_REPLICAS;
  }

  /**
   * What durable caches take of the memory of this node.
   *
   * @param usedBytes what their entries and queues take
   * @param maxBytes above this, values leave memory
   * @param evictableBytes what would be free if all values had left
   */
  public record StoreMemory(long usedBytes, long maxBytes, long evictableBytes) {}

  /** What durable caches take of the memory of this node. */
  public StoreMemory storeMemory() {
    return new StoreMemory(
        valueEvictor.usedBytes(),
        store.maxMemoryBytes(),
        valuesOnDisk().stream().mapToLong(ValueResidency::evictableBytes).sum());
  }

  private List<ValueResidency> valuesOnDisk() {
    return Arrays.stream(byCache)
        .flatMap(Arrays::stream)
        .filter(replica -> replica.barrier().isDurable())
        .map(Replica::valueResidency)
        .toList();
  }

  /** All replicas. */
  public List<Replica> all() {
    return Arrays.stream(byCache).flatMap(Arrays::stream).toList();
  }
}
