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
import io.cantle.core.base.Input;
import io.cantle.core.base.Signal;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Lifetime;
import io.cantle.core.memory.MemoryBudget;
import io.cantle.core.memory.MemoryUse;
import io.cantle.core.operate.BulkWriters;
import io.cantle.core.operate.BulkWrites;
import io.cantle.core.operate.Callers;
import io.cantle.core.operate.Conflicts;
import io.cantle.core.operate.Expiry;
import io.cantle.core.operate.Followers;
import io.cantle.core.operate.Merges;
import io.cantle.core.operate.Readers;
import io.cantle.core.operate.Writers;
import io.cantle.core.publish.ClusterScans;
import io.cantle.core.publish.ScanBuffers;
import io.cantle.core.publish.ScanMeter;
import io.cantle.core.publish.Source;
import io.cantle.core.rebalance.DroppedCopies;
import io.cantle.core.rebalance.Openings;
import io.cantle.core.rebalance.Transfers;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Replicas;
import io.cantle.core.segment.Seat;
import io.cantle.core.store.Store;
import io.cantle.core.stream.Pipelines;
import io.cantle.core.stream.Streams;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Foreign;
import io.cantle.core.topology.Mode;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Refusal;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Alone;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
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
 * One node: every part of it, wired in the constructor from the bottom up. The constructor starts
 * nothing; {@link #start} opens the transport and waits to be admitted, {@link #close} leaves and
 * stops the parts in reverse.
 *
 * <p>Messages come in by {@link Dispatch}, which hands each kind to the one part it is for, on the
 * transport's threads and without waiting. A topology comes in by {@code adopt}: first what this
 * node holds follows it ({@code replicas}), then who serves ({@code openings}), then what has to be
 * fetched ({@code transfers}, {@code merges}); nobody is told of a segment before it is held.
 *
 * <p>Calls of users enter by a {@link CacheView} each. A local cache lives in a node of its own
 * behind this one, in whose grid nobody else is.
 *
 * <p><b>Threading:</b> any thread; messages are handled on the transport's threads without waiting.
 */
public final class Node implements Grid {
  private static final System.Logger LOG = System.getLogger(Node.class.getName());
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long TELL_AGAIN = TimeUnit.MILLISECONDS.toNanos(50);

  private final GridConfig config;
  private final ClassLoader loader;
  private final World world;
  private final Store store;
  private final Runnable afterwards;
  private final boolean isAlone;
  private final AllowList allowed;
  private final Codec codec;
  private final Requests requests;
  private final TopologyKeeper topologies;
  private final Replicas replicas;
  private final CommitNotices notices;
  private final Expiry expiry;
  private final Openings openings;
  private final Transfers transfers;
  private final DroppedCopies droppedCopies;
  private final Acks acks;
  private final Readers readers;
  private final Writers writers;
  private final Conflicts conflicts;
  private final Announcements announcements;
  private final Merges merges;
  private final Followers followers;
  private final BulkWriters bulkWriters;
  private final Source source;
  private final ScanMeter scanMeter = new ScanMeter();
  private final MemoryBudget memory;
  private final ScanBuffers scanBuffers;
  private final AsyncCalls asyncCalls;
  private final Wishes wishes;
  private final ReentrantLock closing = new ReentrantLock();

  /** What is said when there is no memory left to say it with. */
  private final String withoutMemory;

  private Topology adopted = Topology.NONE;
  private @Nullable Callers callers;
  private @Nullable BulkWrites bulkWrites;

  /** Behind local caches that are in memory only, and behind those that are kept. */
  private @Nullable Node alone;

  private @Nullable Node aloneKeeping;
  private volatile boolean closed;
  private volatile boolean shut;
  private volatile @Nullable String failure;
  private volatile boolean started;
  private volatile boolean misfit;
  private volatile boolean storeRefused;

  /** What was wrong when the time to join was over; closing ends it. */
  private String troubleAtJoin = "";

  /** A node that has not started, in a world that outlives it. */
  public Node(GridConfig config, ClassLoader loader, Transport transport, World world) {
    this(config, loader, transport, world, () -> {});
  }

  /** A node without a store that has not started. */
  public Node(
      GridConfig config,
      ClassLoader loader,
      Transport transport,
      World world,
      Runnable afterwards) {
    this(config, loader, transport, world, Store.NONE, afterwards);
  }

  /**
   * A node that has not started.
   *
   * @param loader where classes of stored objects and lambdas are looked up
   * @param store what outlives this node, closed with it
   * @param afterwards closes what was made for this node, once it is closed
   */
  public Node(
      GridConfig config,
      ClassLoader loader,
      Transport transport,
      World world,
      Store store,
      Runnable afterwards) {
    this.config = config;
    this.loader = loader;
    this.world = world;
    this.store = store;
    this.afterwards = afterwards;
    this.isAlone = transport instanceof Alone;
    this.withoutMemory = withoutMemory(config, world.heapBytes());
    List<String> packages = new ArrayList<>(config.allow());
    packages.add(Streams.class.getPackageName());
    allowed = AllowList.of(packages);
    codec = new Codec(allowed, loader, config.functions(), config.codecs(), config.nodeName());
    memory = new MemoryBudget(world.heapBytes());
    Decoded decoded = new Decoded(codec, memory.account(MemoryUse.DECODED_OBJECTS));
    requests = new Requests(transport, world, new Dispatch());
    topologies =
        new TopologyKeeper(
            requests,
            world,
            new TopologyKeeper.Founding(
                config.initialMembers(),
                config.whenCut(),
                Seat.of(config.capacity(), config.rack()),
                config.timeout()),
            this::adopt,
            new Strangers(),
            store);
    conflicts = new Conflicts(config.whenCut());
    announcements = new Announcements(config.name(), conflicts);
    replicas = new Replicas(decoded, requests.stamps(), world.clock(), store);
    notices = new CommitNotices(requests, topologies, world, replicas);
    replicas.whenOnDisk(notices::due);
    expiry = new Expiry(requests, topologies, world, replicas, notices);
    openings = new Openings(requests, topologies, world, replicas, notices, expiry);
    transfers =
        new Transfers(
            requests, topologies, world, replicas, expiry, memory.account(MemoryUse.TRANSFERS));
    droppedCopies = new DroppedCopies(topologies, world.clock());
    acks = new Acks(requests, world, replicas, notices);
    readers = new Readers(requests, topologies, replicas, acks, expiry);
    writers =
        new Writers(requests, topologies, world, replicas, notices, acks, expiry, codec, conflicts);
    followers = new Followers(requests, topologies, replicas, acks);
    bulkWriters = new BulkWriters(requests, topologies, world, replicas, notices, acks, writers);
    Pipelines pipelines = new Pipelines(codec, decoded, this::cacheForFunctions);
    scanBuffers = new ScanBuffers(memory.account(MemoryUse.SCAN_BUFFERS), world);
    requests.whenSwept(scanBuffers::sweep);
    source =
        new Source(
            requests,
            topologies,
            world,
            replicas,
            acks,
            expiry,
            pipelines,
            scanMeter,
            memory.account(MemoryUse.SCAN_ANSWERS));
    merges = new Merges(requests, topologies, world, replicas.orphans());
    asyncCalls = new AsyncCalls(world.threads());
    wishes = new Wishes(topologies, this::reaches, config.timeout());
    store.whenFailed(this::storeFailed);
  }

  /**
   * Joins; returns when this node is part of a grid.
   *
   * @throws IllegalStateException if the grid was founded with another {@link GridConfig#whenCut}
   * @throws StoreRefusedException if what it has on disk counts no more
   * @throws GridException if it is not let in within the timeout
   */
  public Node start() {
    return start(world.clock().nanoTime());
  }

  /**
   * The same, within the timeout from a moment on.
   *
   * @param began a reading of the clock
   */
  public Node start(long began) {
    requests.start();
    Callers single =
        new Callers(requests, topologies, replicas, writers, config.timeout().toNanos());
    callers = single;
    bulkWrites = new BulkWrites(single, topologies, world);
    merges.begin(single);
    // What the transport took to find others counts.
    Duration patience = config.timeout().minusNanos(world.clock().nanoTime() - began);
    boolean joined =
        await(patience, () -> topologies.current().members().contains(requests.self()), () -> {});
    if (!joined) {
      String why = failure;
      troubleAtJoin = topologies.trouble();
      close();
      if (why != null && storeRefused) {
        throw new StoreRefusedException(why);
      }
      if (why != null && misfit) {
        throw new IllegalStateException(why);
      }
      throw new GridException(why != null ? why : leftOut());
    }
    started = true;
    LOG.log(
        System.Logger.Level.DEBUG,
        "{0} joined grid {1}",
        nodeName(),
        topologies.current().gridId());
    return this;
  }

  private String leftOut() {
    String unheard = requests.unheard();
    String trouble = troubleAtJoin;
    return "node "
        + nodeName()
        + " became no part of grid \""
        + config.name()
        + "\" within "
        + config.timeout().toMillis()
        + " ms; "
        + (unheard != null
            ? unheard + ": all nodes of a grid need the same release"
            : !trouble.isEmpty()
                ? trouble
                : "a new grid begins when initialMembers, "
                    + config.initialMembers()
                    + ", nodes see each other");
  }

  private String otherWhenCut(Mode its) {
    return "grid \""
        + config.name()
        + "\" was founded with whenCut "
        + its.text()
        + " and cannot be joined with "
        + Mode.of(config.whenCut()).text()
        + "; give GridConfig.whenCut what the grid has, or join one of another name";
  }

  /** Waits for something topologies or messages bring about; repeats an action meanwhile. */
  private boolean await(Duration patience, Condition condition, Runnable again) {
    Clock clock = world.clock();
    long deadline = clock.nanoTime() + patience.toNanos();
    Signal never = new Signal();
    while (!condition.holds()) {
      long left = deadline - clock.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted() || failure != null) {
        return condition.holds();
      }
      again.run();
      if (!condition.holds()) {
        never.await(clock, Math.min(left, PAUSE));
      }
    }
    return true;
  }

  interface Condition {
    boolean holds();
  }

  private boolean reaches(Condition condition, Runnable again) {
    return await(config.timeout(), condition, nowAndThen(again));
  }

  /** Runs an action at most every {@link #TELL_AGAIN}. */
  private Runnable nowAndThen(Runnable action) {
    long[] last = {world.clock().nanoTime() - TELL_AGAIN};
    return () -> {
      long now = world.clock().nanoTime();
      if (now - last[0] >= TELL_AGAIN) {
        last[0] = now;
        action.run();
      }
    };
  }

  @Override
  public String nodeName() {
    return requests.self().name();
  }

  @Override
  public List<String> members() {
    return topologies.current().members().stream().map(Member::name).toList();
  }

  @Override
  public boolean settled() {
    Topology topology = topologies.current();
    return topology.founded()
        && topologies.lease().held()
        && !topologies.pending()
        && replicas.orphans().isEmpty()
        && topology.leaving().isEmpty()
        && topology.allVote()
        && topology.caches().stream()
            .allMatch(cache -> cache.segments().stream().allMatch(Ownership::steady));
  }

  /** What this node holds and believes, to be checked from within. */
  public Inspection inspection() {
    return new Inspection(
        topologies::current,
        replicas,
        codec,
        () -> topologies.lease().held(),
        scanMeter,
        memory,
        requests::waiting);
  }

  @Override
  public <K, V> Cache<K, V> cache(String name) {
    checkUsable();
    return existing(name, this::checkUsable);
  }

  /**
   * The cache for a function that runs here for others: also while this node leaves, for what it
   * still owns is streamed here, and calls still go out.
   */
  private Cache<Object, Object> cacheForFunctions(String name) {
    return existing(name, this::checkWorks);
  }

  private <K, V> Cache<K, V> existing(String name, Runnable usable) {
    CacheDefinition usual = new CacheDefinition(name, CacheConfig.distributed());
    CachePlace place = CachePlace.however(topologies, world.clock(), usual);
    Topology topology = place.awaitThere(world.clock().nanoTime() + config.timeout().toNanos());
    return open(topology.caches().get(place.in(topology)).definition(), usable);
  }

  @Override
  public <K, V> Cache<K, V> cache(String name, CacheConfig wanted) {
    checkUsable();
    CacheDefinition definition = new CacheDefinition(name, wanted);
    if (wanted.mode() == CacheMode.LOCAL && !isAlone) {
      return aloneNode(definition).cache(name, wanted);
    }
    return open(definition, this::checkUsable);
  }

  private <K, V> Cache<K, V> open(CacheDefinition definition, Runnable usable) {
    CachePlace place = new CachePlace(topologies, world.clock(), definition);
    if (definition.keeps()) {
      checkHolders(definition);
    }
    place.awaitThere(world.clock().nanoTime() + config.timeout().toNanos());
    ClusterScans scans =
        new ClusterScans(
            requests, topologies, world, place, config.timeout().toNanos(), scanMeter, scanBuffers);
    return new CacheView<>(
        definition,
        entriesOf(place, usable, definition.lifetime()),
        scans,
        definition.keeps() ? codec.lasting() : codec,
        asyncCalls,
        world);
  }

  private void checkHolders(CacheDefinition definition) {
    if (config.whenCut() instanceof WhenCut.Available && !isAlone) {
      throw new IllegalStateException(
          "cache \""
              + definition.name()
              + "\" is to be kept on disk ("
              + definition.config().durability()
              + ") and the grid has WhenCut.available: nodes that start again without the others"
              + " would begin it empty, and drop what those have on disk; use WhenCut.stop or"
              + " oldestDecides, or Durability.NONE");
    }
    List<Member> members = topologies.current().members();
    if (!members.isEmpty() && members.stream().noneMatch(Member::durable)) {
      throw new IllegalStateException(
          "cache \""
              + definition.name()
              + "\" is to be kept on disk ("
              + definition.config().durability()
              + ") and no node of the grid has a store: set GridConfig.store");
    }
  }

  private Entries entriesOf(CachePlace place, Runnable usable, Lifetime lifetime) {
    Callers single = callers;
    BulkWrites bulk = bulkWrites;
    if (single == null || bulk == null) {
      throw new IllegalStateException("the node has not started");
    }
    return new Entries(place, single, bulk, usable, world.clock(), lifetime);
  }

  @Override
  public SortedSet<Integer> lostSegments(String name) {
    checkUsable();
    return wishes.lostSegments(name);
  }

  @Override
  public boolean rebalancingSuspended() {
    checkUsable();
    return wishes.rebalancingSuspended();
  }

  @Override
  public int acceptLoss(String name) {
    checkUsable();
    return wishes.acceptLoss(name);
  }

  @Override
  public void recoverVoters(Collection<String> gone) {
    checkUsable();
    wishes.recoverVoters(gone);
  }

  @Override
  public ScanFigures scanFigures() {
    return scanMeter.figures();
  }

  @Override
  public MergeLosses mergeLosses() {
    return conflicts.losses();
  }

  @Override
  public void suspendRebalancing(boolean suspended) {
    checkUsable();
    wishes.suspendRebalancing(suspended);
  }

  /**
   * The node behind local caches: of the same kind, with nobody else in its grid. Those that are in
   * memory only have one without a store: it has no earlier life, and no disk that may fail.
   */
  private Node aloneNode(CacheDefinition definition) {
    closing.lock();
    try {
      boolean keeps = definition.keeps();
      Node other = keeps ? alone : aloneKeeping;
      if (other != null && other.hasOpened(definition.name())) {
        // It says what is different.
        return other;
      }
      Node node = keeps ? aloneKeeping : alone;
      if (node == null) {
        GridConfig its = config.initialMembers(1);
        StoreFolder folder = keeps ? StoreFolder.ofLocal(config, world) : null;
        node = alone(its, loader, world, () -> {}, folder);
        if (keeps) {
          aloneKeeping = node;
        } else {
          alone = node;
        }
      }
      return node;
    } finally {
      closing.unlock();
    }
  }

  private boolean hasOpened(String name) {
    return topologies.current().caches().stream()
        .anyMatch(cache -> cache.definition().name().equals(name));
  }

  /** A started node with no network; it owns everything, whatever its capacity beside others. */
  public static Node alone(
      GridConfig config, ClassLoader loader, World world, Runnable afterwards) {
    return alone(config, loader, world, afterwards, StoreFolder.ofLocal(config, world));
  }

  private static Node alone(
      GridConfig config,
      ClassLoader loader,
      World world,
      Runnable afterwards,
      @Nullable StoreFolder folder) {
    UUID id = new UUID(world.random().nextLong(), world.random().nextLong());
    String name = config.nodeName().isEmpty() ? "alone" : config.nodeName();
    GridConfig its = config.nodeName(name).capacity(1);
    Member self = new Member(id, folder == null ? id : folder.node(), name);
    Store store = folder == null ? Store.NONE : folder.store();
    return new Node(its, loader, new Alone(self), world, store, afterwards).start();
  }

  private static String withoutMemory(GridConfig config, long heapBytes) {
    return "node "
        + config.nodeName()
        + " has left its grid because it ran out of memory, with a heap of "
        + (heapBytes >> 20)
        + " MiB: its sockets are closed, and others go on without it; give it a larger heap (-Xmx),"
        + " or the grid more nodes, and start it again";
  }

  private void checkWorks() {
    String why = failure;
    if (why != null) {
      throw new GridException(why);
    }
  }

  void checkUsable() {
    checkWorks();
    if (closed) {
      throw new IllegalStateException("node " + nodeName() + " is closed");
    }
  }

  @Override
  public void close() {
    // Who leaves must not be hurried: an interrupt is kept for afterwards.
    boolean interrupted = Thread.interrupted();
    try {
      if (beginToClose()) {
        interrupted |= leave();
        shutDown();
      } else {
        interrupted |= awaitUninterrupted(() -> shut, () -> {});
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean beginToClose() {
    closing.lock();
    try {
      boolean first = !closed;
      closed = true;
      return first;
    } finally {
      closing.unlock();
    }
  }

  private boolean leave() {
    boolean holdsNothing = !topologies.current().founded() && replicas.orphans().isEmpty();
    if (holdsNothing || failure != null) {
      return false;
    }
    Farewell farewell =
        new Farewell(
            requests.self(),
            config.leaveTimeout(),
            world.clock(),
            topologies::current,
            topologies::cutOff,
            () -> replicas.orphans().count(),
            text -> LOG.log(System.Logger.Level.INFO, text));
    boolean interrupted =
        awaitUninterrupted(topologies::left, nowAndThen(() -> reportLeaving(farewell)));
    if (!topologies.left()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} left although others had not taken over everything within {1} ms (leaveTimeout){2}",
          nodeName(),
          config.leaveTimeout().toMillis(),
          farewell.soleText());
    }
    return interrupted;
  }

  private void reportLeaving(Farewell farewell) {
    topologies.reportLeaving();
    if (!topologies.left()) {
      farewell.run();
    }
  }

  /** Waits for at most the leave timeout; returns whether the thread was interrupted meanwhile. */
  private boolean awaitUninterrupted(Condition condition, Runnable again) {
    long deadline = world.clock().nanoTime() + config.leaveTimeout().toNanos();
    boolean interrupted = false;
    while (true) {
      Duration left = Duration.ofNanos(deadline - world.clock().nanoTime());
      await(left, condition, again);
      if (!Thread.interrupted()) {
        return interrupted;
      }
      interrupted = true;
    }
  }

  private void shutDown() {
    source.close();
    transfers.close();
    droppedCopies.close();
    merges.close();
    expiry.close();
    notices.close();
    topologies.close();
    requests.close();
    for (Node local : Arrays.asList(alone, aloneKeeping)) {
      if (local != null) {
        local.close();
      }
    }
    store.close();
    afterwards.run();
    shut = true;
  }

  // ------------------------------------------------------------------ what messages bring about

  /** Called with the keeper's lock held: topologies are adopted one after the other. */
  private void adopt(Topology topology) {
    if (!topology.founded()) {
      openings.forget();
      replicas.forget(adopted);
      transfers.forget();
      adopted = topology;
      merges.due();
      return;
    }
    if (!adopted.members().equals(topology.members())) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "{0}: members are {1}, with {2}",
          nodeName(),
          topology.members(),
          topology.membership().seats());
    }
    announcements.adopted(adopted, topology);
    List<Replicas.Changed> changed = replicas.adopt(topology, adopted, requests.self());
    adopted = topology;
    openings.begin(topology, changed);
    transfers.begin(changed);
    droppedCopies.begin(changed);
    merges.due();
    if (topology.members().size() > 1) {
      notices.watch();
    }
  }

  /** Grids this node cannot be part of. */
  private final class Strangers implements Foreign {
    @Override
    public void met() {
      fail(
          "node "
              + nodeName()
              + " met another grid named \""
              + config.name()
              + "\" in which there is data as well; it serves no more: restart it to join the"
              + " other");
    }

    @Override
    public void refused(Refusal refusal) {
      if (failure != null) {
        return;
      }
      if (!started && requests.self().durable()) {
        storeRefused = true;
        failure = refusal.text();
        requests.wakeAll();
      } else {
        fail("node " + nodeName() + " serves no more: " + refusal.text() + "; start it again");
      }
    }

    @Override
    public void refused(Mode its) {
      String why = otherWhenCut(its);
      if (failure != null) {
        return;
      }
      if (started) {
        // It founded a grid of its own and gave it up for this one.
        fail("node " + nodeName() + " serves no more: " + why);
      } else {
        misfit = true;
        failure = why;
        requests.wakeAll();
      }
    }
  }

  /** Nothing it holds can be vouched for any more; others hold it, and go on without this node. */
  private void storeFailed(Throwable why) {
    fail(
        "node "
            + nodeName()
            + " has left its grid because its store"
            + (config.store() == null ? "" : " in " + config.store())
            + " failed: "
            + why.getMessage()
            + "; see to the disk, and start the node again");
    topologies.abandon();
    requests.wakeAll();
    if (beginToClose()) {
      world.threads().execute(this::shutDown);
    }
  }

  /**
   * Closes this node because there was no memory for its work: nobody knows what is half done, and
   * threads that bring messages may be dead. Its sockets are closed before anything else, so that
   * others go on without it at once. The process goes on: it is not this node's.
   *
   * <p>It may lack memory itself, and be called again until it returns.
   */
  public void closeWithoutMemory() {
    failure = withoutMemory;
    closed = true;
    requests.abort();
    topologies.abandon();
    requests.wakeAll();
    LOG.log(System.Logger.Level.ERROR, withoutMemory);
    shutDown();
  }

  private void fail(String why) {
    failure = why;
    LOG.log(System.Logger.Level.ERROR, why);
    requests.wakeAll();
  }

  /** Hands each kind of message to the part it is for. */
  private final class Dispatch implements Requests.Handler {
    @Override
    public void members(List<Member> members) {
      topologies.members(members);
    }

    @Override
    public void outOfMemory(OutOfMemoryError error) {
      world.outOfMemory().accept(error);
    }

    @Override
    public void handle(Kind kind, Member from, long request, Input body) {
      switch (kind) {
        case ANSWER -> throw new IllegalStateException("an answer is no request");
        case HELLO,
            JOIN,
            TOPOLOGY,
            PREPARE,
            PROMISED,
            ACCEPT,
            ACCEPTED,
            REJECTED,
            DECIDED,
            RENEW,
            RENEWED,
            REPORT,
            CUT,
            REFUSED,
            HISTORY ->
            topologies.came(kind, from, body);
        case ENTER -> openings.asked(from, body);
        case ENTERED -> openings.told(from, body);
        case OPEN -> openings.filled(from, body);
        case OPENED -> openings.opened(from, body);
        case TRANSFER -> transfers.asked(from, request, body);
        case READ -> readers.came(from, request, body);
        case WRITE -> writers.writeCame(from, request, body);
        case BULK -> bulkWriters.came(from, request, body);
        case REPLICATE -> followers.came(from, body);
        case ACK -> {
          topologies.answered(from);
          acks.came(from, body);
        }
        case ACK_WANTED -> acks.asked(from, body);
        case COMMITTED -> notices.came(body);
        case COMMITTED_WANTED -> notices.asked(from, body);
        case MERGED_WANTED -> merges.asked(from, request, body);
        case PULL, REDUCE, COUNT, CANCEL -> source.came(kind, from, request, body);
      }
    }
  }
}
