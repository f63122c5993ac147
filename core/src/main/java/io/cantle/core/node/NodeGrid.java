package io.cantle.core.node;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.Grid;
import io.cantle.HeapFigures;
import io.cantle.ListenerRegistration;
import io.cantle.MembershipEvent;
import io.cantle.MergeLosses;
import io.cantle.NotAvailableException;
import io.cantle.ScanDefaults;
import io.cantle.ScanFigures;
import io.cantle.WhenCut;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.codec.Codec;
import io.cantle.core.memory.HeapGuard;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.publish.ClusterScanner;
import io.cantle.core.publish.SubscriptionExecutor;
import io.cantle.core.transport.Member;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The grid as users of a node see it. Each {@link CacheView} is an entry point for user calls. A
 * local cache lives in a separate grid behind this one.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class NodeGrid implements Grid {
  private final Node node;
  private final ClosedNodeGuard usableGuard;
  private final NodeInspector inspector;
  private final AsyncCallExecutor asyncCalls;
  private final SubscriptionExecutor subscriptions;

  NodeGrid(Node node) {
    this.node = node;
    this.usableGuard = new ClosedNodeGuard(nodeName(), node.state::checkUsable);
    this.inspector = new NodeInspector(node);
    this.asyncCalls = new AsyncCallExecutor(node.environment.threads(), node.errorMessages);
    this.subscriptions =
        new SubscriptionExecutor(node.environment.threads(), node.errorMessages.closed());
  }

  /** The node that this is the grid of. */
  Node node() {
    return node;
  }

  @Override
  public String nodeName() {
    return node.messaging.self().name();
  }

  @Override
  public List<String> members() {
    // A node that has failed still says what it knew.
    if (node.state.isClosed()) {
      usableGuard.check();
    }
    return node.topologyDriver.current().members().stream().map(Member::name).toList();
  }

  @Override
  public boolean settled() {
    Topology topology = node.topologyDriver.current();
    return topology.isFounded()
        && node.topologyDriver.lease().isHeld()
        && !node.topologyDriver.hasPendingTopology()
        && node.replicas.losingReplicas().backlog().isEmpty()
        && topology.leaving().isEmpty()
        && topology.everyoneVotes()
        && topology.caches().destroyed().isEmpty()
        && topology.caches().stream()
            .allMatch(cache -> cache.segments().stream().allMatch(SegmentOwnership::isSteady));
  }

  /** What this node holds and believes, for inspection. */
  public NodeInspector inspector() {
    return inspector;
  }

  @Override
  public <K, V> Cache<K, V> cache(String name) {
    usableGuard.check();
    NodeGrid local = localGridWith(name);
    return local == null ? open(name, usableGuard) : local.cache(name);
  }

  @Override
  public <K, V> Cache<K, V> cache(String name, CacheConfig cacheConfig) {
    usableGuard.check();
    CacheDefinition definition = CacheDefinition.named(name, cacheConfig);
    return cacheConfig.mode() == CacheMode.LOCAL && !node.isAlone
        ? node.localGrids.gridFor(definition).cache(name, cacheConfig)
        : open(definition, cacheConfig.scanDefaults(), usableGuard);
  }

  /** The grid of local caches that has one of this name; null if the name is the grid's. */
  private @Nullable NodeGrid localGridWith(String name) {
    return node.isAlone || hasCache(name) ? null : node.localGrids.gridWith(name);
  }

  /**
   * Opens the cache for a function that runs here for another node, on entries of it. That works
   * while this node leaves too: what it still owns is streamed here, and calls still go out.
   *
   * @param cache the cache itself, whatever cache has its name or its place by now
   * @throws CacheDestroyedException if there is no such cache any more; it is not created again
   */
  Cache<Object, Object> openForFunctions(CacheIdentity cache) {
    ClosedNodeGuard guard = new ClosedNodeGuard(nodeName(), node.state::checkNotFailed);
    guard.check();
    Topology topology = node.topologyDriver.current();
    CacheResolver resolver =
        CacheResolver.ofFound(node.topologyDriver, node.environment.clock(), topology, cache);
    CacheDefinition definition = topology.caches().get(cache.index()).definition();
    return viewOf(resolver, cache.index(), definition, ScanDefaults.STANDARD, guard);
  }

  /** Opens a cache as the grid has it, or with the default configuration if it is new. */
  private <K, V> Cache<K, V> open(String name, ClosedNodeGuard guard) {
    guard.check();
    CacheResolver resolver =
        CacheResolver.ofAnyConfiguration(
            node.topologyDriver,
            node.environment.clock(),
            CacheDefinition.named(name, CacheConfig.distributed()));
    Topology topology = awaitCreated(resolver, guard);
    CacheDefinition found = topology.caches().get(resolver.indexIn(topology)).definition();
    return open(resolver.requiring(found), found, ScanDefaults.STANDARD, guard);
  }

  private Topology awaitCreated(CacheResolver resolver, ClosedNodeGuard guard) {
    try {
      return resolver.awaitCreated(node.client.deadlineFromNow());
    } catch (NotAvailableException e) {
      throw guard.explain(e);
    }
  }

  private <K, V> Cache<K, V> open(
      CacheDefinition definition, ScanDefaults scanDefaults, ClosedNodeGuard guard) {
    CacheResolver resolver =
        new CacheResolver(node.topologyDriver, node.environment.clock(), definition);
    return open(resolver, definition, scanDefaults, guard);
  }

  private <K, V> Cache<K, V> open(
      CacheResolver resolver,
      CacheDefinition definition,
      ScanDefaults scanDefaults,
      ClosedNodeGuard guard) {
    if (definition.isDurable()) {
      checkCanPersist(definition);
    }
    if (definition.isScattered()) {
      checkCanScatter(definition);
    }
    int index = resolver.indexIn(awaitCreated(resolver, guard));
    return viewOf(resolver, index, definition, scanDefaults, guard);
  }

  <K, V> Cache<K, V> viewOf(
      CacheResolver resolver,
      int index,
      CacheDefinition definition,
      ScanDefaults scanDefaults,
      ClosedNodeGuard guard) {
    CacheMetrics metrics = node.cacheMetrics.open(definition, index, resolver::requireNotDestroyed);
    ByteCache byteCache =
        new ByteCache(
            resolver,
            node.client,
            node.bulkReadClient,
            node.bulkClient,
            guard,
            node.environment.clock(),
            metrics,
            definition.defaultLifetime());
    Codec codec = definition.isDurable() ? node.codec.frozenOnly() : node.codec;
    return new CacheView<>(
        definition,
        scanDefaults,
        byteCache,
        new ClusterScanner(
            node.messaging,
            node.topologyDriver,
            subscriptions,
            resolver,
            guard,
            node.config.limits().timeout().toNanos(),
            node.scanMetrics,
            node.scanBufferPool,
            node.localScans),
        codec,
        asyncCalls,
        subscriptions,
        new ComputeMethods<>(
            byteCache,
            codec,
            node.objectCache,
            asyncCalls,
            new CallerRunAdvice(definition.name(), nodeName(), node.isAlone),
            nodeName()));
  }

  private void checkCanScatter(CacheDefinition definition) {
    if (node.config.membership().whenCut() instanceof WhenCut.Available) {
      throw new IllegalStateException(NodeErrorMessages.scatteredInAvailableGrid(definition));
    }
  }

  private void checkCanPersist(CacheDefinition definition) {
    if (node.config.membership().whenCut() instanceof WhenCut.Available && !node.isAlone) {
      throw new IllegalStateException(NodeErrorMessages.durableInAvailableGrid(definition));
    }
    List<Member> members = node.topologyDriver.current().members();
    if (!members.isEmpty() && members.stream().noneMatch(Member::hasStore)) {
      throw new IllegalStateException(NodeErrorMessages.durableWithoutStore(definition));
    }
  }

  boolean hasCache(String name) {
    return node.topologyDriver.current().cacheIndex(name) >= 0;
  }

  @Override
  public SortedSet<String> cacheNames() {
    SortedSet<String> names = node.adminClient.cacheNames();
    if (!node.isAlone) {
      names.addAll(node.localGrids.cacheNames());
    }
    return Collections.unmodifiableSortedSet(names);
  }

  @Override
  public void destroy(String name) {
    usableGuard.requireArgument(name, "cache");
    NodeGrid local = localGridWith(name);
    if (local == null) {
      node.adminClient.destroy(name);
    } else {
      local.destroy(name);
    }
  }

  @Override
  public SortedSet<Integer> lostSegments(String name) {
    return node.adminClient.lostSegments(usableGuard.requireArgument(name, "cache"));
  }

  @Override
  public boolean rebalancingSuspended() {
    return node.adminClient.rebalancingSuspended();
  }

  @Override
  public int acceptLoss(String name) {
    return node.adminClient.acceptLoss(usableGuard.requireArgument(name, "cache"));
  }

  @Override
  public void recoverVoters(Collection<String> gone) {
    node.adminClient.recoverVoters(usableGuard.requireArgument(gone, "gone"));
  }

  @Override
  public void suspendRebalancing(boolean suspended) {
    node.adminClient.suspendRebalancing(suspended);
  }

  @Override
  public ScanFigures scanFigures() {
    return node.scanMetrics.figures();
  }

  @Override
  public HeapFigures heapFigures() {
    HeapGuard guard = node.environment.heapGuard();
    guard.poll();
    return new HeapFigures(
        guard.usedBytes(),
        guard.entryBytes(),
        guard.limitBytes(),
        guard.isFull(),
        guard.refusalCount(),
        node.heapRoom.fullMembers());
  }

  @Override
  public ListenerRegistration onMembership(Consumer<? super MembershipEvent> listener) {
    node.state.checkUsable();
    return node.membershipListeners.add(usableGuard.requireArgument(listener, "listener"));
  }

  @Override
  public MergeLosses mergeLosses() {
    return node.conflictResolver.losses();
  }

  @Override
  public void close() {
    node.closer.close();
  }

  @Override
  public String toString() {
    return "node %s of grid \"%s\"".formatted(nodeName(), node.config.name());
  }
}
