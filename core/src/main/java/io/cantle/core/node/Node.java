package io.cantle.core.node;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.MergeLosses;
import io.cantle.ScanFigures;
import io.cantle.WhenCut;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Signal;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Lifetime;
import io.cantle.core.memory.MemoryBudget;
import io.cantle.core.memory.MemoryUse;
import io.cantle.core.operation.BulkWriteClient;
import io.cantle.core.operation.BulkWriteHandler;
import io.cantle.core.operation.ConflictResolver;
import io.cantle.core.operation.EntryExpirer;
import io.cantle.core.operation.OperationClient;
import io.cantle.core.operation.ReadHandler;
import io.cantle.core.operation.ReplicaReconciler;
import io.cantle.core.operation.ReplicationHandler;
import io.cantle.core.operation.WriteHandler;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.publish.ClusterScanner;
import io.cantle.core.publish.ScanBuffers;
import io.cantle.core.publish.ScanMetrics;
import io.cantle.core.publish.ScanServer;
import io.cantle.core.rebalance.DroppedReplicaReporter;
import io.cantle.core.rebalance.EpochRecovery;
import io.cantle.core.rebalance.StateTransfer;
import io.cantle.core.replica.AckExchange;
import io.cantle.core.replica.CommitNotifier;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.segment.MemberCapacity;
import io.cantle.core.stream.CacheStreams;
import io.cantle.core.stream.PipelineRunner;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.CacheResolver;
import io.cantle.core.topology.ForeignGridListener;
import io.cantle.core.topology.JoinRefusal;
import io.cantle.core.topology.PartitionHandling;
import io.cantle.core.topology.SegmentOwnership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.LocalTransport;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One node with all its parts, wired in the constructor from the bottom up. The constructor starts
 * nothing; {@link #start} opens the transport and waits until the node is admitted, {@link #close}
 * leaves the grid and stops the parts in reverse order.
 *
 * <p>Messages arrive at {@link MessageDispatcher}, which passes each kind to the one part that
 * handles it, on the transport's threads and without waiting. A topology arrives at {@code adopt}.
 * First the replicas follow it ({@code replicas}), then primaries recover their epochs ({@code
 * epochRecovery}), then missing entries are fetched or merged ({@code stateTransfer}, {@code
 * reconciler}). A node reports a segment only after it holds it.
 *
 * <p>Each {@link CacheView} is an entry point for user calls. A local cache lives in a separate
 * node behind this one, which is alone in its grid.
 *
 * <p><b>Threading:</b> any thread; messages are handled on the transport's threads without waiting.
 */
public final class Node implements Grid {
  private static final System.Logger LOG = System.getLogger(Node.class.getName());
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final GridConfig config;
  private final ClassLoader loader;
  private final Environment environment;
  private final NodeStore store;
  private final Runnable onClosed;
  private final boolean hasNoNetwork;
  private final ClassAllowList allowList;
  private final Codec codec;
  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final ReplicaTable replicas;
  private final CommitNotifier commitNotifier;
  private final EntryExpirer expirer;
  private final EpochRecovery epochRecovery;
  private final StateTransfer stateTransfer;
  private final DroppedReplicaReporter droppedReplicaReporter;
  private final AckExchange ackExchange;
  private final ReadHandler readHandler;
  private final WriteHandler writeHandler;
  private final ConflictResolver conflictResolver;
  private final OperatorLog operatorLog;
  private final ReplicaReconciler reconciler;
  private final ReplicationHandler replicationHandler;
  private final BulkWriteHandler bulkWriteHandler;
  private final ScanServer scanServer;
  private final ScanMetrics scanMetrics = new ScanMetrics();
  private final MemoryBudget memory;
  private final ScanBuffers scanBuffers;
  private final AsyncCallExecutor asyncCalls;
  private final AdminClient adminClient;
  private final ReentrantLock closeLock = new ReentrantLock();

  /** The message for an exhausted memory, built in advance. */
  private final String withoutMemory;

  private Topology adoptedTopology = Topology.NONE;
  private @Nullable OperationClient client;
  private @Nullable BulkWriteClient bulkClient;

  /** The node behind local caches in memory only, and the one behind durable local caches. */
  private @Nullable Node localNode;

  private @Nullable Node durableLocalNode;
  private volatile boolean closed;
  private volatile boolean isShutDown;
  private volatile @Nullable String failure;
  private volatile boolean started;
  private volatile boolean isMisconfigured;
  private volatile boolean storeRefused;

  /** What was wrong when the time to join was over; closing the node clears that. */
  private String troubleAtJoin = "";

  /** Creates a node, not started, in an environment that outlives it. */
  public Node(GridConfig config, ClassLoader loader, Transport transport, Environment environment) {
    this(config, loader, transport, environment, () -> {});
  }

  /** Creates a node without a store, not started. */
  public Node(
      GridConfig config,
      ClassLoader loader,
      Transport transport,
      Environment environment,
      Runnable onClosed) {
    this(config, loader, transport, environment, NodeStore.NONE, onClosed);
  }

  /**
   * Creates a node, not started.
   *
   * @param loader looks up the classes of stored objects and lambdas
   * @param store the store of this node, which is closed with it
   * @param onClosed closes what was created for this node, once it is closed
   */
  public Node(
      GridConfig config,
      ClassLoader loader,
      Transport transport,
      Environment environment,
      NodeStore store,
      Runnable onClosed) {
    this.config = config;
    this.loader = loader;
    this.environment = environment;
    this.store = store;
    this.onClosed = onClosed;
    this.hasNoNetwork = transport instanceof LocalTransport;
    this.withoutMemory = withoutMemory(config, environment.heapBytes());
    List<String> packages = new ArrayList<>(config.allow());
    packages.add(CacheStreams.class.getPackageName());
    allowList = ClassAllowList.of(packages);
    codec = new Codec(allowList, loader, config.functions(), config.codecs(), config.nodeName());
    memory = new MemoryBudget(environment.heapBytes());
    DecodedObjectCache objectCache =
        new DecodedObjectCache(codec, memory.account(MemoryUse.DECODED_OBJECTS));
    messaging = new MessagingService(transport, environment, new MessageDispatcher());
    topologyDriver =
        new TopologyDriver(
            messaging,
            environment,
            new TopologyDriver.JoinSettings(
                config.initialMembers(),
                config.whenCut(),
                MemberCapacity.of(config.capacity(), config.rack()),
                config.timeout()),
            this::adopt,
            new ForeignGridHandler(),
            store);
    conflictResolver = new ConflictResolver(config.whenCut());
    operatorLog = new OperatorLog(config.name(), conflictResolver);
    replicas = new ReplicaTable(objectCache, messaging.stampClock(), environment.clock(), store);
    commitNotifier = new CommitNotifier(messaging, topologyDriver, environment, replicas);
    replicas.setDiskListener(commitNotifier::notifySoon);
    expirer = new EntryExpirer(messaging, topologyDriver, environment, replicas, commitNotifier);
    epochRecovery =
        new EpochRecovery(
            messaging, topologyDriver, environment, replicas, commitNotifier, expirer);
    stateTransfer =
        new StateTransfer(
            messaging,
            topologyDriver,
            environment,
            replicas,
            expirer,
            memory.account(MemoryUse.TRANSFERS));
    droppedReplicaReporter = new DroppedReplicaReporter(topologyDriver, environment.clock());
    ackExchange = new AckExchange(messaging, environment, replicas, commitNotifier);
    readHandler = new ReadHandler(messaging, topologyDriver, replicas, ackExchange, expirer);
    writeHandler =
        new WriteHandler(
            messaging,
            topologyDriver,
            environment,
            replicas,
            commitNotifier,
            ackExchange,
            expirer,
            codec,
            conflictResolver);
    replicationHandler = new ReplicationHandler(messaging, topologyDriver, replicas, ackExchange);
    bulkWriteHandler =
        new BulkWriteHandler(
            messaging,
            topologyDriver,
            environment,
            replicas,
            commitNotifier,
            ackExchange,
            writeHandler);
    PipelineRunner pipelineRunner =
        new PipelineRunner(codec, objectCache, this::openCacheForFunctions);
    scanBuffers = new ScanBuffers(memory.account(MemoryUse.SCAN_BUFFERS), environment);
    messaging.whenSwept(scanBuffers::sweep);
    scanServer =
        new ScanServer(
            messaging,
            topologyDriver,
            environment,
            replicas,
            ackExchange,
            expirer,
            pipelineRunner,
            scanMetrics,
            memory.account(MemoryUse.SCAN_ANSWERS));
    reconciler =
        new ReplicaReconciler(messaging, topologyDriver, environment, replicas.mergeBacklog());
    asyncCalls = new AsyncCallExecutor(environment.threads());
    adminClient = new AdminClient(topologyDriver, this::awaitReported, config.timeout());
    store.onFailure(this::onStoreFailure);
  }

  /**
   * Joins a grid; returns when this node is part of it.
   *
   * @throws IllegalStateException if the grid was founded with another {@link GridConfig#whenCut}
   * @throws StoreRefusedException if its store does not count any more
   * @throws GridException if it is not admitted within the timeout
   */
  public Node start() {
    return start(environment.clock().nanoTime());
  }

  /**
   * Joins a grid, within the timeout from a given moment on.
   *
   * @param began a reading of the clock
   */
  public Node start(long began) {
    messaging.start();
    OperationClient newClient =
        new OperationClient(
            messaging, topologyDriver, replicas, writeHandler, config.timeout().toNanos());
    client = newClient;
    bulkClient = new BulkWriteClient(newClient, topologyDriver, environment);
    reconciler.start(newClient);
    // The time in which the transport discovered other nodes counts.
    Duration timeout = config.timeout().minusNanos(environment.clock().nanoTime() - began);
    boolean joined =
        awaitCondition(
            timeout, () -> topologyDriver.current().members().contains(messaging.self()), () -> {});
    if (!joined) {
      String reason = failure;
      troubleAtJoin = topologyDriver.trouble();
      close();
      if (reason != null && storeRefused) {
        throw new StoreRefusedException(reason);
      }
      if (reason != null && isMisconfigured) {
        throw new IllegalStateException(reason);
      }
      throw new GridException(reason != null ? reason : describeJoinFailure());
    }
    started = true;
    LOG.log(
        System.Logger.Level.DEBUG,
        "{0} joined grid {1}",
        nodeName(),
        topologyDriver.current().gridId());
    return this;
  }

  private String describeJoinFailure() {
    String unheard = messaging.incompatiblePeer();
    String trouble = troubleAtJoin;
    return "node "
        + nodeName()
        + " did not join grid \""
        + config.name()
        + "\" within "
        + config.timeout().toMillis()
        + " ms; "
        + (unheard != null
            ? unheard + ": all nodes of a grid need the same release"
            : !trouble.isEmpty()
                ? trouble
                : "a new grid begins once "
                    + config.initialMembers()
                    + " nodes see each other (GridConfig.initialMembers)");
  }

  private String describeWhenCutMismatch(PartitionHandling gridMode) {
    return "grid \""
        + config.name()
        + "\" was founded with whenCut "
        + gridMode.text()
        + " and cannot be joined with "
        + PartitionHandling.of(config.whenCut()).text()
        + "; set GridConfig.whenCut to the value of the grid, or join a grid of another name";
  }

  /** Waits until topologies or messages make a condition true; repeats an action meanwhile. */
  private boolean awaitCondition(Duration timeout, Condition condition, Runnable action) {
    Clock clock = environment.clock();
    long deadline = clock.nanoTime() + timeout.toNanos();
    Signal never = new Signal();
    while (!condition.holds()) {
      long left = deadline - clock.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted() || failure != null) {
        return condition.holds();
      }
      action.run();
      if (!condition.holds()) {
        never.await(clock, Math.min(left, POLL_NANOS));
      }
    }
    return true;
  }

  interface Condition {
    boolean holds();
  }

  private boolean awaitReported(Condition condition, Runnable action) {
    return awaitCondition(config.timeout(), condition, throttle(action));
  }

  /** Runs an action at most once per {@link #REPEAT_NANOS}. */
  private Runnable throttle(Runnable action) {
    long[] lastRun = {environment.clock().nanoTime() - REPEAT_NANOS};
    return () -> {
      long now = environment.clock().nanoTime();
      if (now - lastRun[0] >= REPEAT_NANOS) {
        lastRun[0] = now;
        action.run();
      }
    };
  }

  @Override
  public String nodeName() {
    return messaging.self().name();
  }

  @Override
  public List<String> members() {
    return topologyDriver.current().members().stream().map(Member::name).toList();
  }

  @Override
  public boolean settled() {
    Topology topology = topologyDriver.current();
    return topology.isFounded()
        && topologyDriver.lease().isHeld()
        && !topologyDriver.hasPendingTopology()
        && replicas.mergeBacklog().isEmpty()
        && topology.leaving().isEmpty()
        && topology.everyoneVotes()
        && topology.caches().stream()
            .allMatch(cache -> cache.segments().stream().allMatch(SegmentOwnership::isSteady));
  }

  /** What this node holds and believes, for inspection. */
  public NodeInspector inspector() {
    return new NodeInspector(
        topologyDriver::current,
        replicas,
        codec,
        () -> topologyDriver.lease().isHeld(),
        scanMetrics,
        memory,
        messaging::pendingCount);
  }

  @Override
  public <K, V> Cache<K, V> cache(String name) {
    checkUsable();
    return openExisting(name, this::checkUsable);
  }

  /**
   * Opens the cache for a function that runs here for another node. That works while this node
   * leaves too: what it still owns is streamed here, and calls still go out.
   */
  private Cache<Object, Object> openCacheForFunctions(String name) {
    return openExisting(name, this::checkNotFailed);
  }

  private <K, V> Cache<K, V> openExisting(String name, Runnable usable) {
    CacheDefinition defaultDefinition = new CacheDefinition(name, CacheConfig.distributed());
    CacheResolver cacheResolver =
        CacheResolver.ofAnyConfiguration(topologyDriver, environment.clock(), defaultDefinition);
    Topology topology =
        cacheResolver.awaitCreated(environment.clock().nanoTime() + config.timeout().toNanos());
    return open(topology.caches().get(cacheResolver.indexIn(topology)).definition(), usable);
  }

  @Override
  public <K, V> Cache<K, V> cache(String name, CacheConfig cacheConfig) {
    checkUsable();
    CacheDefinition definition = new CacheDefinition(name, cacheConfig);
    if (cacheConfig.mode() == CacheMode.LOCAL && !hasNoNetwork) {
      return localNodeFor(definition).cache(name, cacheConfig);
    }
    return open(definition, this::checkUsable);
  }

  private <K, V> Cache<K, V> open(CacheDefinition definition, Runnable usable) {
    CacheResolver cacheResolver =
        new CacheResolver(topologyDriver, environment.clock(), definition);
    if (definition.isDurable()) {
      checkCanPersist(definition);
    }
    cacheResolver.awaitCreated(environment.clock().nanoTime() + config.timeout().toNanos());
    ClusterScanner scanner =
        new ClusterScanner(
            messaging,
            topologyDriver,
            environment,
            cacheResolver,
            config.timeout().toNanos(),
            scanMetrics,
            scanBuffers);
    return new CacheView<>(
        definition,
        newByteCache(cacheResolver, usable, definition.defaultLifetime()),
        scanner,
        definition.isDurable() ? codec.frozenOnly() : codec,
        asyncCalls,
        environment);
  }

  private void checkCanPersist(CacheDefinition definition) {
    if (config.whenCut() instanceof WhenCut.Available && !hasNoNetwork) {
      throw new IllegalStateException(
          "cache \""
              + definition.name()
              + "\" is to be kept on disk ("
              + definition.config().durability()
              + ") and the grid has WhenCut.available: nodes that restart without the others"
              + " would begin it empty, and so drop what the others have on disk; use WhenCut.stop"
              + " or oldestDecides, or Durability.NONE");
    }
    List<Member> members = topologyDriver.current().members();
    if (!members.isEmpty() && members.stream().noneMatch(Member::hasStore)) {
      throw new IllegalStateException(
          "cache \""
              + definition.name()
              + "\" is to be kept on disk ("
              + definition.config().durability()
              + ") and no node of the grid has a store: set GridConfig.store");
    }
  }

  private ByteCache newByteCache(CacheResolver cacheResolver, Runnable usable, Lifetime lifetime) {
    OperationClient newClient = client;
    BulkWriteClient newBulkClient = bulkClient;
    if (newClient == null || newBulkClient == null) {
      throw new IllegalStateException("the node has not started");
    }
    return new ByteCache(
        cacheResolver, newClient, newBulkClient, usable, environment.clock(), lifetime);
  }

  @Override
  public SortedSet<Integer> lostSegments(String name) {
    checkUsable();
    return adminClient.lostSegments(name);
  }

  @Override
  public boolean rebalancingSuspended() {
    checkUsable();
    return adminClient.rebalancingSuspended();
  }

  @Override
  public int acceptLoss(String name) {
    checkUsable();
    return adminClient.acceptLoss(name);
  }

  @Override
  public void recoverVoters(Collection<String> gone) {
    checkUsable();
    adminClient.recoverVoters(gone);
  }

  @Override
  public ScanFigures scanFigures() {
    return scanMetrics.figures();
  }

  @Override
  public MergeLosses mergeLosses() {
    return conflictResolver.losses();
  }

  @Override
  public void suspendRebalancing(boolean suspended) {
    checkUsable();
    adminClient.suspendRebalancing(suspended);
  }

  /**
   * The node behind local caches: of the same kind, alone in its grid. Local caches in memory only
   * have a node without a store, which has no earlier incarnation and no disk that may fail.
   */
  private Node localNodeFor(CacheDefinition definition) {
    closeLock.lock();
    try {
      boolean keeps = definition.isDurable();
      Node other = keeps ? localNode : durableLocalNode;
      if (other != null && other.hasCache(definition.name())) {
        // Its error says what is different.
        return other;
      }
      Node node = keeps ? durableLocalNode : localNode;
      if (node == null) {
        GridConfig localConfig = config.initialMembers(1);
        NodeDataDirectory dataDirectory =
            keeps ? NodeDataDirectory.openLocalIfConfigured(config, environment) : null;
        node = startLocal(localConfig, loader, environment, () -> {}, dataDirectory);
        if (keeps) {
          durableLocalNode = node;
        } else {
          localNode = node;
        }
      }
      return node;
    } finally {
      closeLock.unlock();
    }
  }

  private boolean hasCache(String name) {
    return topologyDriver.current().caches().stream()
        .anyMatch(cache -> cache.definition().name().equals(name));
  }

  /**
   * Starts a node without a network. It owns everything, whatever its capacity would be beside
   * others.
   */
  public static Node startLocal(
      GridConfig config, ClassLoader loader, Environment environment, Runnable afterwards) {
    return startLocal(
        config,
        loader,
        environment,
        afterwards,
        NodeDataDirectory.openLocalIfConfigured(config, environment));
  }

  private static Node startLocal(
      GridConfig config,
      ClassLoader loader,
      Environment environment,
      Runnable afterwards,
      @Nullable NodeDataDirectory dataDirectory) {
    UUID id = new UUID(environment.random().nextLong(), environment.random().nextLong());
    String name = config.nodeName().isEmpty() ? "alone" : config.nodeName();
    GridConfig localConfig = config.nodeName(name).capacity(1);
    Member self = new Member(id, dataDirectory == null ? id : dataDirectory.nodeId(), name);
    NodeStore store = dataDirectory == null ? NodeStore.NONE : dataDirectory.store();
    return new Node(localConfig, loader, new LocalTransport(self), environment, store, afterwards)
        .start();
  }

  private static String withoutMemory(GridConfig config, long heapBytes) {
    return "node "
        + config.nodeName()
        + " has left its grid because it ran out of memory, with a heap of "
        + (heapBytes >> 20)
        + " MiB: its sockets are closed, and others continue without it; give it a larger heap"
        + " (-Xmx), or the grid more nodes, and start it again";
  }

  private void checkNotFailed() {
    String reason = failure;
    if (reason != null) {
      throw new GridException(reason);
    }
  }

  void checkUsable() {
    checkNotFailed();
    if (closed) {
      throw new IllegalStateException("node " + nodeName() + " is closed");
    }
  }

  @Override
  public void close() {
    // An interrupt must not hurry the leave; it is restored afterwards.
    boolean interrupted = Thread.interrupted();
    try {
      if (tryBeginClose()) {
        interrupted |= leaveGrid();
        shutDown();
      } else {
        interrupted |= awaitUninterruptibly(() -> isShutDown, () -> {});
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean tryBeginClose() {
    closeLock.lock();
    try {
      boolean isFirst = !closed;
      closed = true;
      return isFirst;
    } finally {
      closeLock.unlock();
    }
  }

  private boolean leaveGrid() {
    boolean holdsNothing =
        !topologyDriver.current().isFounded() && replicas.mergeBacklog().isEmpty();
    if (holdsNothing || failure != null) {
      return false;
    }
    LeaveProgressLogger progressLogger =
        new LeaveProgressLogger(
            messaging.self(),
            config.leaveTimeout(),
            environment.clock(),
            topologyDriver::current,
            topologyDriver::isCutOff,
            () -> replicas.mergeBacklog().unmergedCount(),
            text -> LOG.log(System.Logger.Level.INFO, text));
    boolean interrupted =
        awaitUninterruptibly(
            topologyDriver::hasLeft, throttle(() -> reportLeaving(progressLogger)));
    if (!topologyDriver.hasLeft()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} left although others had not taken over everything within {1} ms (leaveTimeout){2}",
          nodeName(),
          config.leaveTimeout().toMillis(),
          progressLogger.describeSoleSegments());
    }
    return interrupted;
  }

  private void reportLeaving(LeaveProgressLogger progressLogger) {
    topologyDriver.reportLeaving();
    if (!topologyDriver.hasLeft()) {
      progressLogger.run();
    }
  }

  /** Waits for at most the leave timeout; returns whether the thread was interrupted meanwhile. */
  private boolean awaitUninterruptibly(Condition condition, Runnable action) {
    long deadline = environment.clock().nanoTime() + config.leaveTimeout().toNanos();
    boolean interrupted = false;
    while (true) {
      Duration left = Duration.ofNanos(deadline - environment.clock().nanoTime());
      awaitCondition(left, condition, action);
      if (!Thread.interrupted()) {
        return interrupted;
      }
      interrupted = true;
    }
  }

  private void shutDown() {
    scanServer.close();
    stateTransfer.close();
    droppedReplicaReporter.close();
    reconciler.close();
    expirer.close();
    commitNotifier.close();
    topologyDriver.close();
    messaging.close();
    for (Node local : Arrays.asList(localNode, durableLocalNode)) {
      if (local != null) {
        local.close();
      }
    }
    store.close();
    onClosed.run();
    isShutDown = true;
  }

  // ------------------------------------------------------------------ topologies and messages

  /** Called with the topology driver's lock held: topologies are adopted one after the other. */
  private void adopt(Topology topology) {
    if (!topology.isFounded()) {
      epochRecovery.reset();
      replicas.leaveGrid(adoptedTopology);
      stateTransfer.reset();
      adoptedTopology = topology;
      reconciler.scheduleMerges();
      return;
    }
    if (!adoptedTopology.members().equals(topology.members())) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "{0}: members are {1}, with {2}",
          nodeName(),
          topology.members(),
          topology.membership().capacities());
    }
    operatorLog.onAdopted(adoptedTopology, topology);
    List<ReplicaTable.ReplicaChange> changed =
        replicas.adopt(topology, adoptedTopology, messaging.self());
    adoptedTopology = topology;
    epochRecovery.onEpochsEntered(topology, changed);
    stateTransfer.onEpochsEntered(changed);
    droppedReplicaReporter.onEpochsEntered(changed);
    reconciler.scheduleMerges();
    if (topology.members().size() > 1) {
      commitNotifier.startQuerying();
    }
  }

  /** Handles grids that this node cannot be part of. */
  private final class ForeignGridHandler implements ForeignGridListener {
    @Override
    public void onForeignGrid() {
      fail(
          "node "
              + nodeName()
              + " met another grid named \""
              + config.name()
              + "\" that has data too; it serves no more requests: restart it to join the other"
              + " grid");
    }

    @Override
    public void onIncompatibleGrid(JoinRefusal refusal) {
      if (failure != null) {
        return;
      }
      if (!started && messaging.self().hasStore()) {
        storeRefused = true;
        failure = refusal.text();
        messaging.wakeAll();
      } else {
        fail(
            "node "
                + nodeName()
                + " serves no more requests: "
                + refusal.text()
                + "; start it again");
      }
    }

    @Override
    public void onIncompatibleGrid(PartitionHandling gridMode) {
      String reason = describeWhenCutMismatch(gridMode);
      if (failure != null) {
        return;
      }
      if (started) {
        // It founded a grid of its own and gave it up for this one.
        fail("node " + nodeName() + " serves no more requests: " + reason);
      } else {
        isMisconfigured = true;
        failure = reason;
        messaging.wakeAll();
      }
    }
  }

  /** Leaves, since nothing it holds is reliable any more; others hold it and continue. */
  private void onStoreFailure(Throwable reason) {
    fail(
        "node "
            + nodeName()
            + " has left its grid because its store"
            + (config.store() == null ? "" : " in " + config.store())
            + " failed: "
            + reason.getMessage()
            + "; check the disk, and start the node again");
    topologyDriver.abandon();
    messaging.wakeAll();
    if (tryBeginClose()) {
      environment.threads().execute(this::shutDown);
    }
  }

  /**
   * Closes this node because there was no memory for its work. What is half done is not known, and
   * threads that deliver messages may be dead. The sockets are closed first, so that the other
   * nodes continue without this one at once. The process continues, since it does not belong to
   * this node.
   *
   * <p>This method may run out of memory itself, and is called again until it returns.
   */
  public void closeWithoutMemory() {
    failure = withoutMemory;
    closed = true;
    messaging.abort();
    topologyDriver.abandon();
    messaging.wakeAll();
    LOG.log(System.Logger.Level.ERROR, withoutMemory);
    shutDown();
  }

  private void fail(String reason) {
    failure = reason;
    LOG.log(System.Logger.Level.ERROR, reason);
    messaging.wakeAll();
  }

  /** Passes each kind of message to the part that handles it. */
  private final class MessageDispatcher implements MessagingService.Handler {
    @Override
    public void onMembersChanged(List<Member> members) {
      topologyDriver.onViewChange(members);
    }

    @Override
    public void outOfMemory(OutOfMemoryError error) {
      environment.outOfMemory().accept(error);
    }

    @Override
    public void handle(MessageKind kind, Member from, long request, Input body) {
      switch (kind) {
        case RESPONSE ->
            throw new IllegalStateException("a response must not be handled as a request");
        case HELLO,
            JOIN,
            TOPOLOGY,
            PREPARE,
            PROMISED,
            ACCEPT,
            ACCEPTED,
            REJECTED,
            DECIDED,
            RENEW_LEASE,
            LEASE_RENEWED,
            REPORT,
            CUT_OFF,
            REFUSED,
            HISTORY ->
            topologyDriver.onMessage(kind, from, body);
        case ENTER_EPOCH -> epochRecovery.onEnter(from, body);
        case EPOCH_ENTERED -> epochRecovery.onEntered(from, body);
        case CATCH_UP -> epochRecovery.onOpen(from, body);
        case CAUGHT_UP -> epochRecovery.onOpened(from, body);
        case TRANSFER -> stateTransfer.onPull(from, request, body);
        case READ -> readHandler.onRead(from, request, body);
        case WRITE -> writeHandler.onWrite(from, request, body);
        case BULK_WRITE -> bulkWriteHandler.onBulkWrite(from, request, body);
        case REPLICATE -> replicationHandler.onReplicate(from, body);
        case ACK -> {
          topologyDriver.recordAnswer(from);
          ackExchange.onAck(from, body);
        }
        case ACK_REQUEST -> ackExchange.onAckRequest(from, body);
        case COMMITTED -> commitNotifier.onCommitNotice(body);
        case COMMITTED_REQUEST -> commitNotifier.onCommitQuery(from, body);
        case MERGED_REQUEST -> reconciler.onMergedRequest(from, request, body);
        case PULL, REDUCE, COUNT, CANCEL -> scanServer.onRequest(kind, from, request, body);
      }
    }
  }
}
