package io.cantle.core.replica;

import io.cantle.core.base.HybridClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries;
import io.cantle.core.topology.Charter;
import io.cantle.core.topology.Ownership;
import io.cantle.core.transport.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * This node's copy of one segment.
 *
 * <p><b>Writing.</b> The primary of an epoch gives each write the next index of that epoch, applies
 * it and has it sent to all other writers, owners and joiners. They apply writes strictly in order,
 * so that "I have come to index n" says everything. What all writers have come to is
 * <em>committed</em>. The writes above the last committed index known here are the <em>tail</em>.
 * An entry of the present epoch above the committed index is <em>dirty</em>: no answer may be made
 * from it yet.
 *
 * <p><b>Changing the epoch.</b> A copy that enters an epoch refuses every earlier one from then on.
 * The new primary serves when all others have entered, retiring ones too, and when everybody that
 * took part in the last epoch with writes holds the longest tail any of them held: what was
 * acknowledged is in every tail, what is in some is put in all. Entries of earlier epochs are then
 * clean. A copy learns that its epoch is served from the first message that says so.
 *
 * <p><b>Joining.</b> A joiner takes part in every write from the epoch in which it began, and
 * fetches what earlier epochs left. Tombstones stay while anybody joins, so that a fetched entry
 * cannot come back to life.
 *
 * <p><b>Threading:</b> any thread; guarded by {@link #lock}, which is never held while something is
 * sent or waited for. {@link #peek} and scans take no lock: they look at the state before and
 * after.
 */
public final class Replica {
  /** How many writes that came too early are kept; the rest would come from a primary run wild. */
  private static final int MAX_EARLY = 100_000;

  /** How many removed keys stay that others may still have; for older ones a removal may fail. */
  private static final int MAX_TOMBSTONES = 4_096;

  /** Of how many grids that were left it is remembered how far the copy had come. */
  private static final int MAX_PARTINGS = 32;

  /** What a copy is for. */
  public enum Role {
    /** Nothing is kept here. */
    NONE,
    /**
     * One of the last that held the segment before it was lost, or before an epoch that nobody has
     * confirmed yet: it waits, in case it is needed.
     */
    KEEPER,
    /** Takes part in writes and fetches the rest. */
    JOINER,
    /** Holds everything. */
    BACKUP,
    /** Holds everything and orders the writes. */
    PRIMARY;

    /** Whether such a copy takes part in writes. */
    boolean writes() {
      return this == JOINER || this == BACKUP || this == PRIMARY;
    }

    /** Whether such a copy holds everything. */
    boolean inSync() {
      return this == KEEPER || this == BACKUP || this == PRIMARY;
    }
  }

  /**
   * Which part a copy has.
   *
   * @param epoch the epoch entered last
   * @param role what it is in it
   * @param serving whether the epoch is known to be served
   * @param steady whether nobody joins
   * @param others for a primary: the other writers, backups before joiners
   * @param backups how many of the others are backups
   */
  public record State(
      int epoch, Role role, boolean serving, boolean steady, List<Member> others, int backups) {

    /** Whether nothing has changed since: what was read in between counts. */
    public boolean same(State later) {
      return epoch == later.epoch && serving == later.serving;
    }

    /** Whether the segment may be read here: what is dirty, only if this is the primary. */
    public boolean readable() {
      return serving && (role == Role.PRIMARY || role == Role.BACKUP);
    }

    /** Whether this is a primary at work. */
    public boolean leads() {
      return serving && role == Role.PRIMARY;
    }

    State served() {
      return new State(epoch, role, true, steady, others, backups);
    }
  }

  /** Whether an answer can be made at once. */
  public enum Status {
    /** The entry may be answered from. */
    CLEAN,
    /** Not before {@code index} is committed. */
    DIRTY,
    /** Not here. */
    REFUSED
  }

  /** What was found. */
  public record Peek(Status status, int epoch, @Nullable Entry entry) {}

  /** How a command ended at the primary. */
  public sealed interface Outcome {
    /** Not now, and this try never: it changes nothing, however often it comes. */
    record Refused() implements Outcome {}

    /**
     * Not here, or not now, and nobody here knows any more whether this very try was carried out
     * when it came before.
     */
    record Forgotten() implements Outcome {}

    /** Given up by its session long ago, or refused before: nobody waits. */
    record Ignored() implements Outcome {}

    /** Nothing was written, or nothing anew: the result holds once {@code index} is committed. */
    record Answer(int epoch, long index, Result result) implements Outcome {}

    /** Written: to be sent to the others, after {@code committed}. */
    record Written(Item item, boolean resultIsPrevious, long committed, State state)
        implements Outcome {}
  }

  /**
   * What a copy holds of the last epoch it saw writes in.
   *
   * @param since from which epoch on it took part in every write
   * @param epoch the last epoch it saw writes in, 0 for none
   * @param applied the index it has come to
   * @param items those of its tail that were asked for
   */
  public record Log(int since, int epoch, long applied, List<Item> items) {}

  /** Writes somebody has to be given before the epoch may be served. */
  public record Missing(Member member, int epoch, List<Item> items) {}

  /**
   * What a backup or joiner did with writes that came.
   *
   * @param applied the index it has come to
   * @param items those it has just applied, in order, with their results
   */
  public record Taken(long applied, List<Item.Read> items) {}

  /** What a copy held when it ended. */
  record Orphaned(boolean whole, Parting last, Map<UUID, Parting> partings, List<Entry> entries) {}

  private record Waiter(long index, Runnable committed, Runnable refused) {}

  private static final State NOTHING = new State(0, Role.NONE, false, true, List.of(), 0);
  private static final Outcome REFUSED = new Outcome.Refused();
  private static final Outcome FORGOTTEN = new Outcome.Forgotten();
  private static final Outcome IGNORED = new Outcome.Ignored();

  private final int cache;
  private final int segment;
  private final Decoded decoded;
  private final HybridClock stamps;
  private final ReentrantLock lock = new ReentrantLock();
  private final SegmentEntries entries = new SegmentEntries();
  private final Sessions sessions;
  private final ArrayDeque<Entry> tombstones = new ArrayDeque<>();

  private volatile State state = NOTHING;
  private volatile long committed;

  private int since;
  private int logEpoch;
  private long applied;
  private final ArrayDeque<Item> tail = new ArrayDeque<>();
  private final Map<Long, Item.Read> early = new HashMap<>();
  private Cursor cursor = Cursor.START;

  // Of a grid whose members go on when they are cut off.
  private @Nullable UUID grid;
  private volatile boolean stamped;
  private final LinkedHashMap<UUID, Parting> partings = new LinkedHashMap<>();
  private @Nullable Orphaned orphaned;

  // Of the primary.
  private long[] acked = new long[0];
  private List<Waiter> waiters = new ArrayList<>();
  private long announced;
  private long oldDue = -1;

  Replica(int cache, int segment, Decoded decoded, HybridClock stamps, Lives lives) {
    this.cache = cache;
    this.segment = segment;
    this.decoded = decoded;
    this.stamps = stamps;
    this.sessions = new Sessions(lives);
  }

  /** The place of the cache in the topology. */
  public int cache() {
    return cache;
  }

  /** Which segment this is. */
  public int segment() {
    return segment;
  }

  /** Its present part. */
  public State state() {
    return state;
  }

  /** The entries, for scans that check {@link #state} before and after. */
  public SegmentEntries entries() {
    return entries;
  }

  /** Whether an entry found in a served epoch may be answered from. */
  public boolean clean(Entry entry, int epoch) {
    return entry.epoch() < epoch || entry.index() <= committed;
  }

  // ------------------------------------------------------------------ entering an epoch

  /** Enters the epoch of an ownership, if it is a later one. Returns whether it was. */
  boolean enter(Ownership ownership, Member self, Charter charter) {
    List<Waiter> refused;
    lock.lock();
    try {
      if (ownership.epoch() <= state.epoch) {
        return false;
      }
      part(ownership, charter);
      Role role = roleOf(ownership, self);
      int began = role == Role.JOINER ? joinedSince(ownership, self) : since;
      boolean worthless = role == Role.NONE || began != since || since < ownership.born();
      since = worthless && began == since ? 0 : began;
      if (role == Role.NONE) {
        since = 0;
      } else if (since == 0) {
        since = ownership.epoch();
      }
      early.clear();
      committed = 0;
      announced = -1;
      oldDue = -1;
      List<Member> others =
          role == Role.PRIMARY
              ? ownership.writers().stream().filter(member -> !member.equals(self)).toList()
              : List.of();
      int backups = role == Role.PRIMARY ? ownership.owners().size() - 1 : 0;
      boolean steady = ownership.joiners().isEmpty();
      state = new State(ownership.epoch(), role, false, steady, others, backups);
      if (worthless) {
        // After the state: whoever reads without the lock sees that nothing may be told any more.
        drop();
      }
      acked = new long[others.size()];
      refused = waiters;
      waiters = new ArrayList<>();
    } finally {
      lock.unlock();
    }
    refused.forEach(waiter -> waiter.refused.run());
    return true;
  }

  /** Remembers what other sides of a partition do not know, before it is too late. */
  private void part(Ownership ownership, Charter charter) {
    if (charter.available() && holdsEverything() && ownership.born() > state.epoch) {
      orphaned = orphan();
    }
    UUID left = grid;
    if (left != null && !left.equals(charter.gridId()) && state.role.inSync()) {
      partings.put(left, parting());
      if (partings.size() > MAX_PARTINGS) {
        partings.pollFirstEntry();
      }
    }
    grid = charter.gridId();
    stamped = charter.available();
  }

  /**
   * Whether this copy holds whatever was acknowledged. A joiner that has fetched all may be an
   * owner by a topology it does not know yet, and former owners, who do, have dropped theirs.
   */
  public boolean holdsEverything() {
    return state.role.inSync() || (state.role == Role.JOINER && cursor.equals(Cursor.END));
  }

  /** How far this copy has come for certain: what its tail holds, not everybody may hold. */
  private Parting parting() {
    Item first = tail.peekFirst();
    return first != null
        ? new Parting(state.epoch, first.entry().epoch(), first.index() - 1)
        : new Parting(state.epoch, state.epoch, logEpoch == state.epoch ? applied : 0);
  }

  private Orphaned orphan() {
    List<Entry> all = new ArrayList<>();
    entries.scan(
        Cursor.START,
        entry -> {
          all.add(entry);
          return SegmentEntries.Visit.NEXT;
        });
    return new Orphaned(state.role != Role.KEEPER, parting(), Map.copyOf(partings), all);
  }

  /** What this copy held when its segment began empty in the epoch entered last; told once. */
  @Nullable Orphaned takeOrphaned() {
    lock.lock();
    try {
      Orphaned taken = orphaned;
      orphaned = null;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The grid of this copy has ended for this node: nothing is ever done with it any more. Returns
   * what it holds, if it holds everything.
   */
  @Nullable Orphaned retire() {
    List<Waiter> refused;
    Orphaned held;
    lock.lock();
    try {
      held = holdsEverything() ? orphan() : null;
      state = new State(Integer.MAX_VALUE, Role.NONE, false, true, List.of(), 0);
      drop();
      refused = waiters;
      waiters = new ArrayList<>();
    } finally {
      lock.unlock();
    }
    refused.forEach(waiter -> waiter.refused.run());
    return held;
  }

  /** Whether removed keys stay, because others that do not know may still have them. */
  public boolean keepsTombstones() {
    return stamped;
  }

  private static Role roleOf(Ownership ownership, Member self) {
    int place = ownership.owners().indexOf(self);
    if (place >= 0) {
      return place == 0 ? Role.PRIMARY : Role.BACKUP;
    }
    if (joinedSince(ownership, self) > 0) {
      return Role.JOINER;
    }
    return ownership.last().contains(self) ? Role.KEEPER : Role.NONE;
  }

  private static int joinedSince(Ownership ownership, Member self) {
    for (Ownership.Joiner joiner : ownership.joiners()) {
      if (joiner.member().equals(self)) {
        return joiner.since();
      }
    }
    return 0;
  }

  private void drop() {
    entries.scan(
        Cursor.START,
        entry -> {
          decoded.release(entry);
          return SegmentEntries.Visit.NEXT;
        });
    entries.clear();
    sessions.clear();
    tombstones.clear();
    tail.clear();
    partings.clear();
    logEpoch = 0;
    applied = 0;
    cursor = Cursor.START;
  }

  /**
   * What this copy holds, and the part of its tail that somebody lacks who has come to {@code
   * knownApplied} in {@code knownEpoch}.
   */
  public Log log(int knownEpoch, long knownApplied) {
    lock.lock();
    try {
      List<Item> items = new ArrayList<>();
      if (logEpoch >= knownEpoch) {
        for (Item item : tail) {
          if (logEpoch > knownEpoch || item.index() > knownApplied) {
            items.add(item);
          }
        }
      }
      return new Log(since, logEpoch, applied, items);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes over, as the new primary, the longest log of all.
   *
   * @param logs what the other writers hold
   * @return who lacks what; empty when the epoch may be served
   */
  public List<Missing> takeOver(int epoch, Map<Member, Log> logs) {
    lock.lock();
    try {
      if (state.epoch != epoch || state.serving) {
        return List.of();
      }
      for (Log log : logs.values()) {
        if (log.epoch > logEpoch || (log.epoch == logEpoch && log.applied > applied)) {
          fill(log.epoch, log.items);
          check(log.applied == applied, "the longest log ends at " + log.applied + ", not ");
        }
      }
      List<Missing> missing = new ArrayList<>();
      logs.forEach(
          (member, log) -> {
            if (log.since <= logEpoch && (log.epoch < logEpoch || log.applied < applied)) {
              long from = log.epoch < logEpoch ? 0 : log.applied;
              List<Item> items = tail.stream().filter(item -> item.index() > from).toList();
              if (!items.isEmpty()) {
                missing.add(new Missing(member, logEpoch, items));
              }
            }
          });
      return missing;
    } finally {
      lock.unlock();
    }
  }

  /** Adds, before an epoch is served, writes of an earlier one. */
  public boolean fill(int epoch, int itemsEpoch, List<Item> items) {
    lock.lock();
    try {
      if (state.epoch != epoch || !state.role.writes()) {
        return false;
      }
      if (!state.serving) {
        fill(itemsEpoch, items);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void fill(int itemsEpoch, List<Item> items) {
    if (logEpoch < itemsEpoch) {
      logEpoch = itemsEpoch;
      applied = 0;
      tail.clear();
    }
    for (Item item : items) {
      if (item.index() > applied) {
        check(item.index() == applied + 1, "write " + item.index() + " is to follow ");
        apply(item);
      }
    }
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(
          what + applied + " in segment " + segment + ", epoch " + logEpoch);
    }
  }

  /** Serves, as the primary, the epoch everybody has entered. */
  public boolean serve(int epoch) {
    lock.lock();
    try {
      if (state.epoch != epoch || state.role != Role.PRIMARY) {
        return false;
      }
      learnServed();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The present epoch is served: everything of earlier ones is everywhere it must be. */
  private void learnServed() {
    if (!state.serving) {
      logEpoch = state.epoch;
      applied = 0;
      tail.clear();
      state = state.served();
      purge();
    }
  }

  // ------------------------------------------------------------------ reading

  /** Looks a key up without a lock. */
  public Peek peek(long hash, byte[] key, int offset, int length) {
    State before = state;
    if (!before.readable()) {
      return new Peek(Status.REFUSED, before.epoch, null);
    }
    Entry entry = entries.find(hash, key, offset, length);
    boolean clean = entry == null || clean(entry, before.epoch);
    if (!before.same(state)) {
      return new Peek(Status.REFUSED, before.epoch, null);
    }
    return new Peek(clean ? Status.CLEAN : Status.DIRTY, before.epoch, entry);
  }

  /**
   * How many live entries there are once {@code index} is committed.
   *
   * @param count live entries
   * @param epoch the epoch it was counted in
   * @param index what has to be committed before the count may be told
   * @param committed whether it is already
   */
  public record Count(long count, int epoch, long index, boolean committed) {}

  /** Counts, at the primary; null when this is not it. */
  public @Nullable Count count() {
    lock.lock();
    try {
      return state.leads()
          ? new Count(entries.liveCount(), state.epoch, applied, applied <= committed)
          : null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs one of two things: when an index of an epoch is committed, or when it never will be.
   *
   * @return true if neither was run yet
   */
  public boolean whenCommitted(int epoch, long index, Runnable then, Runnable refused) {
    boolean now;
    lock.lock();
    try {
      if (state.epoch != epoch) {
        now = false;
      } else if (index <= committed) {
        now = true;
      } else {
        waiters.add(new Waiter(index, then, refused));
        return true;
      }
    } finally {
      lock.unlock();
    }
    (now ? then : refused).run();
    return false;
  }

  /** The index this copy, a backup or joiner, has come to in an epoch; -1 if that is over. */
  long appliedOf(int epoch) {
    lock.lock();
    try {
      return state.epoch == epoch && logEpoch == epoch ? applied : -1;
    } finally {
      lock.unlock();
    }
  }

  // ------------------------------------------------------------------ writing

  /**
   * Carries a command out, as the primary.
   *
   * @param entitled whether this node may still write where others go on when it is cut off; asked
   *     after the write got its stamp, so that a pause in between cannot make it the later one
   * @param epoch the epoch the sender believes in
   * @param decision what to do to the live entry found, null for none
   */
  public Outcome execute(
      BooleanSupplier entitled,
      int epoch,
      Command command,
      long hash,
      byte[] key,
      int keyOffset,
      int keyLength,
      Function<@Nullable Entry, Effect> decision) {
    return execute(entitled, epoch, command, hash, key, keyOffset, keyLength, decision, false);
  }

  /** The same for a decision that is to see removed keys as well. */
  public Outcome merge(
      BooleanSupplier entitled,
      int epoch,
      Command command,
      long hash,
      byte[] key,
      int keyOffset,
      int keyLength,
      Function<@Nullable Entry, Effect> decision) {
    return execute(entitled, epoch, command, hash, key, keyOffset, keyLength, decision, true);
  }

  private Outcome execute(
      BooleanSupplier entitled,
      int epoch,
      Command command,
      long hash,
      byte[] key,
      int keyOffset,
      int keyLength,
      Function<@Nullable Entry, Effect> decision,
      boolean seesTombstones) {
    List<Waiter> due = List.of();
    Outcome outcome;
    lock.lock();
    try {
      // Whoever let it in may have waited since: here it counts.
      if (state.epoch != epoch || !sessions.isPresent(command.session())) {
        return FORGOTTEN;
      }
      if (!state.leads()) {
        return refused(command);
      }
      if (!sessions.admit(command) || sessions.isRefused(command, epoch)) {
        return IGNORED;
      }
      Sessions.Known known = sessions.find(command.session(), command.sequence());
      if (known != null) {
        return new Outcome.Answer(
            epoch, known.epoch() == epoch ? known.index() : 0, known.result());
      }
      Entry found = entries.find(hash, key, keyOffset, keyLength);
      boolean unseen = found == null || (found.tombstone() && !seesTombstones);
      Effect effect = decision.apply(unseen ? null : found);
      byte[] bytes = effect.bytes();
      if (bytes == null) {
        long index = found == null || found.epoch() < epoch ? 0 : found.index();
        if (effect.decided()) {
          // The same message may come twice, and must not do later what it did not do now.
          sessions.record(command, epoch, index, effect.result());
        }
        return new Outcome.Answer(epoch, index, effect.result());
      }
      long stamp = !stamped ? 0 : effect.stamp() != 0 ? effect.stamp() : stamps.next();
      if (stamped && !entitled.getAsBoolean()) {
        return refused(command);
      }
      Entry entry = Entry.of(hash, bytes, keyLength, epoch, applied + 1, effect.removes(), stamp);
      Item item = new Item(entry, command, effect.result());
      apply(item);
      if (acked.length == 0) {
        due = advance(applied);
      }
      announced = committed;
      outcome = new Outcome.Written(item, effect.resultIsPrevious(), committed, state);
    } finally {
      lock.unlock();
    }
    due.forEach(waiter -> waiter.committed.run());
    return outcome;
  }

  /**
   * Refuses a try of a command in the epoch it was sent in: {@link Outcome.Refused}, or {@link
   * Outcome.Forgotten} if it may have been carried out.
   */
  public Outcome refuse(int epoch, Command command) {
    lock.lock();
    try {
      return state.epoch == epoch && sessions.isPresent(command.session())
          ? refused(command)
          : FORGOTTEN;
    } finally {
      lock.unlock();
    }
  }

  private Outcome refused(Command command) {
    if (sessions.find(command.session(), command.sequence()) != null) {
      return FORGOTTEN;
    }
    sessions.refuse(command, state.epoch);
    return REFUSED;
  }

  /** How far a writer has come; returns whether more is committed by it. */
  public boolean acked(Member from, int epoch, long upTo) {
    List<Waiter> due;
    boolean more;
    lock.lock();
    try {
      int place = state.others.indexOf(from);
      if (state.epoch != epoch || place < 0 || acked[place] >= upTo) {
        return false;
      }
      acked[place] = upTo;
      long all = upTo;
      for (long one : acked) {
        all = Math.min(all, one);
      }
      more = all > committed;
      due = advance(all);
    } finally {
      lock.unlock();
    }
    due.forEach(waiter -> waiter.committed.run());
    return more;
  }

  /**
   * Takes writes the primary sent, in whatever order they come.
   *
   * @return how far this copy has come, or null if the epoch is over
   */
  public @Nullable Taken replicated(int epoch, long primaryCommitted, List<Item.Read> items) {
    lock.lock();
    try {
      if (state.epoch != epoch || !state.role.writes() || state.role == Role.PRIMARY) {
        return null;
      }
      learnServed();
      List<Item.Read> taken = new ArrayList<>(items.size());
      for (Item.Read read : items) {
        take(read, taken);
      }
      advance(Math.min(primaryCommitted, applied));
      return new Taken(applied, taken);
    } finally {
      lock.unlock();
    }
  }

  private void take(Item.Read read, List<Item.Read> taken) {
    long index = read.item().index();
    if (index <= applied) {
      return;
    }
    if (index > applied + 1) {
      if (early.size() >= MAX_EARLY) {
        throw new IllegalStateException(
            "more than " + MAX_EARLY + " writes of segment " + segment + " came before " + applied);
      }
      early.put(index, read);
      return;
    }
    for (Item.Read next = read; next != null; next = early.remove(applied + 1)) {
      Item item = next.resultIsPrevious() ? withPrevious(next.item()) : next.item();
      apply(item);
      taken.add(new Item.Read(item, false, next.notice()));
    }
  }

  private Item withPrevious(Item item) {
    Entry entry = item.entry();
    Entry previous = entries.find(entry.hash(), entry.bytes(), 0, entry.keyLength());
    return new Item(entry, item.command(), Result.valueOf(previous));
  }

  private void apply(Item item) {
    Entry entry = item.entry();
    put(entry);
    if (entry.tombstone()) {
      tombstones.add(entry);
    }
    sessions.record(item.command(), entry.epoch(), entry.index(), item.result());
    tail.add(item);
    applied = entry.index();
  }

  private void put(Entry entry) {
    if (stamped) {
      stamps.observe(entry.stamp());
    }
    Entry present = entries.find(entry.hash(), entry.bytes(), 0, entry.keyLength());
    if (present == null || present.compareVersion(entry.epoch(), entry.index()) < 0) {
      entries.put(entry);
      if (present != null) {
        decoded.release(present);
      }
    }
  }

  private List<Waiter> advance(long all) {
    if (all <= committed) {
      return List.of();
    }
    committed = all;
    while (!tail.isEmpty() && tail.getFirst().index() <= all) {
      tail.removeFirst();
    }
    purge();
    if (waiters.isEmpty()) {
      return List.of();
    }
    List<Waiter> due = new ArrayList<>();
    List<Waiter> rest = new ArrayList<>();
    for (Waiter waiter : waiters) {
      (waiter.index <= all ? due : rest).add(waiter);
    }
    waiters = rest;
    return due;
  }

  /** Forgets removed keys once nothing older can come for them. */
  private void purge() {
    if (!state.steady || !state.serving || state.role == Role.JOINER) {
      return;
    }
    int kept = stamped ? MAX_TOMBSTONES : 0;
    for (Entry head;
        tombstones.size() > kept
            && (head = tombstones.peekFirst()) != null
            && clean(head, state.epoch); ) {
      entries.purge(head);
      tombstones.removeFirst();
    }
  }

  /** Writes another writer has not acknowledged, and the committed index to go with them. */
  public record Behind(Member member, List<Item> items) {}

  /**
   * Who has not acknowledged writes that were made before the last time this was asked. Messages
   * may be lost, and everybody waits for the last writer.
   *
   * @param maxItems the most writes for each of them
   */
  public List<Behind> behind(int maxItems) {
    lock.lock();
    try {
      long due = oldDue;
      oldDue = state.leads() ? applied : -1;
      if (!state.leads() || committed >= Math.min(due, applied)) {
        return List.of();
      }
      List<Behind> behind = new ArrayList<>();
      for (int place = 0; place < acked.length; place++) {
        long from = acked[place];
        if (from < due) {
          List<Item> items = tail.stream().filter(i -> i.index() > from).limit(maxItems).toList();
          behind.add(new Behind(state.others.get(place), items));
        }
      }
      return behind;
    } finally {
      lock.unlock();
    }
  }

  /** Whether some write made here is not acknowledged by all others. */
  public boolean waits() {
    lock.lock();
    try {
      return state.leads() && applied > committed;
    } finally {
      lock.unlock();
    }
  }

  /** Whether this copy of another's segment does not know how writes it holds have ended. */
  boolean wonders() {
    lock.lock();
    try {
      return (state.role == Role.BACKUP || state.role == Role.JOINER)
          && (!state.serving || !tail.isEmpty());
    } finally {
      lock.unlock();
    }
  }

  /** How far all writers have come, for one that asks; -1 if this is not the primary at work. */
  long committedOf(int epoch) {
    lock.lock();
    try {
      return state.leads() && state.epoch == epoch ? committed : -1;
    } finally {
      lock.unlock();
    }
  }

  /** What backups have to be told that hear of no write: the committed index, or -1 for nothing. */
  public long notice() {
    lock.lock();
    try {
      if (!state.leads() || acked.length == 0 || announced >= committed) {
        return -1;
      }
      announced = committed;
      return committed;
    } finally {
      lock.unlock();
    }
  }

  // ------------------------------------------------------------------ joining

  /**
   * Where the next transfer goes on, for a joiner in this epoch; null when there is none to make.
   */
  public @Nullable Cursor transferCursor(int epoch) {
    lock.lock();
    try {
      return state.epoch == epoch && state.role == Role.JOINER ? cursor : null;
    } finally {
      lock.unlock();
    }
  }

  /** How far the primary has come in an epoch; -1 when it is over. */
  public long applied(int epoch) {
    lock.lock();
    try {
      return state.epoch == epoch && state.leads() ? applied : -1;
    } finally {
      lock.unlock();
    }
  }

  /** What became of a transfer's pull. */
  public enum Received {
    /** It was added. */
    ADDED,
    /** Writes of the present epoch must come first. */
    NOT_YET,
    /** The epoch is over. */
    REFUSED
  }

  /**
   * Adds what a transfer brought, once this copy has come as far as the primary had. An entry the
   * primary left out because a write of the present epoch had replaced it is safe only where that
   * write is: should the write be dropped with its primary, the entry must still be somewhere.
   *
   * @param index how far the primary had come when it had read the last of the entries
   */
  public Received transferred(int epoch, long index, List<Entry> more, Cursor next) {
    lock.lock();
    try {
      if (state.epoch != epoch || state.role != Role.JOINER) {
        return Received.REFUSED;
      }
      // Only a primary at work answers transfers: the epoch is served.
      learnServed();
      if (applied < index) {
        return Received.NOT_YET;
      }
      for (Entry entry : more) {
        put(entry);
        if (entry.tombstone()) {
          tombstones.addLast(entry);
        }
      }
      cursor = next;
      return Received.ADDED;
    } finally {
      lock.unlock();
    }
  }

  /** Adds the results of commands the primary knows; false when the epoch is over. */
  public boolean mergeSessions(int epoch, Input in) {
    lock.lock();
    try {
      if (state.epoch != epoch || state.role != Role.JOINER) {
        return false;
      }
      sessions.merge(in);
      for (int count = in.readCount(MAX_PARTINGS); count > 0; count--) {
        partings.put(in.readId(), Parting.read(in));
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Writes the results of commands of earlier epochs. Those of the present one come to a joiner
   * with the writes themselves: a result without its write would be told though the write is lost.
   */
  public void writeSessions(Output out) {
    lock.lock();
    try {
      sessions.write(out, state.epoch);
      out.writeVarint(partings.size());
      partings.forEach(
          (left, parting) -> {
            out.writeId(left);
            parting.write(out);
          });
    } finally {
      lock.unlock();
    }
  }

  /** Drops the results of sessions that are over, and carries out nothing for them any more. */
  void retainSessions(Lives lives) {
    lock.lock();
    try {
      sessions.retain(lives);
    } finally {
      lock.unlock();
    }
  }
}
