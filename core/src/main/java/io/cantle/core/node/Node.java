package io.cantle.core.node;

import io.cantle.ContainerKind;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.MembershipEvent;
import io.cantle.core.base.Environment;
import io.cantle.core.codec.ApplicationClasses;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Container;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.OffHeapContainer;
import io.cantle.core.discovery.JoinSettings;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.memory.MemoryUse;
import io.cantle.core.memory.WorkMemory;
import io.cantle.core.operation.BulkReadClient;
import io.cantle.core.operation.BulkReadHandler;
import io.cantle.core.operation.BulkWriteClient;
import io.cantle.core.operation.BulkWriteHandler;
import io.cantle.core.operation.ConflictResolver;
import io.cantle.core.operation.EntryEvictor;
import io.cantle.core.operation.EntryExpirer;
import io.cantle.core.operation.OperationClient;
import io.cantle.core.operation.ReadHandler;
import io.cantle.core.operation.ReplicaReconciler;
import io.cantle.core.operation.ReplicationHandler;
import io.cantle.core.operation.WriteHandler;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.rebalance.CopyExchange;
import io.cantle.core.rebalance.DroppedReplicaReporter;
import io.cantle.core.rebalance.EpochRecovery;
import io.cantle.core.rebalance.StateTransfer;
import io.cantle.core.rebalance.TransferProjection;
import io.cantle.core.replica.HeapExchange;
import io.cantle.core.replica.HeapRoom;
import io.cantle.core.replica.ProgressExchange;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.scan.LocalScans;
import io.cantle.core.scan.ScanBufferPool;
import io.cantle.core.scan.ScanMetrics;
import io.cantle.core.scan.ScanServer;
import io.cantle.core.stream.CacheStreamSource;
import io.cantle.core.stream.PipelineRunner;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.LocalTransport;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Wires one node: the constructor creates all its parts, from the bottom up, and starts nothing.
 * {@link #start} opens the transport and waits until the node is admitted.
 *
 * <p>Messages and topologies arrive at {@link EventDispatcher}, calls of users at {@link NodeGrid}.
 * {@link NodeState} says whether the node can be used. {@link NodeCloser} leaves the grid and stops
 * the parts in reverse order. These classes are the node, and so find all parts here; a part knows
 * what its constructor is given.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class Node {
  private static final System.Logger LOG = System.getLogger(Node.class.getName());

  final GridConfig config;
  final Environment environment;
  final NodeStore store;
  final Runnable onClosed;
  final boolean isAlone;
  final MessagingService messaging;
  final NodeErrorMessages errorMessages;
  final NodeState state;
  final TopologyDriver topologyDriver;
  final ConflictResolver conflictResolver;
  final OperatorLog operatorLog;
  final MembershipListenerTable membershipListeners;
  final MembershipReporter membershipReporter;
  final Codec codec;
  final DecodedObjectCache objectCache;
  final WorkMemory memory;

  /** What caches off the heap have reserved, with those of local caches. */
  final MemoryAccount offHeapMemory;

  final HeapRoom heapRoom;
  final HeapExchange heapExchange;
  final ReplicaTable replicas;
  final ProgressExchange progressExchange;
  final EntryExpirer expirer;
  final EntryEvictor evictor;
  final CopyExchange copyExchange;
  final EpochRecovery epochRecovery;
  final StateTransfer stateTransfer;
  final DroppedReplicaReporter droppedReplicaReporter;
  final ReadHandler readHandler;
  final BulkReadHandler bulkReadHandler;
  final WriteHandler writeHandler;
  final ReplicationHandler replicationHandler;
  final BulkWriteHandler bulkWriteHandler;
  final ReplicaReconciler reconciler;
  final OperationClient client;
  final BulkReadClient bulkReadClient;
  final BulkWriteClient bulkClient;
  final CacheMetricsTable cacheMetrics;
  final ScanMetrics scanMetrics = new ScanMetrics();
  final ScanBufferPool scanBufferPool;
  final LocalScans localScans;
  final ScanServer scanServer;
  final AdminClient adminClient;
  final LocalGridPair localGrids;
  final NodeCloser closer;
  private final NodeGrid grid;

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
    this(
        config,
        loader,
        transport,
        environment,
        store,
        new MemoryAccount(config.memory().offHeapBytes()),
        onClosed);
  }

  private Node(
      GridConfig config,
      ClassLoader loader,
      Transport transport,
      Environment environment,
      NodeStore store,
      MemoryAccount offHeapMemory,
      Runnable onClosed) {
    this.config = config;
    this.offHeapMemory = offHeapMemory;
    this.environment = environment;
    this.store = store;
    this.onClosed = onClosed;
    isAlone = transport instanceof LocalTransport;
    GridConfig.MembershipSettings membership = config.membership();
    Duration timeout = config.limits().timeout();
    EventDispatcher dispatcher = new EventDispatcher(this);
    messaging = new MessagingService(transport, environment, dispatcher);
    errorMessages = new NodeErrorMessages(config, messaging.self().name());
    state = new NodeState(messaging, environment.clock(), errorMessages);
    topologyDriver =
        new TopologyDriver(
            messaging,
            environment,
            new JoinSettings(
                membership.initialMembers(),
                membership.whenCut(),
                MemberCapacity.of(membership.capacity(), membership.rack()),
                timeout),
            dispatcher,
            store);
    conflictResolver = new ConflictResolver(membership.whenCut());
    operatorLog =
        new OperatorLog(messaging.self(), config.name(), messaging::addressOf, conflictResolver);
    membershipListeners = new MembershipListenerTable(environment.threads());
    membershipReporter =
        new MembershipReporter(
            messaging.self(),
            config.name(),
            environment.clock(),
            messaging::addressOf,
            isAlone ? text -> {} : Node::logInfo,
            this::publish);

    // What this node stores and may spend.
    GridConfig.SerializationSettings serialization =
        config.allowing(CacheStreamSource.class.getPackageName()).serialization();
    codec =
        new Codec(
            ClassAllowList.of(
                serialization.allow(), ApplicationClasses.of(serialization.application())),
            loader,
            serialization.functions(),
            serialization.codecs(),
            config.nodeName());
    memory = new WorkMemory(environment.heapBytes());
    objectCache = new DecodedObjectCache(codec, memory.account(MemoryUse.DECODED_OBJECTS));
    heapRoom = new HeapRoom(environment.heapGuard(), environment.clock());
    heapExchange = new HeapExchange(messaging, topologyDriver, environment, heapRoom);
    replicas =
        new ReplicaTable(
            objectCache,
            messaging.stampClock(),
            environment.clock(),
            store,
            this::newContainer,
            heapRoom);

    // Epochs, and the writes of an epoch.
    progressExchange = new ProgressExchange(messaging, topologyDriver, environment, replicas);
    replicas.setDiskListener(progressExchange::notifySoon);
    ReplicaContext context =
        new ReplicaContext(messaging, topologyDriver, environment, replicas, progressExchange);
    expirer = new EntryExpirer(context);
    evictor = new EntryEvictor(context, expirer);
    copyExchange = new CopyExchange(context);
    epochRecovery = new EpochRecovery(context, copyExchange);
    stateTransfer = new StateTransfer(context);
    droppedReplicaReporter = new DroppedReplicaReporter(topologyDriver, environment.clock());
    readHandler = new ReadHandler(context, expirer);
    bulkReadHandler = new BulkReadHandler(context, readHandler);
    writeHandler = new WriteHandler(context, expirer, evictor, codec, conflictResolver);
    replicationHandler = new ReplicationHandler(context);
    bulkWriteHandler = new BulkWriteHandler(context, writeHandler, evictor);
    reconciler = new ReplicaReconciler(context, conflictResolver);
    client = new OperationClient(context, writeHandler, timeout.toNanos());
    bulkReadClient = new BulkReadClient(context, client);
    bulkClient = new BulkWriteClient(context, client);

    // Caches and scans.
    cacheMetrics =
        new CacheMetricsTable(
            cache ->
                new CacheMetrics(cache, messaging.self(), topologyDriver, replicas, environment),
            environment.threads());
    grid = new NodeGrid(this);
    scanBufferPool = new ScanBufferPool(memory.account(MemoryUse.SCAN_BUFFERS), environment);
    messaging.onSweep(scanBufferPool::sweep);
    localScans = new LocalScans(context, expirer, objectCache);
    scanServer =
        new ScanServer(
            context,
            expirer,
            new PipelineRunner(codec, objectCache, grid::openForFunctions),
            TransferProjection::new,
            scanMetrics,
            memory.account(MemoryUse.SCAN_ANSWERS),
            memory.account(MemoryUse.TRANSFERS));

    adminClient = new AdminClient(topologyDriver, state, timeout);
    localGrids = new LocalGridPair(this, loader);
    closer = new NodeCloser(this);
    store.onFailure(closer::closeAfterStoreFailure);
  }

  /**
   * Starts a node without a network, and logs that. It owns everything, whatever its capacity would
   * be beside others.
   */
  public static NodeGrid startLocal(
      GridConfig config, ClassLoader loader, Environment environment, Runnable onClosed) {
    long began = environment.clock().nanoTime();
    MemoryAccount offHeapMemory = new MemoryAccount(config.memory().offHeapBytes());
    NodeGrid grid = startAlone(config, loader, environment, offHeapMemory, onClosed);
    LOG.log(
        System.Logger.Level.INFO,
        "%s has opened grid \"%s\", which has no network, in %,d ms, with Cantle %s"
            .formatted(
                grid.nodeName(),
                config.name(),
                TimeUnit.NANOSECONDS.toMillis(environment.clock().nanoTime() - began),
                ProductVersion.TEXT));
    return grid;
  }

  /**
   * Starts a node without a network, such as one behind another that users know of.
   *
   * @param offHeapMemory shared by nodes that users take for one
   */
  static NodeGrid startAlone(
      GridConfig config,
      ClassLoader loader,
      Environment environment,
      MemoryAccount offHeapMemory,
      Runnable onClosed) {
    NodeDataDirectory dataDirectory = NodeDataDirectory.openLocalIfConfigured(config, environment);
    UUID id = new UUID(environment.random().nextLong(), environment.random().nextLong());
    String name = config.nodeName().isEmpty() ? "alone" : config.nodeName();
    GridConfig localConfig = config.nodeName(name).capacity(1);
    Member self = new Member(id, dataDirectory == null ? id : dataDirectory.nodeId(), name);
    NodeStore store = dataDirectory == null ? NodeStore.NONE : dataDirectory.store();
    return new Node(
            localConfig,
            loader,
            new LocalTransport(self),
            environment,
            store,
            offHeapMemory,
            onClosed)
        .start();
  }

  private Container newContainer(ContainerKind kind) {
    return switch (kind) {
      case HEAP -> new HeapContainer();
      case OBJECTS -> new HeapContainer(true);
      case OFF_HEAP -> new OffHeapContainer(environment.arenas(), offHeapMemory);
    };
  }

  private static void logInfo(String text) {
    LOG.log(System.Logger.Level.INFO, text);
  }

  private void publish(MembershipEvent event) {
    MembershipFlightEvent.record(config.name(), messaging.self().name(), event);
    membershipListeners.publish(event);
  }

  /** The grid as users of this node see it; it can be used once the node has started. */
  public NodeGrid grid() {
    return grid;
  }

  /**
   * Joins a grid; returns when this node is part of it.
   *
   * @throws IllegalStateException if the grid was founded with another {@link GridConfig#whenCut}
   * @throws StoreRefusedException if its store does not count any more
   * @throws GridException if it is not admitted within the timeout
   */
  public NodeGrid start() {
    return start(environment.clock().nanoTime());
  }

  /**
   * Joins a grid, within the timeout from a given moment on.
   *
   * @param began a reading of the clock
   */
  public NodeGrid start(long began) {
    membershipReporter.begin(began);
    messaging.start();
    environment.heapGuard().addReservations(memory);
    heapExchange.start();
    reconciler.start(client);
    // The time in which the transport discovered other nodes counts.
    Duration wholeTimeout = config.limits().timeout();
    Duration timeout = wholeTimeout.minusNanos(environment.clock().nanoTime() - began);
    Member self = messaging.self();
    JoinProgressLogger progressLogger =
        new JoinProgressLogger(
            environment.clock(),
            began,
            wholeTimeout.toNanos(),
            () -> errorMessages.stillJoining(describeJoin()),
            Node::logInfo);
    if (!state.await(
        timeout, () -> topologyDriver.current().members().contains(self), progressLogger::run)) {
      RuntimeException reason = state.joinException(errorMessages.notJoined(describeJoin()));
      grid.close();
      throw reason;
    }
    state.markJoined();
    return grid;
  }

  /** What this node, which is not admitted yet, sees and waits for. */
  private String describeJoin() {
    List<String> others =
        messaging.present().stream()
            .filter(member -> !member.equals(messaging.self()))
            .map(member -> MembershipReporter.describe(member, messaging.addressOf(member)))
            .toList();
    return errorMessages.joinState(
        others, messaging.incompatiblePeer(), topologyDriver.problemText());
  }

  /** Closes this node at once, because memory is exhausted; is called again until it returns. */
  public void closeWithoutMemory() {
    closer.closeWithoutMemory();
  }
}
