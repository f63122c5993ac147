package io.cantle.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.cantle.core.container.Entry;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The races that jcstress runs in a segment with a bound: readers mark entries while a writer
 * evicts one.
 *
 * <p><b>Threading:</b> as each class says by its actors.
 */
public final class BoundedSegmentStress {
  private BoundedSegmentStress() {}

  /** A reader that marks an entry while it is replaced does not remember it afterwards. */
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 2"},
      expect = ACCEPTABLE,
      desc = "one of the two, then the second")
  @Outcome(expect = FORBIDDEN, desc = "what is gone is read, or torn")
  @State
  public static class MarkBesideReplacement {
    private final RacedSegment segment = new RacedSegment(0, 1, 2);
    private @Nullable Entry found;

    /** Creates the segment. */
    public MarkBesideReplacement() {}

    /** Replaces a value. */
    @Actor
    public void write() {
      var _ = segment.put(1, 2);
    }

    /** Finds one of the two, and marks it. */
    @Actor
    public void read() {
      found = segment.find(1);
    }

    /** Remembers what was found, and reads again. */
    @Arbiter
    public void check(II_Result result) {
      result.r1 = RacedSegment.valueOf(1, found);
      segment.remember(found);
      result.r2 = segment.getRemembered(1);
    }
  }

  /** A reader does not remember a value that was replaced while it read. */
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 2"},
      expect = ACCEPTABLE,
      desc = "one of the two, then the second")
  @Outcome(expect = FORBIDDEN, desc = "what is gone is read, or torn")
  @State
  public static class RememberBesideReplacement {
    private final RacedSegment segment = new RacedSegment(0, 1, 2);

    /** Creates the segment. */
    public RememberBesideReplacement() {}

    /** Replaces a value. */
    @Actor
    public void write() {
      var _ = segment.put(1, 2);
    }

    /** Finds one of the two, and remembers it. */
    @Actor
    public void read(II_Result result) {
      result.r1 = segment.getRemembered(1);
    }

    /** Reads what is remembered. */
    @Arbiter
    public void check(II_Result result) {
      result.r2 = segment.getRemembered(1);
    }
  }

  /** A reader marks and remembers nothing that was evicted. */
  @JCStressTest
  @Outcome(
      id = {"1, 1, 1", "1, 0, 0", "0, 0, 0"},
      expect = ACCEPTABLE,
      desc = "it stays, is evicted later, or was evicted before")
  @Outcome(expect = FORBIDDEN, desc = "what is gone is read, or torn")
  @State
  public static class MarkBesideEviction {
    private final RacedSegment segment = new RacedSegment(0, 1, 2);

    /** Creates the segment. */
    public MarkBesideEviction() {}

    /** Puts a key, for which the eldest is evicted that is not marked; then another. */
    @Actor
    public void write() {
      var _ = segment.put(3, 2);
      var _ = segment.put(4, 3);
    }

    /** Finds the eldest, marks and remembers it. */
    @Actor
    public void read(III_Result result) {
      result.r1 = segment.getRemembered(0);
    }

    /** Reads what is remembered, and looks it up. */
    @Arbiter
    public void check(III_Result result) {
      result.r2 = segment.getRemembered(0);
      result.r3 = segment.get(0);
    }
  }

  /** A scan keeps the order while one entry is put and another evicted; then all are evicted. */
  @JCStressTest
  @Outcome(id = "1, 3", expect = ACCEPTABLE, desc = "in order, and the queue knows all")
  @Outcome(expect = FORBIDDEN, desc = "a key twice, none, or one that is never evicted")
  @State
  public static class ScanBesideEviction {
    private static final int LAST_KEYS = (1 << 6) | (1 << 7);

    private final RacedSegment segment = new RacedSegment(2, 6, 7);

    /** Creates the segment. */
    public ScanBesideEviction() {}

    /** Puts the first key in order; the third one is evicted. */
    @Actor
    public void write() {
      var _ = segment.put(1, 2);
    }

    /** Reads all. */
    @Actor
    public void read(II_Result result) {
      int seen = segment.scan();
      result.r1 = seen != RacedSegment.OUT_OF_ORDER && (seen & LAST_KEYS) == LAST_KEYS ? 1 : 0;
    }

    /** Evicts all. */
    @Arbiter
    public void check(II_Result result) {
      result.r2 = segment.evictAll() ? RacedSegment.MAX_ENTRIES : 0;
    }
  }

  /** Readers find what stays while entries before it are put and evicted. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "it was there throughout")
  @Outcome(expect = FORBIDDEN, desc = "it was missed, or torn")
  @State
  public static class ReadsBesideEviction {
    private static final int STAYING = (1 << 2) | (1 << 3);

    private final RacedSegment segment = new RacedSegment(0, 2, 3);

    /** Creates the segment. */
    public ReadsBesideEviction() {}

    /** Puts a key before those that stay; the first of all is evicted. */
    @Actor
    public void write() {
      var _ = segment.put(1, 2);
    }

    /** Reads all, and the last one. */
    @Actor
    public void read(II_Result result) {
      int seen = segment.scan();
      result.r1 = seen != RacedSegment.OUT_OF_ORDER && (seen & STAYING) == STAYING ? 1 : 0;
      result.r2 = segment.get(3);
    }
  }
}
