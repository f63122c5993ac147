package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.ScanFigures;
import io.cantle.core.base.Environment;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.publish.ClusterScanner;
import io.cantle.core.publish.SubscriptionExecutor;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.ProgressExchange;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.DriverFixture;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessageOnlyHandler;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.WireMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A node that sends scan requests to itself: both sides of scans over real replicas, in one thread,
 * on a clock moved by hand. A task that is given to a thread runs at once, unless a test makes it
 * wait.
 */
public final class ScanFixture {
  public final ManualClock clock = new ManualClock();
  public final Environment environment = TestEnvironment.of(clock, this::execute, new Random(1));

  /** The node has a store. */
  public final Member self = new Member(ManualNetwork.member("self").id(), new UUID(1, 1), "self");

  /** The disk for the entries, with little memory beside it; used if the cache is stored. */
  public final ManualNodeStore disk = small();

  final DecodedObjectCache objectCache =
      new DecodedObjectCache(
          new Codec(ClassAllowList.of(List.of()), getClass().getClassLoader()),
          new MemoryAccount(1 << 20));
  public final ReplicaTable replicas =
      new ReplicaTable(
          objectCache, new HybridLogicalClock(clock), clock, disk, kind -> new HeapContainer());
  public final ScanMetrics metrics = new ScanMetrics();

  /** Enough for any test, unless it sets another value. */
  public final MemoryAccount answerMemory = new MemoryAccount(64 << 20);

  public final MemoryAccount bufferMemory;
  public final ScanBufferPool buffers;
  public final List<MessageKind> sent = new ArrayList<>();
  public final ArrayDeque<Runnable> started = new ArrayDeque<>();
  public boolean startsAtOnce = true;

  /** The total length of all requests. */
  public long sentBytes;

  /** The number of the latest request. */
  public long lastRequest;

  /** The tasks that owners run over entries. */
  public TaskInterpreter taskInterpreter = new Counting();

  public final MessagingService messaging =
      new MessagingService(
          new ManualNetwork().transport(self), environment, (MessageOnlyHandler) this::onMessage);
  public final TopologyDriver driver = DriverFixture.driver(messaging, environment, 1, this::adopt);
  public final ScanServer scanServer = newScanServer(environment);
  public final SubscriptionExecutor subscriptions =
      new SubscriptionExecutor(environment.threads(), "closed");
  public final ClusterScanner scanner;
  public final Map<String, Integer> segmentOf = new TreeMap<>();
  private final int segments;

  /** Assigns the owners of every segment; this node is the primary. */
  public List<Member> owners = List.of(self);

  private Topology before = Topology.NONE;
  private int epoch = 1;
  private long sequence;

  public ScanFixture(int segments) {
    this(segments, 64 << 20);
  }

  /** Limits the memory for what scans have requested and not read. */
  public ScanFixture(int segments, long bufferBytes) {
    this(CacheConfig.distributed().segments(segments), bufferBytes);
  }

  /** Stores the cache on disk soon after writes. */
  public static ScanFixture stored(int segments) {
    return new ScanFixture(
        CacheConfig.distributed()
            .segments(segments)
            .durability(Durability.periodic(Duration.ofMillis(100))),
        64 << 20);
  }

  private static ManualNodeStore small() {
    ManualNodeStore disk = new ManualNodeStore();
    disk.maxMemoryBytes = 1_000;
    return disk;
  }

  private ScanFixture(CacheConfig config, long bufferBytes) {
    bufferMemory = new MemoryAccount(bufferBytes);
    buffers = new ScanBufferPool(bufferMemory, environment);
    this.segments = config.segments();
    messaging.start();
    messaging.onMembersChanged(List.of(self));
    driver.onViewChange(List.of(self));
    CacheDefinition one = new CacheDefinition("one", config);
    driver.reportCacheRequested(one);
    clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
    serve();
    scanner =
        new ClusterScanner(
            messaging,
            driver,
            subscriptions,
            new CacheResolver(driver, clock, one),
            ClosedNodeGuard.NONE,
            TimeUnit.SECONDS.toNanos(10),
            metrics,
            buffers,
            newLocalScans());
  }

  private LocalScans newLocalScans() {
    ReplicaContext context =
        new ReplicaContext(
            messaging,
            driver,
            environment,
            replicas,
            new ProgressExchange(messaging, driver, environment, replicas));
    return new LocalScans(context, new io.cantle.core.operation.EntryExpirer(context), objectCache);
  }

  /** An owner's half over the replicas of this node, in another world. */
  public ScanServer newScanServer(Environment world) {
    ProgressExchange progressExchange =
        new ProgressExchange(messaging, driver, environment, replicas);
    return new ScanServer(
        new ReplicaContext(messaging, driver, world, replicas, progressExchange),
        new io.cantle.core.operation.EntryExpirer(
            new ReplicaContext(messaging, driver, environment, replicas, progressExchange)),
        new TaskInterpreter() {
          @Override
          public Reduction readReduction(byte[] task) {
            return taskInterpreter.readReduction(task);
          }

          @Override
          public Transformation readTransformation(byte[] task) {
            return taskInterpreter.readTransformation(task);
          }
        },
        transfer -> {
          throw new AssertionError("no transfer is sent");
        },
        metrics,
        answerMemory,
        new MemoryAccount(0));
  }

  /** Has an owner's half receive a request of this node. */
  void receive(ScanServer server, long number, ScanMessage.ScanBody body) {
    ScanMessage.Request request = new ScanMessage.Request(driver.current().number(), number, body);
    Output out = new Output(64);
    request.write(out);
    server.onRequest(request.kind(), self, number, out.toInput());
  }

  private void execute(Runnable task) {
    if (startsAtOnce) {
      task.run();
    } else {
      started.add(task);
    }
  }

  private void onMessage(MessageKind kind, Member from, long request, Input body) {
    switch (kind) {
      case PULL, REDUCE, COUNT -> {
        sent.add(kind);
        sentBytes += body.remaining();
        lastRequest = request;
        scanServer.onRequest(kind, from, request, body);
      }
      case CANCEL -> {
        sent.add(kind);
        scanServer.onCancellation(from, (ScanMessage.Cancellation) WireMessage.read(kind, body));
      }
      default -> driver.onMessage(kind, from, body);
    }
  }

  private void adopt(Topology topology) {
    Topology seen = numbered(topology);
    replicas.adopt(seen, before, self);
    before = seen;
  }

  private Topology numbered(Topology topology) {
    List<Topology.CacheOwnership> caches = new ArrayList<>();
    for (Topology.CacheOwnership cache : topology.caches()) {
      caches.add(
          new Topology.CacheOwnership(
              cache.index(),
              cache.createdNumber(),
              cache.definition(),
              Collections.nCopies(cache.segments().size(), TopologyFixture.owned(epoch, owners))));
    }
    return new Topology(
        topology.number(),
        topology.gridDefinition(),
        topology.membership(),
        CacheCatalog.of(caches));
  }

  /** Starts a new epoch in every segment, so that what is being read does not count. */
  public void move() {
    epoch++;
    adopt(driver.current());
    serve();
  }

  private void serve() {
    for (int segment = 0; segment < segments; segment++) {
      replica(segment).serveEpoch(epoch);
    }
  }

  public Replica replica(int segment) {
    return Objects.requireNonNull(replicas.find(0, segment));
  }

  /** Writes this many keys with values of this length. */
  public ScanFixture filled(int keys, int valueLength) {
    for (int i = 0; i < keys; i++) {
      write("k" + i, valueLength);
    }
    return this;
  }

  /** Evicts all values that can be evicted. */
  public ScanFixture evicted() {
    for (int i = 0; i < 10; i++) {
      disk.flushPending();
      clock.advance(1);
    }
    disk.readCount = 0;
    return this;
  }

  public void write(String key, int valueLength) {
    byte[] name = bytes(key);
    long hash = KeyHash.hash(driver.current().hashSeed(), name, 0, name.length);
    int segment = KeyHash.segment(hash, segments);
    segmentOf.put(key, segment);
    write(segment, key, valueLength);
  }

  /** Writes a key to a segment, whether it belongs there or not. */
  public void write(int segment, String key, int valueLength) {
    byte[] name = bytes(key);
    byte[] bytes = Arrays.copyOf(name, name.length + valueLength);
    sequence++;
    io.cantle.core.replica.ExecuteResult outcome =
        replica(segment)
            .execute(
                () -> true,
                replica(segment).state().epoch(),
                new CommandId(new SessionId(self.id(), 1), sequence, sequence, 1, 1),
                KeyHash.hash(driver.current().hashSeed(), name, 0, name.length),
                name,
                0,
                name.length,
                found -> CommandEffect.put(bytes, OperationResult.TRUE, false));
    assertThat(outcome).isInstanceOf(io.cantle.core.replica.CommandOutcome.Written.class);
  }

  public static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  /** Reads a key that was published or iterated. */
  public static String key(Input in) {
    return new String(in.readBlob(), StandardCharsets.UTF_8);
  }

  public static String key(Entry entry) {
    return new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8);
  }

  public List<String> keys() {
    return segmentOf.keySet().stream().sorted(Comparator.naturalOrder()).toList();
  }

  /** Checks that nothing waits and nothing runs. */
  public void assertNothingLeft() {
    ScanFigures now = metrics.figures();
    assertThat(List.of(now.elementsWaiting(), now.bytesWaiting(), now.pullsOpen(), now.running()))
        .containsOnly(0L);
    assertThat(bufferMemory.reservedBytes()).isZero();
    assertThat(answerMemory.reservedBytes()).isZero();
    assertThat(messaging.pendingCount()).isZero();
  }

  /** A task that counts entries; its elements are keys. A test says what it does for each entry. */
  public static class Counting implements TaskInterpreter {
    Consumer<Entry> each = entry -> {};
    boolean needsValues = true;
    int reductions;

    @Override
    public Reduction readReduction(byte[] task) {
      return new Reduction() {
        @Override
        public void reduce(EntrySource entries, Output out) {
          reductions++;
          int count = 0;
          while (entries.hasNext()) {
            each.accept(entries.next());
            count++;
          }
          out.writeVarint(count);
        }

        @Override
        public boolean needsValues() {
          return needsValues;
        }
      };
    }

    @Override
    public Transformation readTransformation(byte[] task) {
      return new Transformation() {
        @Override
        public void run(Output out, Consumer<EntryConsumer> scan) {
          scan.accept(
              entry -> {
                each.accept(entry);
                out.writeBlob(entry.bytes(), 0, entry.keyLength());
                return 1;
              });
        }

        @Override
        public boolean needsValues() {
          return needsValues;
        }
      };
    }
  }

  /** Counts with a task of its own. */
  public Counting counting(Consumer<Entry> each) {
    Counting counting = new Counting();
    counting.each = each;
    taskInterpreter = counting;
    return counting;
  }

  /** The bytes of any task: the fixture decides what it does. */
  public static byte[] task() {
    return new byte[] {1};
  }

  public static byte @Nullable [] none() {
    return null;
  }
}
