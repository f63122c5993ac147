package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries;
import io.cantle.core.replica.Partings.Orphaned;
import io.cantle.core.store.Copy;
import io.cantle.core.store.Shelf;
import io.cantle.core.topology.Charter;
import io.cantle.core.topology.Ownership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's copy of one segment.
 *
 * <p><b>Writing.</b> The primary of an epoch gives each write the next index of that epoch, applies
 * it and has it sent to all other writers, owners and joiners. They apply writes strictly in order,
 * so that "I have come to index n" says everything. What all writers have come to is
 * <em>committed</em> ({@link Commit}). The writes above the last committed index known here are the
 * <em>tail</em> ({@link Tail}). An entry of the present epoch above the committed index is
 * <em>dirty</em>: no answer may be made from it yet.
 *
 * <p><b>Changing the epoch.</b> A copy that enters an epoch refuses every earlier one from then on.
 * The new primary serves when all others have entered, retiring ones too, and when everybody that
 * took part in the last epoch with writes holds the longest tail any of them held: what was
 * acknowledged is in every tail, what is in some is put in all. Entries of earlier epochs are then
 * clean. A copy learns that its epoch is served from the first message that says so.
 *
 * <p><b>Joining.</b> A joiner takes part in every write from the epoch in which it began, and
 * fetches what earlier epochs left. Tombstones ({@link Contents}) stay while anybody joins, so that
 * a fetched entry cannot come back to life.
 *
 * <p>Every method looks first whether the epoch and the role are the ones it is for; the parts do
 * not know them.
 *
 * <p><b>Threading:</b> any thread; guarded by {@link #lock}, as are its parts, and it is never held
 * while something is sent or waited for. {@link #peek} and scans take no lock: they look at the
 * state before and after.
 */
public final class Replica {
  private static final Outcome REFUSED = new Outcome.Refused();
  private static final Outcome DISK_FULL = new Outcome.DiskFull();
  private static final Outcome FORGOTTEN = new Outcome.Forgotten();
  private static final Outcome IN_DOUBT = new Outcome.InDoubt();
  private static final Outcome IGNORED = new Outcome.Ignored();

  private final int cache;
  private final int segment;
  private final ReentrantLock lock = new ReentrantLock();
  private final Contents contents;
  private final Tail tail;
  private final Commit commit = new Commit();
  private final Partings partings = new Partings();
  private final Aging aging;
  private final Values values;
  private volatile ReplicaState state = ReplicaState.NOTHING;
  private int since;
  private Cursor cursor = Cursor.START;

  /** Whether this is to be the copy of a holder, and is none: this node has nothing, or a part. */
  private boolean lacks;

  /** How it is kept on disk; null if it is not. */
  private final @Nullable Keeping keeping;

  /** Whether a write is held only once it is on disk. */
  private final boolean waitsForDisk;

  /** How much of the present epoch is on disk, if that matters. */
  private long onDisk;

  Replica(int cache, int segment, Contents contents, Clock clock) {
    this.cache = cache;
    this.segment = segment;
    this.contents = contents;
    this.tail = new Tail(segment, contents);
    this.aging = new Aging(contents, this::order);
    this.values = new Values(lock, contents, clock);
    this.keeping = contents.keeping();
    this.waitsForDisk = keeping != null && keeping.waitsForDisk();
  }

  /** Goes on with what an earlier life of this node has left, before anything else. */
  void goOn(Copy copy) {
    since = copy.label().since();
    tail.goOn(copy.epoch(), copy.applied());
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
  public ReplicaState state() {
    return state;
  }

  /** The entries, for scans that check {@link #state} before and after. */
  public SegmentEntries entries() {
    return contents.entries();
  }

  /** How its entries come to their end. */
  public Aging aging() {
    return aging;
  }

  /** Which of its values are in memory. */
  public Values values() {
    return values;
  }

  /** Whether an entry found in a served epoch may be answered from. */
  public boolean clean(Entry entry, int epoch) {
    return commit.clean(entry, epoch);
  }

  /** Whether removed keys stay, because others that do not know may still have them. */
  public boolean keepsTombstones() {
    return contents.stamped();
  }

  private <T extends @Nullable Object> T locked(Supplier<T> answer) {
    lock.lock();
    try {
      return answer.get();
    } finally {
      lock.unlock();
    }
  }

  // ------------------------------------------------------------------ entering an epoch

  /** The same for a member. */
  boolean enter(Ownership ownership, Member self, Charter charter) {
    return enter(ownership, self, charter, true);
  }

  /**
   * Enters the epoch of an ownership, if it is a later one, or if in the present one this copy need
   * not wait any more, since others have served without it. Returns whether it was.
   *
   * @param isMember whether this node is a member of that topology
   */
  boolean enter(Ownership ownership, Member self, Charter charter, boolean isMember) {
    List<Runnable> refused;
    lock.lock();
    try {
      boolean mayEndToWait = ownership.epoch() == state.epoch() && state.role() == Role.KEEPER;
      if (ownership.epoch() <= state.epoch() && !mayEndToWait) {
        return false;
      }
      boolean foreign = keeping != null && keeping.isForeign(charter);
      boolean restored = keeping != null && keeping.restored() && !foreign;
      Role role =
          keeping != null && !foreign && (restored || since != 0)
              ? Role.ofKept(ownership, self, keeping.reached())
              : Role.of(ownership, self);
      if (mayEndToWait && role == Role.KEEPER) {
        return false;
      }
      part(ownership, self, charter, isMember);
      if (foreign || (restored && role == Role.JOINER)) {
        since = 0;
      }
      lacks =
          keeping != null
              && since == 0
              && role.inSync()
              && keeping.hasDropped(charter, ownership.born());
      if (lacks) {
        role = Role.NONE;
      }
      int began = role == Role.JOINER ? Role.joinedSince(ownership, self) : since;
      boolean worthless = role == Role.NONE || began != since || since < ownership.born();
      since = worthless && began == since ? 0 : began;
      if (role == Role.NONE) {
        since = 0;
      } else if (since == 0) {
        // On disk this is known before the epoch is opened: who does not, held nothing that counts.
        since = keeping == null ? ownership.epoch() : ownership.born();
      }
      tail.forgetEarly();
      ReplicaState entered = ReplicaState.entered(ownership, role, self);
      refused = commit.begin(entered.others().size() + (waitsForDisk ? 1 : 0));
      onDisk = 0;
      state = entered;
      if (worthless) {
        // After the state: whoever reads without the lock sees that nothing may be told any more.
        drop();
        if (keeping != null) {
          keeping.drop(charter, ownership.epoch(), ownership.born());
        }
      }
      lacks |= ownership.unowned() && role == Role.JOINER && !holdsEverything();
      if (keeping != null) {
        keep(keeping, charter);
      }
    } finally {
      lock.unlock();
    }
    refused.forEach(Runnable::run);
    return true;
  }

  /** Says on disk what this is a copy of. */
  private void keep(Keeping its, Charter charter) {
    boolean takesPart = state.role().writes();
    if (takesPart && its.restored()) {
      contents.sessions().knowNothingBefore(state.epoch());
    }
    long millis = contents.clock().readMillis();
    its.entered(charter.gridId(), state.epoch(), since, takesPart, millis);
  }

  /**
   * Remembers what other sides of a partition do not know, before it is too late. What this node
   * was excluded with counts too: those that went on without it may all have died since, and the
   * topology that says that they own it may be an old one.
   */
  private void part(Ownership ownership, Member self, Charter charter, boolean isMember) {
    boolean wasExcluded = !isMember || state.role() == Role.KEEPER;
    boolean endsByExclusion = wasExcluded && !Role.of(ownership, self).inSync();
    if (charter.available()
        && holdsEverything()
        && (ownership.born() > state.epoch() || endsByExclusion)) {
      partings.keep(orphan());
    }
    partings.goOn(charter.gridId(), state.role().inSync() ? tail.parting(state.epoch()) : null);
    contents.stamped(charter.available());
  }

  /**
   * Whether this copy holds whatever was acknowledged. A joiner that has fetched all may be an
   * owner by a topology it does not know yet, and former owners, who do, have dropped theirs.
   */
  public boolean holdsEverything() {
    return locked(
        () -> state.role().inSync() || (state.role() == Role.JOINER && cursor.equals(Cursor.END)));
  }

  private Orphaned orphan() {
    Parting reached = tail.parting(state.epoch());
    return partings.orphan(state, reached, contents.all(), contents.clock().time());
  }

  /** What this copy held that was to be merged from the epoch entered last on; told once. */
  @Nullable Orphaned takeOrphaned() {
    return locked(partings::takeOrphaned);
  }

  /**
   * The grid of this copy has ended for this node: nothing is ever done with it any more. Returns
   * what it holds, if it holds everything.
   */
  @Nullable Orphaned retire() {
    List<Runnable> refused;
    Orphaned held;
    lock.lock();
    try {
      held = holdsEverything() ? orphan() : null;
      state = ReplicaState.RETIRED;
      drop();
      refused = commit.refuse();
    } finally {
      lock.unlock();
    }
    refused.forEach(Runnable::run);
    return held;
  }

  /**
   * Whether the voters have to be told that this copy does not hold everything: the topology takes
   * it for that of an owner, or of one of the last, though this node has dropped that and has no
   * part in the epoch; or the segment is lost, and each joiner is asked.
   */
  public boolean lacks(int epoch) {
    return locked(() -> lacks && state.epoch() == epoch);
  }

  private void drop() {
    tail.begin(0);
    contents.clear();
    partings.clear();
    cursor = Cursor.START;
  }

  /**
   * What this copy holds, and the part of its tail that somebody lacks who has come to {@code
   * knownApplied} in {@code knownEpoch}.
   */
  public Log log(int knownEpoch, long knownApplied) {
    return locked(() -> tail.log(since, knownEpoch, knownApplied));
  }

  /**
   * Takes over, as the new primary, the longest log of all.
   *
   * @param logs what the other writers hold
   * @return who lacks what; empty when the epoch may be served
   */
  public List<Log.Missing> takeOver(int epoch, Map<Member, Log> logs) {
    return locked(
        () -> state.epoch() != epoch || state.serving() ? List.of() : tail.takeOver(logs));
  }

  /** Adds, before an epoch is served, writes of an earlier one. */
  public boolean fill(int epoch, int itemsEpoch, List<Item> items) {
    return locked(
        () -> {
          boolean writes = state.epoch() == epoch && state.role().writes();
          if (writes && !state.serving()) {
            tail.fill(itemsEpoch, items);
          }
          return writes;
        });
  }

  /** Serves, as the primary, the epoch everybody has entered. */
  public boolean serve(int epoch) {
    return locked(
        () -> {
          boolean leads = state.epoch() == epoch && state.role() == Role.PRIMARY;
          if (leads) {
            learnServed();
          }
          return leads;
        });
  }

  /** The present epoch is served: everything of earlier ones is everywhere it must be. */
  private void learnServed() {
    if (!state.serving()) {
      tail.begin(state.epoch());
      state = state.served();
      contents.purge(state, commit);
    }
  }

  // ------------------------------------------------------------------ on disk

  /** Whether it is kept on disk. */
  public boolean isKept() {
    return keeping != null;
  }

  /** Whether a write counts as held, here as elsewhere, only once it is on disk. */
  public boolean waitsForDisk() {
    return waitsForDisk;
  }

  /** Whether so much is on its way to disk that nothing more should be taken than must be. */
  public boolean isFull() {
    Keeping its = keeping;
    return its != null && its.isFull();
  }

  /**
   * Whether what is taken now counts as held later: if a write is to be on disk, and for any cache
   * that is kept while the disk is behind, or whoever writes would never hear of that.
   */
  public boolean holdsLater() {
    return waitsForDisk || isFull();
  }

  /**
   * Runs something once everything this copy has taken is as safe here as its cache wants: at once,
   * unless it waits for the disk. Never, if that fails.
   */
  public void whenHeld(Runnable then) {
    if (holdsLater()) {
      whenKept(then);
    } else {
      then.run();
    }
  }

  /** The same, also if writes do not wait for the disk. At once, if nothing is kept there. */
  public void whenKept(Runnable then) {
    Keeping its = keeping;
    if (its == null) {
      then.run();
      return;
    }
    lock.lock();
    try {
      its.then(then);
    } finally {
      lock.unlock();
    }
  }

  /** What was applied just now counts once it is on disk. */
  private void holdLater() {
    Keeping its = keeping;
    if (its != null && waitsForDisk) {
      int epoch = state.epoch();
      long applied = tail.applied();
      its.then(
          () -> {
            if (held(epoch, applied)) {
              its.news().run();
            }
          });
    }
  }

  /** So much is on disk; returns whether more is committed by it. */
  private boolean held(int epoch, long upTo) {
    List<Runnable> due = new ArrayList<>();
    boolean more =
        locked(
            () -> {
              if (state.epoch() != epoch) {
                return false;
              }
              onDisk = Math.max(onDisk, upTo);
              long all = state.leads() ? commit.acked(state.others().size(), upTo) : -1;
              boolean news = all > commit.index();
              due.addAll(advance(all));
              return news;
            });
    due.forEach(Runnable::run);
    return more;
  }

  // ------------------------------------------------------------------ reading

  /** Looks a key up without a lock. */
  public Peek peek(long hash, byte[] key, int offset, int length) {
    ReplicaState before = state;
    if (!before.readable()) {
      return new Peek(Peek.Status.REFUSED, before.epoch(), null);
    }
    Entry entry = contents.find(hash, key, offset, length);
    used(entry);
    boolean clean = entry == null || clean(entry, before.epoch());
    if (!before.same(state)) {
      return new Peek(Peek.Status.REFUSED, before.epoch(), null);
    }
    return new Peek(clean ? Peek.Status.CLEAN : Peek.Status.DIRTY, before.epoch(), entry);
  }

  private void used(@Nullable Entry entry) {
    if (entry != null && keeping != null) {
      entry.use();
    }
  }

  /** Counts, at the primary; null when this is not it. */
  public @Nullable Count count() {
    return this.<@Nullable Count>locked(() -> state.leads() ? counted(tail.applied()) : null);
  }

  private Count counted(long applied) {
    return new Count(entries().liveCount(), state.epoch(), applied, applied <= commit.index());
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
      if (state.epoch() != epoch) {
        now = false;
      } else if (index <= commit.index()) {
        now = true;
      } else {
        commit.await(index, then, refused);
        return true;
      }
    } finally {
      lock.unlock();
    }
    (now ? then : refused).run();
    return false;
  }

  // ------------------------------------------------------------------ writing

  /**
   * Carries a command out, as the primary.
   *
   * @param entitled whether this node may still write where others go on when it is cut off; asked
   *     after the write got its stamp, so that a pause in between cannot make it the later one
   * @param epoch the epoch the sender believes in
   * @param decision what to do to the entry found
   */
  public Attempt execute(
      BooleanSupplier entitled,
      int epoch,
      Command command,
      long hash,
      byte[] key,
      int keyOffset,
      int keyLength,
      Decision decision) {
    List<Runnable> due = List.of();
    Outcome outcome;
    lock.lock();
    try {
      Sessions sessions = contents.sessions();
      // Whoever let it in may have waited since: here it counts.
      if (state.epoch() != epoch || !sessions.isPresent(command.session())) {
        return FORGOTTEN;
      }
      if (!state.leads()) {
        return refused(command);
      }
      if (!sessions.admit(command) || sessions.isRefused(command, epoch)) {
        return IGNORED;
      }
      Sessions.Known known = sessions.find(command.session(), command.sequence(), epoch);
      if (known != null) {
        return new Outcome.Answer(
            epoch, known.epoch() == epoch ? known.index() : 0, known.result());
      }
      if (sessions.mayHaveForgotten(command)) {
        return IN_DOUBT;
      }
      Shelf.Room room = keeping == null ? Shelf.Room.ALL : keeping.room();
      if (room == Shelf.Room.LATER) {
        return refused(command);
      }
      Entry found = contents.find(hash, key, keyOffset, keyLength);
      used(found);
      boolean unseen = found == null || (found.tombstone() && !decision.seesRemoved());
      if (found != null && !unseen && found.isEvicted() && !decision.ignoresValue()) {
        return new Attempt.Evicted(found);
      }
      Effect effect = decision.on(unseen ? null : found);
      byte[] bytes = effect.bytes();
      if (bytes == null) {
        long index = found == null || found.epoch() < epoch ? 0 : found.index();
        if (effect.decided()) {
          // The same message may come twice, and must not do later what it did not do now.
          sessions.answered(command, epoch, index, effect.result());
        }
        return new Outcome.Answer(epoch, index, effect.result());
      }
      if (room == Shelf.Room.NONE || (room == Shelf.Room.REMOVALS && !effect.removes())) {
        return refused(command) instanceof Outcome.Refused ? DISK_FULL : FORGOTTEN;
      }
      long stamp = contents.stamp(effect);
      if (contents.stamped() && !entitled.getAsBoolean()) {
        return refused(command);
      }
      long next = tail.applied() + 1;
      Deadline deadline = contents.deadline(effect.lifetime());
      Entry entry =
          Entry.of(hash, bytes, keyLength, epoch, next, effect.removes(), stamp, deadline);
      Item.Write item = new Item.Write(entry, command, effect.result());
      due = written(item);
      outcome = new Outcome.Written(item, effect.resultIsPrevious(), commit.announce(), state);
    } finally {
      lock.unlock();
    }
    due.forEach(Runnable::run);
    return outcome;
  }

  /** Writes, as the primary, what nobody has commanded. */
  private @Nullable Ordered order(Aging.Making making) {
    List<Runnable> due = new ArrayList<>();
    Ordered ordered =
        this.<@Nullable Ordered>locked(
            () -> {
              Item item = state.leads() ? making.make(state.epoch(), tail.applied() + 1) : null;
              if (item == null) {
                return null;
              }
              due.addAll(written(item));
              return new Ordered(item, commit.announce(), state);
            });
    due.forEach(Runnable::run);
    return ordered;
  }

  private List<Runnable> written(Item item) {
    tail.apply(item);
    holdLater();
    return commit.isAlone() ? advance(item.index()) : List.of();
  }

  /**
   * Refuses a try of a command in the epoch it was sent in: {@link Outcome.Refused}, or {@link
   * Outcome.Forgotten} if it may have been carried out.
   */
  public Outcome refuse(int epoch, Command command) {
    return locked(
        () ->
            state.epoch() == epoch && contents.sessions().isPresent(command.session())
                ? refused(command)
                : FORGOTTEN);
  }

  private Outcome refused(Command command) {
    Sessions sessions = contents.sessions();
    if (sessions.find(command.session(), command.sequence(), state.epoch()) != null) {
      return FORGOTTEN;
    }
    sessions.refuse(command, state.epoch());
    return REFUSED;
  }

  /** How far a writer has come; returns whether more is committed by it. */
  public boolean acked(Member from, int epoch, long upTo) {
    List<Runnable> due = new ArrayList<>();
    boolean more =
        locked(
            () -> {
              int place = state.others().indexOf(from);
              long all = state.epoch() != epoch || place < 0 ? -1 : commit.acked(place, upTo);
              boolean news = all > commit.index();
              due.addAll(advance(all));
              return news;
            });
    due.forEach(Runnable::run);
    return more;
  }

  private List<Runnable> advance(long all) {
    if (all <= commit.index()) {
      return List.of();
    }
    List<Runnable> due = commit.advance(all);
    tail.forget(all);
    contents.purge(state, commit);
    return due;
  }

  /**
   * Takes writes the primary sent, in whatever order they come.
   *
   * @return how far this copy has come, or null if the epoch is over
   */
  public @Nullable Taken replicated(int epoch, long primaryCommitted, List<Item.Read> items) {
    return this.<@Nullable Taken>locked(
        () -> {
          if (state.epoch() != epoch || !state.role().writes() || state.role() == Role.PRIMARY) {
            return null;
          }
          learnServed();
          List<Item.Read> taken = new ArrayList<>(items.size());
          for (Item.Read read : items) {
            tail.take(read, taken);
          }
          if (!taken.isEmpty()) {
            holdLater();
          }
          advance(Math.min(primaryCommitted, tail.applied()));
          return new Taken(tail.applied(), taken);
        });
  }

  // ------------------------------------------------------------------ how far who has come

  /**
   * How far this copy, of any writer, has come in an epoch, with what it may vouch for; -1 if that
   * is over or not served.
   */
  long appliedAsWriter(int epoch) {
    return locked(
        () -> {
          long applied = state.epoch() == epoch ? tail.appliedIn(epoch) : -1;
          return waitsForDisk ? Math.min(applied, onDisk) : applied;
        });
  }

  /** The same of the primary at work; -1 if this is not it. */
  public long appliedAsPrimary(int epoch) {
    return locked(() -> state.epoch() == epoch && state.leads() ? tail.applied() : -1);
  }

  /** How far all writers have come, as the primary at work knows; -1 if this is not it. */
  long committedAsPrimary(int epoch) {
    return locked(() -> state.epoch() == epoch && state.leads() ? commit.index() : -1);
  }

  /**
   * Who has not acknowledged writes that were made before the last time this was asked. Messages
   * may be lost, and everybody waits for the last writer.
   *
   * @param maxItems the most writes for each of them
   */
  public List<Behind> behind(int maxItems) {
    return locked(
        () -> {
          if (!state.leads()) {
            commit.nobodyIsBehind();
            return List.of();
          }
          return commit.behind(tail, state.others(), maxItems);
        });
  }

  /** Whether some write made here is not acknowledged by all others. */
  public boolean waits() {
    return locked(() -> state.leads() && tail.applied() > commit.index());
  }

  /** Whether this copy of another's segment does not know how writes it holds have ended. */
  boolean wonders() {
    return locked(
        () ->
            (state.role() == Role.BACKUP || state.role() == Role.JOINER)
                && (!state.serving() || !tail.isEmpty()));
  }

  /** What backups have to be told that hear of no write: the committed index, or -1 for nothing. */
  public long notice() {
    return locked(() -> state.leads() ? commit.notice() : -1);
  }

  // ------------------------------------------------------------------ joining

  /**
   * Where the next transfer goes on, for a joiner in this epoch; null when there is none to make.
   */
  public @Nullable Cursor transferCursor(int epoch) {
    return this.<@Nullable Cursor>locked(() -> joins(epoch) ? cursor : null);
  }

  private boolean joins(int epoch) {
    return state.epoch() == epoch && state.role() == Role.JOINER;
  }

  /**
   * Adds what a transfer brought, once this copy has come as far as the primary had. An entry the
   * primary left out because a write of the present epoch had replaced it is safe only where that
   * write is: should the write be dropped with its primary, the entry must still be somewhere.
   *
   * @param index how far the primary had come when it had read the last of the entries
   * @param segmentMillis the time of the segment there, -1 if it has not begun
   */
  public Received transferred(
      int epoch, long index, List<Entry> more, Cursor next, long segmentMillis) {
    return locked(
        () -> {
          if (!joins(epoch)) {
            return Received.REFUSED;
          }
          // Only a primary at work answers transfers: the epoch is served.
          learnServed();
          if (tail.applied() < index) {
            return Received.NOT_YET;
          }
          more.forEach(contents::bring);
          contents.goOnAt(segmentMillis);
          cursor = next;
          return Received.ADDED;
        });
  }

  /** Adds the results of commands the primary knows; false when the epoch is over. */
  public boolean mergeSessions(int epoch, Input in) {
    return locked(
        () -> {
          boolean joins = joins(epoch);
          if (joins) {
            contents.sessions().merge(in);
            partings.merge(in);
          }
          return joins;
        });
  }

  /**
   * Writes the results of commands of earlier epochs. Those of the present one come to a joiner
   * with the writes themselves: a result without its write would be told though the write is lost.
   */
  public void writeSessions(Output out) {
    lock.lock();
    try {
      contents.sessions().write(out, state.epoch());
      partings.write(out);
    } finally {
      lock.unlock();
    }
  }

  /** Drops the results of sessions that are over, and carries out nothing for them any more. */
  void retainSessions(Lives lives) {
    lock.lock();
    try {
      contents.sessions().retain(lives);
    } finally {
      lock.unlock();
    }
  }
}
