package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Partial results of all owners, each counted once. An owner answers after a second at the latest
 * and is asked again for the rest, so that every answer is progress, however long it all takes.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Reduction {
  private static final int OWNERS = 8;
  private static final int SEGMENTS = 128;

  /** Of so many bytes of entries a result is made, until it is known how long results are. */
  private static final long BEGIN_BYTES = 32 << 20;

  private static final long LEAST_BYTES = 1 << 20;
  private static final long MOST_BYTES = 256 << 20;

  /** An answer that is shorter than this can be of more entries. */
  private static final int SHORT_ANSWER = 1 << 20;

  /** An answer that is longer than this is better of fewer entries. */
  private static final int LONG_ANSWER = 16 << 20;

  /** An answer takes so much as far as memory is concerned, until it is known what it takes. */
  private static final int LEAST_ANSWER_BYTES = 4 << 10;

  /** What all answers under way may take together, as far as it is known. */
  private static final int ANSWERS_BYTES = 64 << 20;

  private final Access access;
  private final byte @Nullable [] task;
  private final ScanOptions options;
  private final Predicate<Input> partial;
  private long bytes = BEGIN_BYTES;

  /** What an answer took lately. */
  private int longest = 1;

  /**
   * A reduction that has not begun.
   *
   * @param task what the owners do, or null to have them count entries
   * @param partial is given each result; false when no more are needed
   */
  Reduction(Access access, byte @Nullable [] task, ScanOptions options, Predicate<Input> partial) {
    this.access = access;
    this.task = task;
    this.options = options;
    this.partial = partial;
  }

  /** Runs it. */
  void run() {
    Asking.Manner manner = new Asking.Manner(Kind.REDUCE, OWNERS, SEGMENTS, false, false);
    boolean keepsRefused = options.delivery() == Delivery.AT_LEAST_ONCE;
    run(
        manner,
        (out, wants) ->
            new Share(access.cache(), task, options.parallel(), keepsRefused, bytes, wants)
                .write(out),
        this::accept);
  }

  /** A request for an answer, whose memory is reserved. What it takes is known when it has come. */
  private static final class Reserved implements Asking.Question {
    private final Asking.Question question;
    private final ScanBuffers.ScanBuffer buffer;
    private long bytes;
    private boolean released;

    Reserved(Asking.Question question, ScanBuffers.ScanBuffer buffer, long bytes) {
      this.question = question;
      this.buffer = buffer;
      this.bytes = bytes;
    }

    @Override
    public void write(Output out, List<Want> wants) {
      question.write(out, wants);
    }

    @Override
    public synchronized void arrived(Input answer) {
      if (!released) {
        buffer.resize(bytes, answer.array().length);
        bytes = answer.array().length;
      }
    }

    synchronized void release() {
      released = true;
      buffer.release(bytes);
    }
  }

  /** A reduction is read as it comes: there is nothing to reclaim. */
  private record Reducing(Asking asking) implements ScanBuffers.Holder {
    @Override
    public boolean reclaim() {
      return false;
    }

    @Override
    public void granted() {
      asking.wake();
    }
  }

  /** What there is to do with an answer; false when no more are needed. */
  private interface Answers {
    boolean accept(Asked one, Input in);
  }

  private void run(Asking.Manner manner, Asking.Question question, Answers answers) {
    Map<Integer, Cursor> cursors = new TreeMap<>();
    access.segments(options).stream().forEach(segment -> cursors.put(segment, Cursor.START));
    Asking asking = new Asking(access, options, manner, cursors);
    ScanBuffers.ScanBuffer buffer = access.buffers().open(new Reducing(asking));
    try {
      while (!asking.over()) {
        int most = Math.clamp(ANSWERS_BYTES / longest, 1, manner.most());
        int expected = Math.max(longest, LEAST_ANSWER_BYTES);
        asking.askMore(
            most - asking.underWay(),
            () -> buffer.reserve(expected) ? new Reserved(question, buffer, expected) : null);
        Asked one = asking.ended();
        if (one == null) {
          if (!asking.over()) {
            asking.await();
          }
          continue;
        }
        try {
          Input in = one.told();
          if (in != null) {
            learn(in.remaining());
            if (!answers.accept(one, in)) {
              return;
            }
          }
        } finally {
          ((Reserved) one.question()).release();
          asking.settle(one);
        }
      }
    } finally {
      asking.cancel();
      buffer.close();
    }
  }

  /** The longer answers are, the fewer entries they are made of, and the fewer are under way. */
  private void learn(int length) {
    longest = Math.max(1, Math.max(length, longest / 2));
    if (length > LONG_ANSWER) {
      bytes = Math.max(LEAST_BYTES, bytes / 2);
    } else if (length < SHORT_ANSWER) {
      bytes = Math.min(MOST_BYTES, bytes * 2);
    }
  }

  private boolean accept(Asked one, Input in) {
    readOutcomes(one, in);
    for (int parts = in.readCount(in.remaining()); parts > 0; parts--) {
      int length = in.readInt();
      Input result = length < 0 ? null : in.slice(length);
      List<Integer> done = readOutcomes(one, in);
      boolean more = result == null || partial.test(result);
      tell(done);
      if (!more) {
        return false;
      }
    }
    return true;
  }

  private static List<Integer> readOutcomes(Asked one, Input in) {
    List<Integer> done = new ArrayList<>();
    for (long named = in.readVarint(); named != 0; named = in.readVarint()) {
      int segment = (int) named - 1;
      if (one.ended(segment, in.readByte(), in)) {
        done.add(segment);
      }
    }
    return done;
  }

  private void tell(List<Integer> done) {
    for (int segment : done) {
      options.listeners().forEach(listener -> listener.completed(segment));
    }
  }

  // ------------------------------------------------------------------ counts

  /** How many entries there are, visiting none unless keys are wanted. */
  static long count(Access access, ScanOptions options) {
    long[] total = new long[1];
    Reduction counting =
        new Reduction(
            access,
            null,
            options,
            in -> {
              total[0] += in.readVarint();
              return true;
            });
    if (options.keys() != null) {
      counting.run();
    } else {
      counting.runCount(total);
    }
    return total[0];
  }

  /** One question to each primary; most answers are one number. */
  private void runCount(long[] total) {
    run(
        new Asking.Manner(Kind.COUNT, OWNERS, Integer.MAX_VALUE, false, false),
        (out, wants) -> {
          out.writeVarint(access.cache());
          SegmentSet.of(wants.stream().mapToInt(Want::segment).toArray()).write(out);
        },
        (one, in) -> {
          total[0] += in.readVarint();
          SegmentSet counted =
              in.readBoolean() ? null : SegmentSet.read(in, io.cantle.CacheConfig.MAX_SEGMENTS);
          List<Integer> done = new ArrayList<>();
          for (Want want : one.wants()) {
            boolean is = counted == null || counted.contains(want.segment());
            int outcome = is ? Outcome.DONE : Outcome.ABSENT;
            if (one.ended(want.segment(), outcome, in)) {
              done.add(want.segment());
            }
          }
          tell(done);
          return true;
        });
  }
}
