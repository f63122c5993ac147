package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Durability;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.base.Output;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.store.Copy;
import io.cantle.core.store.HandStore;
import io.cantle.core.topology.Ownership;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A replica with its member, spoken to in strings, driven by hand. */
public final class HandReplica {
  /** Of the hash. */
  public static final long SEED = 42;

  /** Whose it is. */
  public final Member self;

  /** What it tells the time by. */
  final HandClock clock = new HandClock();

  /** What its writes are stamped by. */
  final HybridClock stamps = new HybridClock(clock);

  /** The replica itself. */
  public final Replica replica;

  /** What keeps its memory within the bound of its store. */
  @Nullable Eviction eviction;

  private final Contents contents;
  private final Member client;
  private long sequence;

  /** A replica of nothing yet; members are known by name. */
  public HandReplica(String name) {
    this(HandNetwork.member(name), null);
  }

  /** One that waits for its disk, and goes on with what is there. */
  HandReplica(Member self, @Nullable HandStore store) {
    this(self, store, true);
  }

  /** One that goes on with what is on its disk, and may wait for it. */
  HandReplica(Member self, @Nullable HandStore store, boolean waitsForDisk) {
    this.self = self;
    client = HandNetwork.member("client of " + self.name());
    Decoded decoded = new Decoded(new Codec(AllowList.of(List.of()), loader()), 1 << 20);
    Lives lives = new Lives(id -> true, 1);
    Keeping keeping = store == null ? null : keeping(store, waitsForDisk);
    Copy copy = store == null ? null : store.take(0, 3);
    contents = new Contents(decoded, stamps, clock, lives, keeping, copy);
    replica = new Replica(0, 3, contents, clock);
    if (copy != null) {
      replica.goOn(copy);
    }
  }

  private Keeping keeping(HandStore store, boolean waitsForDisk) {
    eviction = new Eviction(store.memoryBytes(), clock, this::all);
    Durability durability =
        waitsForDisk ? Durability.SYNC : Durability.periodic(Duration.ofMillis(50));
    return new Keeping(store.shelf(0, 3), durability, () -> {}, eviction);
  }

  /** The same values, guarded by another lock. */
  Values values(ReentrantLock lock) {
    return new Values(lock, contents, clock);
  }

  private List<Replica> all() {
    return List.of(replica);
  }

  private static ClassLoader loader() {
    return HandReplica.class.getClassLoader();
  }

  /** Owners, the first of them primary, nobody joining. */
  public static Ownership ownership(int epoch, HandReplica... owners) {
    return ownership(epoch, List.of(owners), List.of(), epoch);
  }

  /** Owners and joiners that began in an epoch. */
  public static Ownership ownership(
      int epoch, List<HandReplica> owners, List<HandReplica> joiners, int since) {
    return ownership(epoch, owners, joiners, since, 1);
  }

  /** The same of a segment that began empty in an epoch. */
  static Ownership ownership(
      int epoch, List<HandReplica> owners, List<HandReplica> joiners, int since, int born) {
    List<Member> members = owners.stream().map(owner -> owner.self).toList();
    List<Ownership.Joiner> joining =
        joiners.stream().map(joiner -> new Ownership.Joiner(joiner.self, since)).toList();
    return new Ownership(epoch, born, members, members, joining, List.of(), List.of());
  }

  /** Enters an epoch, whatever others do. */
  public boolean enter(Ownership ownership) {
    return replica.enter(ownership, self, io.cantle.core.topology.Topology.NONE.charter());
  }

  /** All enter; the primary takes over and hands out what others lack; then it serves. */
  public static void open(Ownership ownership, HandReplica... all) {
    HandReplica primary =
        Arrays.stream(all)
            .filter(one -> one.self.equals(ownership.primary()))
            .findFirst()
            .orElseThrow();
    for (HandReplica one : all) {
      one.enter(ownership);
    }
    Log mine = primary.replica.log(Integer.MAX_VALUE, 0);
    Map<Member, Log> logs = new TreeMap<>();
    for (HandReplica one : all) {
      if (one != primary && ownership.writers().contains(one.self)) {
        Log log = one.replica.log(mine.epoch(), mine.applied());
        logs.put(
            one.self,
            new Log(
                log.since(),
                log.epoch(),
                log.applied(),
                carried(one.whole(log.items())),
                log.segmentMillis()));
      }
    }
    for (Log.Missing missing : primary.replica.takeOver(ownership.epoch(), logs)) {
      for (HandReplica one : all) {
        if (one.self.equals(missing.member())) {
          List<Item> items = carried(primary.whole(missing.items()));
          assertThat(one.replica.fill(ownership.epoch(), missing.epoch(), items)).isTrue();
        }
      }
    }
    assertThat(primary.replica.serve(ownership.epoch())).isTrue();
  }

  private List<Item> whole(List<Item> items) {
    List<Item> whole = new ArrayList<>();
    replica.values().wholeItems(items, whole::addAll);
    return whole;
  }

  /** The same writes as another copy reads them: an entry belongs to one copy. */
  static List<Item> carried(List<Item> items) {
    List<Item> read = new ArrayList<>();
    for (Item item : items) {
      Output out = new Output(8);
      item.write(out, false);
      read.add(Item.read(out.toInput(), item.epoch(), SEED, Item.Notice.NONE).item());
    }
    return read;
  }

  /** A topology in which this one's client is a member, or is one no more. */
  public void clientIsPresent(boolean present) {
    replica.retainSessions(new Lives(id -> present, 1));
  }

  Command nextCommand() {
    sequence++;
    return command(sequence, Math.max(1, sequence - 50));
  }

  /** A command of this one's client. */
  public Command command(long number, long lowest) {
    return new Command(new SessionId(client.id(), 1), number, lowest, number + 1_000, 1);
  }

  Outcome put(String key, String value) {
    return put(nextCommand(), key, value);
  }

  /** Puts, and answers the value that was there. */
  Outcome put(Command command, String key, String value) {
    byte[] both = bytes(key + value);
    return execute(command, key, found -> Effect.put(both, Result.valueOf(found), true));
  }

  /** Puts a value that ends. */
  Outcome.Written put(String key, String value, Lifetime lifetime) {
    byte[] both = bytes(key + value);
    Effect effect = Effect.put(both, Result.ABSENT, false).lasting(lifetime);
    return (Outcome.Written) execute(nextCommand(), key, found -> effect);
  }

  /** Sends what the primary wrote of itself to another copy, by way of bytes. */
  static Taken send(Ordered ordered, HandReplica to) {
    int epoch = ordered.state().epoch();
    Output out = new Output(8);
    ordered.item().write(out, false);
    Item.Read read = Item.read(out.toInput(), epoch, SEED, Item.Notice.NONE);
    return Objects.requireNonNull(to.replica.replicated(epoch, ordered.committed(), List.of(read)));
  }

  Outcome remove(String key) {
    return execute(
        nextCommand(),
        key,
        found ->
            found == null
                ? Effect.none(Result.ABSENT)
                : Effect.remove(bytes(key), Result.valueOf(found), true));
  }

  Outcome look(String key) {
    return execute(nextCommand(), key, found -> Effect.none(Result.valueOf(found)));
  }

  private Outcome execute(Command command, String key, Decision decision) {
    byte[] bytes = bytes(key);
    return (Outcome)
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

  /** A write that succeeds. */
  Outcome.Written written(String key, String value) {
    return (Outcome.Written) put(key, value);
  }

  /** Sends a write to another copy, by way of bytes; returns what that did. */
  public static Taken send(Outcome.Written written, HandReplica to) {
    return send(written, to, written.committed());
  }

  static Taken send(Outcome.Written written, HandReplica to, long committed) {
    int epoch = written.state().epoch();
    Taken taken = to.replica.replicated(epoch, committed, List.of(read(written, to)));
    if (taken == null) {
      throw new AssertionError(to.self + " refused " + written);
    }
    return taken;
  }

  static Item.Read read(Outcome.Written written, HandReplica to) {
    ReplicaState state = written.state();
    boolean backup = state.others().indexOf(to.self) < state.backups();
    Output out = new Output(8);
    written.item().write(out, backup && written.resultIsPrevious());
    return Item.read(out.toInput(), state.epoch(), SEED, Item.Notice.NONE);
  }

  /** Brings what a primary that had come to {@code index} told; false when it is not taken. */
  boolean transferred(int epoch, long index, List<Entry> more, Cursor next) {
    return replica.transferred(epoch, index, more, next, -1) == Received.ADDED;
  }

  Peek peek(String key) {
    byte[] bytes = bytes(key);
    return replica.peek(hash(key), bytes, 0, bytes.length);
  }

  /** What is held, live and removed, whatever may be told of it: sorted "key=value" and "key-". */
  public List<String> contents() {
    List<String> contents = new ArrayList<>();
    replica
        .entries()
        .scan(
            Cursor.START,
            entry -> {
              contents.add(
                  text(entry.bytes(), 0, entry.keyLength())
                      + (entry.tombstone() ? "-" : "=" + value(entry)));
              return Visit.NEXT;
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
  public static String text(Result result) {
    return result.hasValue() ? text(result.bytes(), result.offset(), result.length()) : "-";
  }

  private static String text(byte[] bytes, int offset, int length) {
    return new String(bytes, offset, length, StandardCharsets.UTF_8);
  }

  /** Keys and values are UTF-8. */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The hash all replicas of a test agree on. */
  public static long hash(String key) {
    byte[] bytes = bytes(key);
    return KeyHash.hash(SEED, bytes, 0, bytes.length);
  }

  static Entry entry(String key, String value, int epoch, long index) {
    return new Entry(hash(key), bytes(key + value), bytes(key).length, epoch, index, false);
  }
}
