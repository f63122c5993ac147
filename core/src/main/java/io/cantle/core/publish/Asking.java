package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.FunctionException;
import io.cantle.TimeoutException;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.container.Cursor;
import io.cantle.core.operate.Thrown;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Ask;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks the owners about segments until each has been told to its end. For each segment only the
 * cursor is remembered: whoever owns it then goes on there, which is what makes every entry count
 * exactly once while segments move. A segment is asked of one node at a time.
 *
 * <p>A request without an answer is sent again under the same number as long as the node that was
 * asked is a member; whoever works on it already does not begin again.
 *
 * <p><b>Threading:</b> one thread; {@link #wake} by any.
 */
final class Asking {
  /** A request that has not been answered after so long was lost, or takes long. */
  static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(32);

  /**
   * How one kind of scan asks.
   *
   * @param kind the request
   * @param most how many requests at a time
   * @param mostSegments of how many segments one may be
   * @param spread whether a node may be asked several things at a time, and this node of whatever
   *     it has a copy of; otherwise only primaries are asked, each one thing
   * @param lostIsTold whether a lost segment is told as such, and no failure
   */
  record Manner(Kind kind, int most, int mostSegments, boolean spread, boolean lostIsTold) {}

  /** Writes a request behind the number of the topology. */
  interface Question {
    void write(Output out, List<Want> wants);
  }

  /** A request under way, and where to go on in each of its segments if it comes to nothing. */
  static final class Asked {
    final Ask ask;
    final long topology;
    final boolean ofPrimaries;
    final TreeMap<Integer, Cursor> rest = new TreeMap<>();
    final List<Want> wants;
    private long until;
    private boolean isVoid;
    private boolean progress;

    Asked(Ask ask, Topology topology, boolean ofPrimaries, List<Want> wants, long until) {
      this.ask = ask;
      this.topology = topology.number();
      this.ofPrimaries = ofPrimaries;
      this.wants = wants;
      this.until = until;
      wants.forEach(want -> rest.put(want.segment(), want.cursor()));
    }
  }

  private final Access access;
  private final ScanOptions options;
  private final Manner manner;
  private final Question question;
  private final @Nullable WantedKeys keys;
  private final Signal signal = new Signal();

  /** Where to go on in each segment nobody is asked about now. */
  private final TreeMap<Integer, Cursor> open;

  /** Segments only the primary can tell the rest of. */
  private final TreeSet<Integer> dirtyHere = new TreeSet<>();

  private final ArrayDeque<Integer> lost = new ArrayDeque<>();
  private final List<Asked> asked = new ArrayList<>();
  private long pause = PAUSE;
  private long pauseUntil;
  private long lastProgress;

  Asking(
      Access access,
      ScanOptions options,
      Manner manner,
      Question question,
      @Nullable WantedKeys keys,
      Map<Integer, Cursor> open) {
    this.access = access;
    this.options = options;
    this.manner = manner;
    this.question = question;
    this.keys = keys;
    this.open = new TreeMap<>(open);
    lastProgress = access.clock().nanoTime();
    pauseUntil = lastProgress;
  }

  /** Whether there is nothing to ask and nothing asked. */
  boolean over() {
    return open.isEmpty() && asked.isEmpty();
  }

  /** How many requests are under way. */
  int underWay() {
    return asked.size();
  }

  /** Lets the thread that waits look up. */
  void wake() {
    signal.wake();
  }

  /** From now on it is waited for progress anew. */
  void restartWaiting() {
    lastProgress = access.clock().nanoTime();
  }

  /** The next segment that turned out to be lost, or null. */
  @Nullable Integer lost() {
    return lost.poll();
  }

  // ------------------------------------------------------------------ asking

  /** Asks for more, if there is more to ask and the time has come. */
  void askMore(int most) {
    if (most <= 0 || open.isEmpty() || access.clock().nanoTime() - pauseUntil < 0) {
      return;
    }
    int free = most;
    Topology topology = access.topology();
    Map<Member, List<Integer>> bySource = bySource(topology);
    if (manner.kind() == Kind.COUNT && asked.isEmpty()) {
      signal.expect(Math.min(free, bySource.size()));
    }
    while (free > 0 && !bySource.isEmpty()) {
      // Each source in turn, and what is left of the requests to the one with the most to tell.
      for (Iterator<Map.Entry<Member, List<Integer>>> each = bySource.entrySet().iterator();
          free > 0 && each.hasNext(); ) {
        Map.Entry<Member, List<Integer>> source = each.next();
        List<Integer> segments = source.getValue();
        int share = manner.spread() ? Math.max(1, segments.size() / free) : segments.size();
        share = Math.min(Math.min(share, manner.mostSegments()), segments.size());
        List<Integer> taken = segments.subList(0, share);
        ask(topology, source.getKey(), taken);
        taken.clear();
        free--;
        if (segments.isEmpty() || !manner.spread()) {
          each.remove();
        }
      }
    }
  }

  /** The open segments of those that may be asked now, this node last. */
  private Map<Member, List<Integer>> bySource(Topology topology) {
    TreeMap<Member, List<Integer>> sorted = new TreeMap<>();
    for (int segment : List.copyOf(open.keySet())) {
      if (lostNow(topology, segment)) {
        open.remove(segment);
        lost.add(segment);
      } else {
        sorted.computeIfAbsent(source(topology, segment), m -> new ArrayList<>()).add(segment);
      }
    }
    if (!manner.spread()) {
      asked.forEach(one -> sorted.remove(one.ask.to()));
    }
    Map<Member, List<Integer>> bySource = new LinkedHashMap<>(sorted);
    List<Integer> here = bySource.remove(access.self());
    if (here != null) {
      bySource.put(access.self(), here);
    }
    if (options.sequential() && !bySource.isEmpty()) {
      Member only =
          asked.isEmpty() ? bySource.keySet().iterator().next() : asked.getFirst().ask.to();
      bySource.keySet().removeIf(member -> !member.equals(only));
    }
    return bySource;
  }

  private boolean lostNow(Topology topology, int segment) {
    return (manner.lostIsTold() || options.delivery() == Delivery.AT_MOST_ONCE)
        && topology.ownership(access.cache(), segment).lost();
  }

  private Member source(Topology topology, int segment) {
    Ownership ownership = access.ownership(topology, segment);
    return manner.spread()
            && ownership.owners().contains(access.self())
            && !dirtyHere.contains(segment)
        ? access.self()
        : ownership.primary();
  }

  private void ask(Topology topology, Member member, List<Integer> segments) {
    List<Want> wants = new ArrayList<>(segments.size());
    boolean ofPrimaries = true;
    for (int segment : segments) {
      Cursor known = open.remove(segment);
      Cursor cursor = known == null ? Cursor.START : known;
      wants.add(new Want(segment, cursor, keys == null ? null : keys.behind(segment, cursor)));
      ofPrimaries &= topology.ownership(access.cache(), segment).primary().equals(member);
    }
    Ask ask =
        access
            .requests()
            .ask(member, manner.kind(), 512, out -> write(topology.number(), wants, out), signal);
    asked.add(
        new Asked(ask, topology, ofPrimaries, wants, access.clock().nanoTime() + AGAIN_NANOS));
  }

  private void write(long topologyNumber, List<Want> wants, Output out) {
    out.writeLong(topologyNumber);
    question.write(out, wants);
  }

  // ------------------------------------------------------------------ answers

  /** Takes one that has ended, or null; what becomes of it is said to {@link #settle}. */
  @Nullable Asked ended() {
    for (Iterator<Asked> each = asked.iterator(); each.hasNext(); ) {
      Asked one = each.next();
      boolean late = access.clock().nanoTime() - one.until >= 0;
      if (!one.ask.done() && late && !giveUp(one)) {
        one.until = access.clock().nanoTime() + AGAIN_NANOS;
        access
            .requests()
            .again(one.ask, manner.kind(), 512, out -> write(one.topology, one.wants, out));
        signal.expect(1);
      } else if (one.ask.done() || late) {
        one.ask.forget();
        each.remove();
        return one;
      }
    }
    return null;
  }

  private boolean giveUp(Asked one) {
    return options.delivery() == Delivery.AT_MOST_ONCE
        || !access.topology().members().contains(one.ask.to());
  }

  /**
   * The body of an answer that tells something, or null.
   *
   * @throws FunctionException if a function threw at the owner
   */
  @Nullable Input told(Asked one) {
    Input in = one.ask.answer();
    if (in == null) {
      lose(one);
      return null;
    }
    int status = in.readByte();
    if (status == Outcome.FAILED) {
      throw new FunctionException(in.readString(), Thrown.read(in));
    }
    if (status == Outcome.VOID) {
      one.isVoid = true;
      lose(one);
      return options.delivery() == Delivery.AT_LEAST_ONCE ? in : null;
    }
    return status == Outcome.OK ? in : null;
  }

  /** What was asked came to nothing; some are not to be asked again. */
  private void lose(Asked one) {
    if (options.delivery() == Delivery.AT_MOST_ONCE) {
      lost.addAll(one.rest.keySet());
      one.rest.clear();
    }
  }

  /** Notes how a segment of an answer ended; true if it is done. */
  boolean ended(Asked one, int segment, int outcome, Input in) {
    switch (outcome) {
      case Outcome.DONE -> {
        if (!one.isVoid && one.rest.remove(segment) != null) {
          dirtyHere.remove(segment);
          one.progress = true;
          return true;
        }
      }
      case Outcome.MORE, Outcome.DIRTY -> {
        Cursor next = Cursor.read(in);
        if (!one.isVoid) {
          one.progress |= !next.equals(one.rest.replace(segment, next));
        }
        if (outcome == Outcome.DIRTY) {
          dirtyHere.add(segment);
        }
      }
      default -> {
        // The primary knows better than a copy that may not speak.
        dirtyHere.add(segment);
        boolean begun = outcome == Outcome.LOST || !Cursor.START.equals(one.rest.get(segment));
        if (options.delivery() == Delivery.AT_MOST_ONCE && one.ofPrimaries && begun) {
          if (one.rest.remove(segment) != null) {
            lost.add(segment);
          }
        }
      }
    }
    return false;
  }

  /** What was not told is open again. */
  void settle(Asked one) {
    open.putAll(one.rest);
    if (one.progress) {
      pause = PAUSE;
      lastProgress = access.clock().nanoTime();
    } else if (!one.rest.isEmpty()) {
      pauseUntil = access.clock().nanoTime() + pause;
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }

  /** Where to go on in each segment that is not done, as if nothing were under way. */
  Map<Integer, Cursor> rest() {
    TreeMap<Integer, Cursor> all = new TreeMap<>(open);
    asked.forEach(one -> all.putAll(one.rest));
    return all;
  }

  // ------------------------------------------------------------------ waiting

  /**
   * Waits until there may be something to do.
   *
   * @throws TimeoutException after too long without progress
   */
  void await() {
    long now = access.clock().nanoTime();
    long until = lastProgress + access.timeoutNanos();
    if (now - until >= 0) {
      throw new TimeoutException(
          "a scan came no further within "
              + TimeUnit.NANOSECONDS.toMillis(access.timeoutNanos())
              + " ms; no answer about "
              + rest().size()
              + " segments"
              + (asked.isEmpty() ? "" : " from " + asked.getFirst().ask.to())
              + "; trying again is safe");
    }
    boolean pausing = !open.isEmpty() && asked.size() < manner.most() && pauseUntil - now > 0;
    long wait = (pausing ? Math.min(until, pauseUntil) : until) - now;
    for (Asked one : asked) {
      wait = Math.min(wait, one.until - now);
    }
    access.checkAvailable();
    if (wait > 0) {
      signal.await(access.clock(), wait);
      Requests.stopWhenInterrupted();
    }
  }

  /** Gives up: those who are at work are told so. */
  void cancel() {
    for (Asked one : asked) {
      one.ask.forget();
      if (!one.ask.done() && manner.kind() != Kind.COUNT) {
        Output out = access.requests().message(Kind.CANCEL);
        out.writeVarint(one.ask.number());
        access.requests().post(one.ask.to(), out);
      }
    }
    asked.clear();
    open.clear();
  }
}
