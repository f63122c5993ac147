package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Durability;
import io.cantle.WhenFull;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Container;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.InPlaceEntry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.memory.HeapGuard;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.replica.ReplicationBatch.SegmentWrite;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A replica driven by hand, with its member; keys and values are strings. */
public final class ManualReplica {
  private static final CacheIdentity CACHE =
      new CacheIdentity(new UUID(0, 1), GridLineage.NONE, 0, 1);

  /** The seed of the key hash. */
  public static final long SEED = 42;

  /** The member that holds the replica. */
  public final Member self;

  /** The clock of the replica. */
  final ManualClock clock = new ManualClock();

  /** The clock that stamps its writes. */
  final HybridLogicalClock stampClock = new HybridLogicalClock(clock);

  /** The replica itself. */
  public final Replica replica;

  /** Keeps the memory of the replica below the limit of its store. */
  final ValueEvictor valueEvictor;

  /** The heap that the replica is on. */
  final HeapRoom heapRoom;

  private final ReplicaData data;
  private final Member client;
  private long sequence;

  /** Creates a replica that has entered no epoch; members are known by name. */
  public ManualReplica(String name) {
    this(ManualNetwork.member(name), null);
  }

  /** Creates a replica that waits for its disk and starts from what is on it. */
  ManualReplica(Member self, @Nullable ManualNodeStore store) {
    this(self, store, true);
  }

  /** Creates a replica that starts from what is on its disk and may wait for it. */
  ManualReplica(Member self, @Nullable ManualNodeStore store, boolean waitsForDisk) {
    this(self, store, waitsForDisk, null, HeapGuard.UNLIMITED);
  }

  /** Creates a replica of a cache with a bound, which has no disk. */
  ManualReplica(String name, WhenFull whenFull) {
    this(ManualNetwork.member(name), null, false, whenFull, HeapGuard.UNLIMITED);
  }

  /** Creates a replica on a heap with a limit. */
  ManualReplica(String name, HeapGuard guard) {
    this(ManualNetwork.member(name), null, false, null, guard);
  }

  /** Creates a replica of a scattered segment whose entries are in a container. */
  static ManualReplica scattered(String name, Container entries) {
    ManualReplica created =
        new ManualReplica(
            ManualNetwork.member(name), null, false, null, HeapGuard.UNLIMITED, entries);
    created.data.setCopies(created.replica.copies());
    return created;
  }

  private ManualReplica(
      Member self,
      @Nullable ManualNodeStore store,
      boolean waitsForDisk,
      @Nullable WhenFull whenFull,
      HeapGuard guard) {
    this(self, store, waitsForDisk, whenFull, guard, new HeapContainer());
  }

  /** The entries are in a container, unless they are loaded from a store. */
  private ManualReplica(
      Member self,
      @Nullable ManualNodeStore store,
      boolean waitsForDisk,
      @Nullable WhenFull whenFull,
      HeapGuard guard,
      Container created) {
    heapRoom = new HeapRoom(guard, clock);
    this.self = self;
    client = ManualNetwork.member("client of " + self.name());
    DecodedObjectCache objectCache =
        new DecodedObjectCache(
            new Codec(ClassAllowList.of(List.of()), restored()), new MemoryAccount(1 << 20));
    LiveSessions liveSessions = new LiveSessions(id -> true, 1);
    long memoryBytes = store == null ? Long.MAX_VALUE : store.maxMemoryBytes();
    valueEvictor = new ValueEvictor(memoryBytes, clock, this::allValues);
    ReplicaDurability replicaDurability = store == null ? null : durable(store, waitsForDisk);
    LoadedReplica loaded = store == null ? null : store.takeLoadedReplica(0, 3);
    Container entries = loaded == null ? created : loaded.entries();
    data =
        new ReplicaData(
            entries,
            objectCache,
            objectCache.newHints(false),
            stampClock,
            clock,
            liveSessions,
            replicaDurability,
            accountOf(entries, whenFull, store != null),
            heapRoom,
            loaded);
    replica = new Replica(CACHE, 3, data, clock, () -> {});
    if (loaded != null) {
      replica.restore(loaded);
    }
  }

  private ReplicaDurability durable(ManualNodeStore store, boolean waitsForDisk) {
    Durability durability =
        waitsForDisk ? Durability.SYNC : Durability.periodic(Duration.ofMillis(50));
    return new ReplicaDurability(store.replicaStore(0, 3), durability);
  }

  private @Nullable EntryAccount accountOf(
      Container entries, @Nullable WhenFull whenFull, boolean isDurable) {
    if (isDurable) {
      return EntryAccount.ofValues(entries, valueEvictor);
    }
    return whenFull == null ? null : EntryAccount.ofEntries(entries, whenFull);
  }

  /** The memory that the entries take, and the queue that says which value leaves it next. */
  long takenBytes() {
    EntryAccount account = data.account();
    return replica.entries().sizeBytes() + (account == null ? 0 : account.queueBytes());
  }

  private List<ValueResidency> allValues() {
    return List.of(replica.valueResidency());
  }

  /** Adds an entry as one that is fetched. */
  void addFetched(Entry entry) {
    synchronized (replica) {
      data.addTransferred(entry);
    }
  }

  private static ClassLoader restored() {
    return ManualReplica.class.getClassLoader();
  }

  /** An ownership with these owners, the first of them primary, and no joiners. */
  public static SegmentOwnership ownership(int epoch, ManualReplica... owners) {
    return ownership(epoch, List.of(owners), List.of(), epoch);
  }

  /** An ownership with owners and with joiners that began in an epoch. */
  public static SegmentOwnership ownership(
      int epoch, List<ManualReplica> owners, List<ManualReplica> joiners, int since) {
    return ownership(epoch, owners, joiners, since, 1);
  }

  /** An ownership of a segment that began empty in the epoch {@code born}. */
  static SegmentOwnership ownership(
      int epoch, List<ManualReplica> owners, List<ManualReplica> joiners, int since, int born) {
    List<Member> members = owners.stream().map(owner -> owner.self).toList();
    List<SegmentOwnership.Joiner> joining =
        joiners.stream().map(joiner -> new SegmentOwnership.Joiner(joiner.self, since)).toList();
    return new SegmentOwnership(epoch, born, members, members, joining, List.of(), List.of());
  }

  /** Enters an epoch, whatever other replicas do. */
  public boolean enter(SegmentOwnership ownership) {
    boolean entered =
        replica.enterEpoch(
            ownership, self, io.cantle.core.ownership.Topology.NONE.gridDefinition(), true);
    replica.performEffects();
    return entered;
  }

  /** Makes all replicas enter; the primary takes over, sends missing writes, and serves. */
  public static void open(SegmentOwnership ownership, ManualReplica... all) {
    ManualReplica primary =
        Arrays.stream(all)
            .filter(one -> one.self.equals(ownership.primary()))
            .findFirst()
            .orElseThrow();
    for (ManualReplica one : all) {
      one.enter(ownership);
    }
    ReplicaLogSummary mine = primary.replica.summarizeLog(Integer.MAX_VALUE, 0);
    Map<Member, ReplicaLogSummary> logs = new TreeMap<>();
    for (ManualReplica one : all) {
      if (one != primary && ownership.writers().contains(one.self)) {
        ReplicaLogSummary summary = one.replica.summarizeLog(mine.epoch(), mine.applied());
        logs.put(one.self, summary.withWrites(throughTheWire(one.readWhole(summary.writes()))));
      }
    }
    for (ReplicaLogSummary.MissingWrites missing :
        primary.replica.takeOverLog(ownership.epoch(), logs)) {
      for (ManualReplica one : all) {
        if (one.self.equals(missing.member())) {
          List<OrderedWrite> items = throughTheWire(primary.readWhole(missing.writes()));
          assertThat(one.replica.fillLog(ownership.epoch(), missing.epoch(), items)).isTrue();
        }
      }
    }
    assertThat(primary.replica.serveEpoch(ownership.epoch())).isTrue();
  }

  private List<OrderedWrite> readWhole(List<OrderedWrite> items) {
    List<OrderedWrite> whole = new ArrayList<>();
    replica.valueResidency().readWrites(items, whole::addAll);
    return whole;
  }

  /** The same writes as another replica reads them, since an entry belongs to one replica. */
  static List<OrderedWrite> throughTheWire(List<OrderedWrite> items) {
    List<OrderedWrite> read = new ArrayList<>();
    for (OrderedWrite write : items) {
      Output out = new Output(8);
      write.write(out, false);
      read.add(OrderedWrite.read(out.toInput(), write.epoch(), SEED));
    }
    return read;
  }

  /** Adopts a topology in which the client of this replica is a member, or is not. */
  public void registerClient(boolean present) {
    replica.retainSessions(new LiveSessions(id -> present, 1));
  }

  CommandId nextCommand() {
    sequence++;
    return command(sequence, Math.max(1, sequence - 50));
  }

  /** A command of the client of this replica. */
  public CommandId command(long number, long lowest) {
    return new CommandId(new SessionId(client.id(), 1), number, lowest, number + 1_000, 1);
  }

  CommandOutcome put(String key, String value) {
    return put(nextCommand(), key, value);
  }

  /** Puts a value; the result is the previous value. */
  CommandOutcome put(CommandId command, String key, String value) {
    byte[] both = bytes(key + value);
    return execute(
        command, key, found -> CommandEffect.put(both, OperationResult.valueOf(found), true));
  }

  /** The next command of a user of another node, or of this one. */
  CommandId commandOf(Member origin) {
    sequence++;
    return new CommandId(new SessionId(origin.id(), 1), sequence, 1, sequence + 1_000, 1);
  }

  /** Removes a key for a user of another node. */
  CommandOutcome.Written remove(CommandId command, String key) {
    return (CommandOutcome.Written)
        execute(
            command,
            key,
            found -> CommandEffect.remove(bytes(key), OperationResult.valueOf(found), true));
  }

  /** Puts a value that expires. */
  CommandOutcome.Written put(String key, String value, Lifetime lifetime) {
    return put(nextCommand(), key, value, lifetime);
  }

  /** Puts a value that expires for a user of another node. */
  CommandOutcome.Written put(CommandId command, String key, String value, Lifetime lifetime) {
    byte[] both = bytes(key + value);
    CommandEffect effect =
        CommandEffect.put(both, OperationResult.ABSENT, false).withLifetime(lifetime);
    return (CommandOutcome.Written) execute(command, key, found -> effect);
  }

  /** Sends a write of the primary itself to another replica, encoded as bytes. */
  static ApplyResult send(PrimaryInitiatedWrite ordered, ManualReplica to) {
    int epoch = ordered.state().epoch();
    Output out = new Output(8);
    ordered.write().write(out, false);
    OrderedWrite read = OrderedWrite.read(out.toInput(), epoch, SEED);
    return Objects.requireNonNull(
        to.replica.applyReplicated(
            to.replica.segmentWrite(ordered.committed(), read, ordered.route().chain())));
  }

  CommandOutcome remove(String key) {
    return execute(
        nextCommand(),
        key,
        found ->
            found == null
                ? CommandEffect.none(OperationResult.ABSENT)
                : CommandEffect.remove(bytes(key), OperationResult.valueOf(found), true));
  }

  CommandOutcome readValue(String key) {
    return execute(nextCommand(), key, found -> CommandEffect.none(OperationResult.valueOf(found)));
  }

  private CommandOutcome execute(CommandId command, String key, CommandDecision decision) {
    byte[] bytes = bytes(key);
    return (CommandOutcome)
        replica.execute(
            () -> true,
            replica.state().epoch(),
            command,
            hash(key),
            bytes,
            0,
            bytes.length,
            decision);
  }

  /** Puts a value and expects that it is written. */
  CommandOutcome.Written written(String key, String value) {
    return (CommandOutcome.Written) put(key, value);
  }

  /** Sends a write to another replica, encoded as bytes; returns the result there. */
  public static ApplyResult send(CommandOutcome.Written written, ManualReplica to) {
    return send(written, to, written.committed());
  }

  static ApplyResult send(CommandOutcome.Written written, ManualReplica to, long committed) {
    ApplyResult taken = to.replica.applyReplicated(read(written, to, committed));
    if (taken == null) {
      throw new AssertionError(to.self + " refused " + written);
    }
    return taken;
  }

  static SegmentWrite read(CommandOutcome.Written written, ManualReplica to, long committed) {
    ReplicaState state = written.state();
    boolean backup = state.others().indexOf(to.self) < state.backupCount();
    Output out = new Output(8);
    new SegmentWrite(
            to.replica.segment(),
            state.epoch(),
            committed,
            OrderedWrite.OriginNotice.NONE,
            written.write(),
            backup && written.isResultPrevious(),
            written.route().chain())
        .write(out);
    return SegmentWrite.read(out.toInput(), SEED, written.route().chain() != null);
  }

  /**
   * Applies a transfer from a primary that had come to {@code index}; false when it is not added.
   */
  boolean transferred(int epoch, long index, List<Entry> more, SegmentCursor next) {
    return replica.transfer().apply(epoch, index, more, next, -1) == TransferResult.ADDED;
  }

  LocalRead peek(String key) {
    byte[] bytes = bytes(key);
    LocalRead found = replica.readLocally(hash(key), bytes, 0, bytes.length);
    checkReadWhereItLies(bytes, found);
    return found;
  }

  /** A reader looks at an entry where it lies only if it may be returned as it is. */
  private void checkReadWhereItLies(byte[] key, LocalRead found) {
    Entry entry = found.status() == LocalRead.Status.CLEAN ? found.entry() : null;
    boolean isPlain =
        entry != null
            && !entry.isTombstone()
            && !entry.isEvicted()
            && entry.expiryTime() == null
            && !replica.lookup().marksUses();
    long hash = KeyHash.hash(SEED, key, 0, key.length);
    assertThat(replica.lookup().readClean(hash, key, 0, key.length, InPlaceEntry::copyValue))
        .isEqualTo(entry != null && isPlain ? entry.copyValue() : null);
  }

  /** Everything held, live or removed, readable or not: "key=value" and "key-" in sorted order. */
  public List<String> contents() {
    List<String> contents = new ArrayList<>();
    replica
        .entries()
        .scan(
            SegmentCursor.START,
            entry -> {
              contents.add(
                  text(entry.bytes(), 0, entry.keyLength())
                      + (entry.isTombstone() ? "-" : "=" + value(entry)));
              return VisitResult.CONTINUE;
            });
    contents.sort(null);
    return contents;
  }

  static String value(Entry entry) {
    return entry.isEvicted() ? "on disk" : inMemory(entry);
  }

  private static String inMemory(Entry entry) {
    return text(entry.bytes(), entry.valueOffset(), entry.valueLength());
  }

  /** The value of a result, "-" for none. */
  public static String text(OperationResult result) {
    return result.hasValue() ? text(result.bytes(), result.offset(), result.length()) : "-";
  }

  private static String text(byte[] bytes, int offset, int length) {
    return new String(bytes, offset, length, StandardCharsets.UTF_8);
  }

  /** Encodes keys and values as UTF-8. */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The hash of a key, the same for all replicas of a test. */
  public static long hash(String key) {
    byte[] bytes = bytes(key);
    return KeyHash.hash(SEED, bytes, 0, bytes.length);
  }

  static Entry entry(String key, String value, int epoch, long index) {
    return Entry.of(hash(key), bytes(key + value), bytes(key).length, epoch, index, false, 0, null);
  }
}
