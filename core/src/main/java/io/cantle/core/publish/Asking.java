package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.TimeoutException;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.container.Cursor;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Ask;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the owners about segments until each has been told to its end. For each segment only the
 * cursor is remembered: whoever owns it then goes on there, which is what makes every entry count
 * exactly once while segments move. A segment is asked of one node at a time.
 *
 * <p>A request without an answer is sent again under the same number as long as the node that was
 * asked is a member; whoever works on it already does not begin again. Who is done does, if only
 * the answer was lost: where functions must not run twice it is waited on instead.
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

  /** What is asked, whoever it is asked of. */
  interface Question {
    /** Writes the request behind the numbers of the topology and the scan. */
    void write(Output out, List<Want> wants);

    /** The answer has come and waits to be taken; called by the thread that brings it. */
    default void arrived(Input answer) {}

    /** How many elements it asks for, where that is bounded. */
    default int elements() {
      return Integer.MAX_VALUE;
    }

    /** How many bytes of elements it asks for, where that is bounded. */
    default int bytes() {
      return 0;
    }
  }

  private final Access access;
  private final long scan;
  private final Manner manner;
  private final boolean again;
  private final Signal signal = new Signal();

  private final Frontier frontier;
  private final List<Asked> asked = new ArrayList<>();
  private long pause = PAUSE;
  private long pauseUntil;
  private long lastProgress;

  Asking(Access access, ScanOptions options, Manner manner, Map<Integer, Cursor> open) {
    this.access = access;
    this.scan = access.requests().number();
    this.manner = manner;
    this.again = options.delivery() != Delivery.AT_MOST_ONCE || manner.kind() != Kind.REDUCE;
    this.frontier = new Frontier(access, options, manner, open);
    lastProgress = access.clock().nanoTime();
    pauseUntil = lastProgress;
  }

  /** Whether there is nothing to ask and nothing asked. */
  boolean over() {
    return frontier.isEmpty() && asked.isEmpty();
  }

  /** How many requests are under way. */
  int underWay() {
    return asked.size();
  }

  /** Tells what the requests under way have asked. */
  void underWay(Consumer<? super Question> each) {
    asked.forEach(one -> each.accept(one.question()));
  }

  /** How many bytes the requests under way have asked for. */
  int bytesUnderWay() {
    return asked.stream().mapToInt(one -> one.question().bytes()).sum();
  }

  /** What the longest entry takes that is known to come and fits no request, or 0. */
  int longestToCome() {
    return frontier.longestNext();
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
    return frontier.lost();
  }

  // ------------------------------------------------------------------ asking

  /**
   * Asks for more, if there is more to ask and the time has come.
   *
   * @param most how many requests
   * @param questions makes what each of them asks, or null when there is no room for its answer
   */
  void askMore(int most, Supplier<? extends @Nullable Question> questions) {
    if (most <= 0 || frontier.isEmpty() || access.clock().nanoTime() - pauseUntil < 0) {
      return;
    }
    int free = most;
    Topology topology = access.topology();
    Map<Member, List<Integer>> bySource =
        frontier.bySource(topology, asked.stream().map(one -> one.ask().to()).toList());
    if (manner.kind() == Kind.COUNT && asked.isEmpty()) {
      signal.expect(Math.min(free, bySource.size()));
    }
    while (free > 0 && !bySource.isEmpty()) {
      // Each source in turn, and what is left of the requests to the one with the most to tell.
      for (Iterator<Map.Entry<Member, List<Integer>>> each = bySource.entrySet().iterator();
          free > 0 && each.hasNext(); ) {
        Map.Entry<Member, List<Integer>> source = each.next();
        Question question = questions.get();
        if (question == null) {
          return;
        }
        List<Integer> segments = source.getValue();
        int share = manner.spread() ? Math.max(1, segments.size() / free) : segments.size();
        share = Math.min(Math.min(share, manner.mostSegments()), segments.size());
        int taken = ask(topology, source.getKey(), segments.subList(0, share), question);
        segments.subList(0, taken).clear();
        free--;
        if (segments.isEmpty() || !manner.spread()) {
          each.remove();
        }
      }
    }
  }

  /** Asks about segments, or only the first of them; returns about how many. */
  private int ask(Topology topology, Member member, List<Integer> segments, Question question) {
    List<Want> wants = frontier.take(segments, question.elements());
    Ask ask =
        access
            .requests()
            .ask(
                member,
                manner.kind(),
                512,
                out -> write(topology.number(), question, wants, out),
                question::arrived,
                signal);
    long until = access.clock().nanoTime() + AGAIN_NANOS;
    asked.add(new Asked(frontier, question, ask, topology, wants, until));
    return wants.size();
  }

  private void write(long topologyNumber, Question question, List<Want> wants, Output out) {
    out.writeLong(topologyNumber);
    out.writeVarint(scan);
    question.write(out, wants);
  }

  // ------------------------------------------------------------------ answers

  /** Takes one that has ended, or null; what becomes of it is said to {@link #settle}. */
  @Nullable Asked ended() {
    for (Iterator<Asked> each = asked.iterator(); each.hasNext(); ) {
      Asked one = each.next();
      boolean late = access.clock().nanoTime() - one.until() >= 0;
      if (!one.ask().done() && late && isMember(one.ask().to())) {
        one.until(access.clock().nanoTime() + AGAIN_NANOS);
        if (again) {
          access
              .requests()
              .again(
                  one.ask(),
                  manner.kind(),
                  512,
                  out -> write(one.topology(), one.question(), one.wants(), out));
          signal.expect(1);
        }
      } else if (one.ask().done() || late) {
        one.ask().forget();
        each.remove();
        return one;
      }
    }
    return null;
  }

  private boolean isMember(Member asked) {
    return access.topology().members().contains(asked);
  }

  /** What was not told is open again. */
  void settle(Asked one) {
    frontier.putAll(one.rest());
    if (one.progress()) {
      pause = PAUSE;
      lastProgress = access.clock().nanoTime();
    } else if (!one.rest().isEmpty()) {
      pauseUntil = access.clock().nanoTime() + pause;
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }

  /** Where to go on in each segment that is not done, as if nothing were under way. */
  Map<Integer, Cursor> rest() {
    TreeMap<Integer, Cursor> all = new TreeMap<>(frontier.cursors());
    asked.forEach(one -> all.putAll(one.rest()));
    return all;
  }

  /**
   * Takes back what is under way, which is not waited for any more, and goes on from other places.
   *
   * @param cursors where to go on in each segment that is not done
   */
  void restart(Map<Integer, Cursor> cursors) {
    cancel();
    frontier.putAll(cursors);
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
              + (asked.isEmpty() ? access.memoryText() : " from " + asked.getFirst().ask().to())
              + "; trying again is safe");
    }
    boolean pausing = !frontier.isEmpty() && asked.size() < manner.most() && pauseUntil - now > 0;
    long wait = (pausing ? Math.min(until, pauseUntil) : until) - now;
    for (Asked one : asked) {
      wait = Math.min(wait, one.until() - now);
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
      one.ask().forget();
      if (!one.ask().done() && manner.kind() != Kind.COUNT) {
        Output out = access.requests().message(Kind.CANCEL);
        out.writeVarint(one.ask().number());
        access.requests().post(one.ask().to(), out);
      }
    }
    asked.clear();
    frontier.clear();
  }
}
