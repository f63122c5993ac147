package io.cantle.core.publish;

import io.cantle.CloseableIterator;
import io.cantle.GridException;
import io.cantle.TimeoutException;
import io.cantle.core.base.Input;
import io.cantle.core.base.Signal;
import io.cantle.core.container.Cursor;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Ask;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All elements of a cache, pulled. Up to {@value #PULLS} pulls share the batch; one is asked for
 * anew when an answer has been used up, never before, so that what waits here is never more than
 * the batch. For each segment only the cursor is remembered: whoever owns the segment then goes on
 * there, which is what makes every entry come exactly once while segments move.
 *
 * <p>This node answers for itself what it may; everything else, and what is dirty here, comes from
 * the primary.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Iteration<T> implements CloseableIterator<T> {
  private static final int PULLS = 4;
  private static final int PULL_BYTES = 256 << 10;
  private static final int PULL_ELEMENTS = 1_024;
  private static final int PULL_SEGMENTS = 64;

  /** A pull that has not been answered after so long was lost, and is asked again. */
  private static final long PULL_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(32);

  private record Asked(Ask ask, List<Pull.Want> wants, long until) {}

  /** Elements that have come, and how many of them are still to be read. */
  private static final class Answer {
    final Input in;
    final ArrayDeque<int[]> blocks = new ArrayDeque<>();

    Answer(Input in) {
      this.in = in;
    }
  }

  private final ClusterScans.Access access;
  private final int cache;
  private final Scans.Part part;
  private final byte @Nullable [] task;
  private final Function<Input, T> read;
  private final Signal signal = new Signal();

  /** Where to go on in each segment nobody is asked about now. */
  private final TreeMap<Integer, Cursor> open = new TreeMap<>();

  /** Segments only the primary can tell the rest of. */
  private final TreeSet<Integer> dirtyHere = new TreeSet<>();

  private final List<Asked> asked = new ArrayList<>();
  private final ArrayDeque<Answer> answers = new ArrayDeque<>();
  private @Nullable Answer current;
  private @Nullable Input block;
  private int left;
  private long pause = PAUSE;
  private long pauseUntil;
  private long lastProgress;
  private boolean closed;

  Iteration(
      ClusterScans.Access access,
      Scans.Part part,
      byte @Nullable [] task,
      Function<Input, T> read) {
    this.access = access;
    this.cache = access.cache();
    this.part = part;
    this.task = task;
    this.read = read;
    int segments = access.topology().caches().get(cache).segments().size();
    for (int segment = 0; segment < segments; segment++) {
      open.put(segment, Cursor.START);
    }
    lastProgress = access.clock().nanoTime();
    pauseUntil = lastProgress;
  }

  @Override
  public boolean hasNext() {
    while (left == 0) {
      if (closed || !advance()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException("every element was delivered");
    }
    Input in = block;
    if (in == null) {
      throw new IllegalStateException("elements are left and none has come");
    }
    T element = read.apply(in);
    left--;
    return element;
  }

  @Override
  public void close() {
    closed = true;
    left = 0;
    asked.forEach(one -> one.ask.forget());
    asked.clear();
    answers.clear();
    open.clear();
    current = null;
    block = null;
  }

  /** Goes to the next block of elements; false when there is none any more. */
  private boolean advance() {
    while (true) {
      Answer answer = current;
      if (answer != null) {
        int[] next = answer.blocks.poll();
        if (next != null) {
          block = new Input(answer.in.array(), next[0], next[1]);
          left = next[2];
          return true;
        }
        current = null;
        lastProgress = access.clock().nanoTime();
      }
      askMore();
      collect();
      current = answers.poll();
      if (current == null) {
        if (asked.isEmpty() && open.isEmpty()) {
          return false;
        }
        await();
      }
    }
  }

  private void askMore() {
    long now = access.clock().nanoTime();
    if (open.isEmpty() || now - pauseUntil < 0) {
      return;
    }
    int free = PULLS - asked.size() - answers.size();
    if (free <= 0) {
      return;
    }
    Topology topology = access.topology();
    TreeMap<Member, List<Integer>> bySource = new TreeMap<>();
    for (int segment : open.keySet()) {
      bySource.computeIfAbsent(source(topology, segment), m -> new ArrayList<>()).add(segment);
    }
    while (free > 0 && !bySource.isEmpty()) {
      // Each source in turn, and what is left of the pulls to the one with the most to tell.
      Iterator<List<Integer>> each = bySource.values().iterator();
      Iterator<Member> members = List.copyOf(bySource.keySet()).iterator();
      while (free > 0 && each.hasNext()) {
        List<Integer> segments = each.next();
        Member member = members.next();
        int share = Math.min(PULL_SEGMENTS, Math.max(1, segments.size() / Math.max(1, free)));
        List<Integer> taken = segments.subList(0, Math.min(segments.size(), share));
        ask(topology, member, taken);
        taken.clear();
        free--;
        if (segments.isEmpty()) {
          each.remove();
        }
      }
    }
  }

  private Member source(Topology topology, int segment) {
    Ownership ownership = ClusterScans.ownership(topology, cache, segment);
    return ownership.owners().contains(access.self()) && !dirtyHere.contains(segment)
        ? access.self()
        : ownership.primary();
  }

  private void ask(Topology topology, Member member, List<Integer> segments) {
    List<Pull.Want> wants = new ArrayList<>(segments.size());
    for (int segment : segments) {
      Cursor cursor = open.remove(segment);
      wants.add(new Pull.Want(segment, cursor == null ? Cursor.START : cursor));
    }
    Pull pull = new Pull(cache, part, task, PULL_BYTES, PULL_ELEMENTS, wants);
    Ask ask =
        access
            .requests()
            .ask(
                member,
                Kind.PULL,
                256,
                out -> {
                  out.writeLong(topology.number());
                  pull.write(out);
                },
                signal);
    asked.add(new Asked(ask, wants, access.clock().nanoTime() + PULL_NANOS));
  }

  /** Takes the answers that have come, and notes how far they go. */
  private void collect() {
    for (Iterator<Asked> each = asked.iterator(); each.hasNext(); ) {
      Asked one = each.next();
      if (one.ask.done() || access.clock().nanoTime() - one.until >= 0) {
        one.ask.forget();
        each.remove();
        Input in = one.ask.answer();
        TreeMap<Integer, Cursor> rest = new TreeMap<>();
        one.wants.forEach(want -> rest.put(want.segment(), want.cursor()));
        boolean progress = in != null && accept(in, rest, one.ask.to());
        open.putAll(rest);
        if (progress) {
          pause = PAUSE;
          lastProgress = access.clock().nanoTime();
        } else {
          pauseUntil = access.clock().nanoTime() + pause;
          pause = Math.min(pause * 2, LONGEST_PAUSE);
        }
      }
    }
  }

  /** Notes in {@code rest} where each segment goes on; false when nothing was told. */
  private boolean accept(Input in, Map<Integer, Cursor> rest, Member from) {
    int status = in.readByte();
    if (status == Source.REFUSED) {
      return false;
    }
    if (status == Source.FAILED) {
      String why = in.readString();
      close();
      throw new GridException("a function failed on " + from + ": " + why);
    }
    Answer answer = new Answer(in);
    boolean progress = false;
    for (long named = in.readVarint(); named != 0; named = in.readVarint()) {
      int segment = (int) named - 1;
      int count = in.readInt();
      int length = in.readInt();
      if (count > 0) {
        answer.blocks.add(new int[] {in.position(), length, count});
      }
      in.skip(length);
      int outcome = in.readByte();
      if (outcome == Source.DONE) {
        rest.remove(segment);
        dirtyHere.remove(segment);
        progress = true;
      } else if (outcome != Source.REFUSED) {
        Cursor next = Cursor.read(in);
        progress |= !next.equals(rest.put(segment, next));
        if (outcome == Source.DIRTY) {
          dirtyHere.add(segment);
        }
      } else {
        // The primary knows better than a copy that may not speak.
        dirtyHere.add(segment);
      }
    }
    if (!answer.blocks.isEmpty()) {
      answers.add(answer);
    }
    return progress;
  }

  private void await() {
    long now = access.clock().nanoTime();
    long until = lastProgress + access.timeoutNanos();
    if (now - until >= 0) {
      close();
      throw new TimeoutException(
          "an iteration came no further within "
              + TimeUnit.NANOSECONDS.toMillis(access.timeoutNanos())
              + " ms");
    }
    boolean pausing = !open.isEmpty() && asked.size() < PULLS;
    long wait = pausing ? Math.min(until, Math.max(pauseUntil, now)) - now : until - now;
    for (Asked one : asked) {
      wait = Math.min(wait, one.until - now);
    }
    access.checkAvailable();
    if (wait > 0) {
      signal.await(access.clock(), wait);
      io.cantle.core.transport.Requests.stopWhenInterrupted();
    }
  }
}
