package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.ScanFigures;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.segment.Seat;
import io.cantle.core.store.HandStore;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagesOnly;
import io.cantle.core.transport.Requests;
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
 * One node that asks itself: both halves of scans over real replicas, in one thread, on a clock
 * moved by hand. What a thread is started for runs at once, unless a test lets it wait.
 */
final class ScanRig {
  final HandClock clock = new HandClock();
  final World world = new World(clock, this::execute, new Random(1));

  /** It has a store. */
  final Member self = new Member(HandNetwork.member("self").id(), new UUID(1, 1), "self");

  /** Where entries are, with little memory besides, if they are kept. */
  final HandStore disk = small();

  final Replicas replicas =
      new Replicas(
          new Decoded(new Codec(AllowList.of(List.of()), getClass().getClassLoader()), 1 << 20),
          new HybridClock(clock),
          clock,
          disk);
  final ScanMeter meter = new ScanMeter();

  /** As much as any test needs, unless it says otherwise. */
  final MemoryAccount answerMemory = new MemoryAccount(64 << 20);

  final MemoryAccount bufferMemory;
  final ScanBuffers buffers;
  final List<Kind> sent = new ArrayList<>();
  final ArrayDeque<Runnable> started = new ArrayDeque<>();
  boolean startsAtOnce = true;

  /** How long all requests together were. */
  long sentBytes;

  /** The number of the request that came last. */
  long lastRequest;

  /** What owners make of entries. */
  Tasks tasks = new Counting();

  final Requests requests =
      new Requests(new HandNetwork().transport(self), world, (MessagesOnly) this::came);
  final TopologyKeeper keeper =
      new TopologyKeeper(
          requests,
          world,
          new TopologyKeeper.Founding(
              1, io.cantle.WhenCut.stop(), Seat.USUAL, Duration.ofSeconds(15)),
          this::adopt,
          () -> {});
  final Source source =
      new Source(
          requests,
          keeper,
          world,
          replicas,
          new Acks(requests, world, replicas, new CommitNotices(requests, keeper, world, replicas)),
          new io.cantle.core.operate.Expiry(
              requests,
              keeper,
              world,
              replicas,
              new CommitNotices(requests, keeper, world, replicas)),
          new Tasks() {
            @Override
            public Reduction reduction(byte[] task) {
              return tasks.reduction(task);
            }

            @Override
            public Transformation transformation(byte[] task) {
              return tasks.transformation(task);
            }
          },
          meter,
          answerMemory);
  final ClusterScans scans;
  final Map<String, Integer> segmentOf = new TreeMap<>();
  private final int segments;

  /** Who owns every segment; this node leads. */
  List<Member> owners = List.of(self);

  private Topology before = Topology.NONE;
  private int epoch = 1;
  private long sequence;

  ScanRig(int segments) {
    this(segments, 64 << 20);
  }

  /** With memory for so many bytes that scans have asked for and not read. */
  ScanRig(int segments, long bufferBytes) {
    this(CacheConfig.distributed().segments(segments), bufferBytes);
  }

  /** With a cache that is kept on disk soon after writes. */
  static ScanRig kept(int segments) {
    return new ScanRig(
        CacheConfig.distributed()
            .segments(segments)
            .durability(Durability.periodic(Duration.ofMillis(100))),
        64 << 20);
  }

  private static HandStore small() {
    HandStore disk = new HandStore();
    disk.memoryBytes = 1_000;
    return disk;
  }

  private ScanRig(CacheConfig config, long bufferBytes) {
    bufferMemory = new MemoryAccount(bufferBytes);
    buffers = new ScanBuffers(bufferMemory, world);
    this.segments = config.segments();
    requests.start();
    requests.members(List.of(self));
    keeper.members(List.of(self));
    CacheDefinition one = new CacheDefinition("one", config);
    keeper.reportWanted(one);
    clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
    serve();
    scans =
        new ClusterScans(
            requests,
            keeper,
            world,
            new CachePlace(keeper, clock, one),
            TimeUnit.SECONDS.toNanos(10),
            meter,
            buffers);
  }

  private void execute(Runnable task) {
    if (startsAtOnce) {
      task.run();
    } else {
      started.add(task);
    }
  }

  private void came(Kind kind, Member from, long request, Input body) {
    switch (kind) {
      case PULL, REDUCE, COUNT, CANCEL -> {
        sent.add(kind);
        sentBytes += body.remaining();
        lastRequest = request;
        source.came(kind, from, request, body);
      }
      default -> keeper.came(kind, from, body);
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
              cache.definition(),
              Collections.nCopies(cache.segments().size(), HandTopology.owned(epoch, owners))));
    }
    return new Topology(topology.number(), topology.charter(), topology.membership(), caches);
  }

  /** Every segment begins a new epoch: what is being read does not count. */
  void move() {
    epoch++;
    adopt(keeper.current());
    serve();
  }

  private void serve() {
    for (int segment = 0; segment < segments; segment++) {
      replica(segment).serve(epoch);
    }
  }

  Replica replica(int segment) {
    return Objects.requireNonNull(replicas.find(0, segment));
  }

  /** Writes so many keys with values of that length. */
  ScanRig filled(int keys, int valueLength) {
    for (int i = 0; i < keys; i++) {
      write("k" + i, valueLength);
    }
    return this;
  }

  /** Lets all values be evicted that can be. */
  ScanRig evicted() {
    for (int i = 0; i < 10; i++) {
      disk.flush();
      clock.advance(1);
    }
    disk.reads = 0;
    return this;
  }

  void write(String key, int valueLength) {
    byte[] name = bytes(key);
    long hash = KeyHash.hash(keeper.current().hashSeed(), name, 0, name.length);
    int segment = KeyHash.segment(hash, segments);
    segmentOf.put(key, segment);
    write(segment, key, valueLength);
  }

  /** Writes a key to a segment, be it the one where it belongs or not. */
  void write(int segment, String key, int valueLength) {
    byte[] name = bytes(key);
    byte[] bytes = Arrays.copyOf(name, name.length + valueLength);
    sequence++;
    io.cantle.core.replica.Attempt outcome =
        replica(segment)
            .execute(
                () -> true,
                replica(segment).state().epoch(),
                new Command(new SessionId(self.id(), 1), sequence, sequence, 1, 1),
                KeyHash.hash(keeper.current().hashSeed(), name, 0, name.length),
                name,
                0,
                name.length,
                found -> Effect.put(bytes, Result.TRUE, false));
    assertThat(outcome).isInstanceOf(io.cantle.core.replica.Outcome.Written.class);
  }

  static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  /** Reads a key that was published or iterated. */
  static String key(Input in) {
    return new String(in.readBlob(), StandardCharsets.UTF_8);
  }

  static String key(Entry entry) {
    return new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8);
  }

  List<String> keys() {
    return segmentOf.keySet().stream().sorted(Comparator.naturalOrder()).toList();
  }

  /** Nobody waits, nothing waits, nothing runs. */
  void assertNothingLeft() {
    ScanFigures now = meter.figures();
    assertThat(List.of(now.elementsWaiting(), now.bytesWaiting(), now.pullsOpen(), now.running()))
        .containsOnly(0L);
    assertThat(bufferMemory.reservedBytes()).isZero();
    assertThat(answerMemory.reservedBytes()).isZero();
    assertThat(requests.waiting()).isZero();
  }

  /** Counts entries; its elements are keys; each entry does what a test says. */
  static class Counting implements Tasks {
    Consumer<Entry> each = entry -> {};
    boolean needsValues = true;
    int reductions;

    @Override
    public Reduction reduction(byte[] task) {
      return new Reduction() {
        @Override
        public void reduce(Entries entries, Output out) {
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
    public Transformation transformation(byte[] task) {
      return new Transformation() {
        @Override
        public void run(Output out, Consumer<Feed> scan) {
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
  Counting counting(Consumer<Entry> each) {
    Counting counting = new Counting();
    counting.each = each;
    tasks = counting;
    return counting;
  }

  /** Any task: the rig knows what to do. */
  static final byte[] TASK = {1};

  static byte @Nullable [] none() {
    return null;
  }
}
