package io.cantle.core.operate;

import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.OrphanedCopy;
import io.cantle.core.replica.Orphans;
import io.cantle.core.replica.Reach;
import io.cantle.core.replica.Result;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Mode;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has merged what this node held when its side of a partition ended: entry by entry, through the
 * ordinary way of writes, at most {@value #PARALLEL} at a time. Of the owners that held the same
 * the first that is there does it; the others keep theirs until they hear that it is done.
 *
 * <p><b>Threading:</b> any thread; the work is done on virtual threads.
 */
public final class Merges {
  private static final int PARALLEL = 16;
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long an owner that is in sight may take to join those that go on. */
  private static final long COMING_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final int TOLD_EVERY = 10_000;
  private static final System.Logger LOG = System.getLogger(Merges.class.getName());

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final World world;
  private final Orphans orphans;
  private final ReentrantLock lock = new ReentrantLock();
  private final IdentityHashMap<OrphanedCopy, Progress> progress = new IdentityHashMap<>();
  private final Map<UUID, Tally> tallies = new HashMap<>();
  private volatile @Nullable Callers callers;
  private volatile boolean closed;
  private int running;

  /** How many entries of a copy a grid has been told, and since when there is something to tell. */
  private static final class Progress {
    final long since;
    UUID grid = Topology.NONE.gridId();
    List<Integer> born = List.of();
    int next;
    boolean failed;

    Progress(long since) {
      this.since = since;
    }
  }

  private static final class Tally {
    long entries;
    Merge.Lost lost = Merge.Lost.NONE;
  }

  /** Merges of these copies. */
  public Merges(Requests requests, TopologyKeeper topologies, World world, Orphans orphans) {
    this.requests = requests;
    this.topologies = topologies;
    this.world = world;
    this.orphans = orphans;
    topologies.staysWhile(() -> !orphans.isEmpty());
  }

  /** This node can write. */
  public void begin(Callers by) {
    callers = by;
    due();
  }

  /** Another topology was adopted: there may be something to merge, or somewhere to merge it. */
  public void due() {
    if (orphans.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      while (callers != null && !closed && running < PARALLEL) {
        running++;
        world.threads().execute(this::work);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Merges nothing more. */
  public void close() {
    closed = true;
  }

  private void work() {
    while (true) {
      OrphanedCopy copy = closed ? null : orphans.poll();
      if (copy == null) {
        lock.lock();
        try {
          running--;
        } finally {
          lock.unlock();
        }
        return;
      }
      boolean done = false;
      try {
        done = merge(copy);
      } catch (GridException e) {
        // Nothing was lost; whether it was done does not matter, since it can be done twice.
        LOG.log(System.Logger.Level.DEBUG, "a merge goes on later: {0}", e.getMessage());
      } catch (RuntimeException e) {
        // Whatever it is, what was written apart stays here until it is merged.
        tellOnce(copy, e);
      }
      if (done) {
        ended(copy);
      } else {
        orphans.giveBack(copy);
        world.clock().sleepNanos(this, PAUSE);
      }
    }
  }

  private void tellOnce(OrphanedCopy copy, RuntimeException failure) {
    Progress state = progress(copy);
    if (!state.failed) {
      state.failed = true;
      LOG.log(
          System.Logger.Level.ERROR,
          "what was written apart in segment "
              + copy.segment()
              + " of "
              + copy.cache()
              + " cannot be merged yet; it is tried again until this node is closed",
          failure);
    }
  }

  private void ended(OrphanedCopy copy) {
    boolean last = orphans.ended(copy);
    Tally tally;
    lock.lock();
    try {
      progress.remove(copy);
      tally = last ? tallies.remove(copy.grid()) : null;
    } finally {
      lock.unlock();
    }
    if (tally != null) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} has merged {1} entries written apart: {2} values of one side were overwritten, {3}"
              + " were removed, {4} removed ones are back",
          requests.self(),
          tally.entries,
          tally.lost.overwritten(),
          tally.lost.removed(),
          tally.lost.broughtBack());
    }
    if (orphans.isEmpty()) {
      requests.wakeAll();
    }
  }

  /** Whether nothing of a copy is left to be merged. */
  private boolean merge(OrphanedCopy copy) {
    Callers by = callers;
    Topology topology = topologies.current();
    if (by == null || !topology.members().contains(requests.self())) {
      return false;
    }
    Progress state = progress(copy);
    switch (turn(copy, topology, state)) {
      case WAIT -> {
        return false;
      }
      case DONE -> {
        return true;
      }
      case MINE -> {}
    }
    Destination into =
        Destination.await(
            CachePlace.however(topologies, world.clock(), copy.cache()), by.deadline());
    List<Integer> born = into.born(copy);
    OrphanedCopy.Part part = copy.part(into.topology(), into.cache());
    if (!state.grid.equals(into.topology().gridId()) || !state.born.equals(born)) {
      state.grid = into.topology().gridId();
      state.born = born;
      state.next = 0;
    }
    for (; part != null && state.next < copy.entries().size(); state.next++) {
      Entry entry = copy.entries().get(state.next);
      if (part.contains(entry) && !merged(by, into, part, entry, copy)) {
        return false;
      }
    }
    return into.isServed(by, copy);
  }

  /** Of one worker at a time: who has taken the copy. */
  private Progress progress(OrphanedCopy copy) {
    lock.lock();
    try {
      return progress.computeIfAbsent(copy, first -> new Progress(world.clock().nanoTime()));
    } finally {
      lock.unlock();
    }
  }

  private enum Turn {
    /** This node has it merged. */
    MINE,
    /** Another one will, or has yet to come. */
    WAIT,
    /** Another one has. */
    DONE
  }

  /**
   * Whether it is for this node to have a copy merged: no owner before it that holds as much is
   * there, or on its way, and none has done it.
   */
  private Turn turn(OrphanedCopy copy, Topology topology, Progress state) {
    boolean early = world.clock().nanoTime() - state.since < COMING_NANOS;
    boolean isBefore = true;
    for (Member owner : copy.owners()) {
      if (owner.equals(requests.self())) {
        isBefore = false;
      } else if (topology.members().contains(owner)) {
        Orphans.Fate fate = ask(owner, copy);
        if (fate == Orphans.Fate.MERGED) {
          return Turn.DONE;
        }
        if (fate == Orphans.Fate.OPEN && isBefore) {
          return Turn.WAIT;
        }
      } else if (isBefore && early && requests.present(owner)) {
        return Turn.WAIT;
      }
    }
    return Turn.MINE;
  }

  /** What another owner knows about the same copy; open if it does not answer. */
  private Orphans.Fate ask(Member owner, OrphanedCopy copy) {
    Input answer =
        requests.call(
            owner,
            Kind.MERGED_WANTED,
            out -> {
              out.writeId(copy.grid());
              out.writeString(copy.cache().name());
              out.writeVarint(copy.segment());
              copy.reach().write(out);
            },
            world.clock().nanoTime() + ANSWER_NANOS);
    return answer == null ? Orphans.Fate.OPEN : Orphans.Fate.of(answer.readByte());
  }

  /** Another owner asks. */
  public void asked(Member from, long request, Input in) {
    UUID grid = in.readId();
    Orphans.Fate fate =
        orphans.fate(grid, in.readString(), in.readCount(Integer.MAX_VALUE), Reach.read(in));
    Output out = requests.answer(request, 1);
    out.writeByte(fate.code());
    requests.post(from, out);
  }

  private boolean merged(
      Callers by, Destination into, OrphanedCopy.Part part, Entry entry, OrphanedCopy copy) {
    UUID from = copy.grid();
    long now = copy.time().at(world.clock().nanoTime());
    Result result;
    try {
      result = into.write(by, into.topology().charter().mode(), part, entry, now);
    } catch (FunctionException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the function that decides what two sides have written failed; the later write stays: {0}",
          e.getMessage());
      result = into.write(by, Mode.NEWER, part, entry, now);
    }
    if (!result.hasValue()) {
      return false;
    }
    lock.lock();
    try {
      Tally tally = tallies.computeIfAbsent(from, grid -> new Tally());
      tally.lost = tally.lost.plus(Merge.Lost.of(result));
      if (++tally.entries % TOLD_EVERY == 0) {
        LOG.log(System.Logger.Level.DEBUG, "merged {0} entries of {1}", tally.entries, from);
      }
    } finally {
      lock.unlock();
    }
    return true;
  }
}
