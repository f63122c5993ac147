package io.cantle.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The races that jcstress runs: a writer and a reader meet in a segment that was just made, some
 * million times.
 *
 * <p><b>Threading:</b> as each class says by its actors.
 */
public final class SegmentStress {
  private SegmentStress() {}

  /** A scan meets the keys that stay once each, in order, while a key between them is put. */
  @JCStressTest
  @Outcome(id = "5, 1", expect = ACCEPTABLE, desc = "before the put")
  @Outcome(id = "7, 1", expect = ACCEPTABLE, desc = "after the put")
  @Outcome(expect = FORBIDDEN, desc = "a key twice, or none")
  @State
  public static class ScanBesidePut {
    private final RacedSegment segment = new RacedSegment(0, 2);

    /** Creates the segment. */
    public ScanBesidePut() {}

    /** Puts a key between two others. */
    @Actor
    public void write() {
      var _ = segment.put(1, 2);
    }

    /** Reads all, and a key behind the new one. */
    @Actor
    public void read(II_Result result) {
      result.r1 = segment.scan();
      result.r2 = segment.get(2);
    }
  }

  /** A scan meets a key once while its value is replaced. */
  @JCStressTest
  @Outcome(id = "7", expect = ACCEPTABLE, desc = "each key once")
  @Outcome(expect = FORBIDDEN, desc = "a key twice, or none")
  @State
  public static class ScanBesideReplacement {
    private final RacedSegment segment = new RacedSegment(0, 1, 2);

    /** Creates the segment. */
    public ScanBesideReplacement() {}

    /** Replaces a value. */
    @Actor
    public void write() {
      var _ = segment.put(1, 2);
    }

    /** Reads all. */
    @Actor
    public void read(I_Result result) {
      result.r1 = segment.scan();
    }
  }

  /** A look-up finds one of the two values while one replaces the other. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "1, 2", "2, 2"},
      expect = ACCEPTABLE,
      desc = "in the order of the writes")
  @Outcome(expect = FORBIDDEN, desc = "no value, or the older one again")
  @State
  public static class GetBesideReplacement {
    private final RacedSegment segment = new RacedSegment(0, 1);

    /** Creates the segment. */
    public GetBesideReplacement() {}

    /** Replaces a value. */
    @Actor
    public void write() {
      var _ = segment.put(1, 2);
    }

    /** Reads twice. */
    @Actor
    public void read(II_Result result) {
      result.r1 = segment.get(1);
      result.r2 = segment.get(1);
    }
  }

  /** A look-up and a scan find what a full table has, while it is copied. */
  @JCStressTest
  @Outcome(
      id = {"1, 15", "1, 31"},
      expect = ACCEPTABLE,
      desc = "all that stay")
  @Outcome(expect = FORBIDDEN, desc = "a key is missing or came twice")
  @State
  public static class ReadsBesideGrowth {
    private final RacedSegment segment = new RacedSegment(0, 1, 2, 3);

    /** Creates the segment. */
    public ReadsBesideGrowth() {}

    /** Puts the fifth key, for which the table is copied. */
    @Actor
    public void write() {
      var _ = segment.put(4, 2);
    }

    /** Reads the last key that was there, then all. */
    @Actor
    public void read(II_Result result) {
      result.r1 = segment.get(3);
      result.r2 = segment.scan();
    }
  }

  /** A look-up and a scan find the keys around one that is removed. */
  @JCStressTest
  @Outcome(
      id = {"1, 5", "1, 7"},
      expect = ACCEPTABLE,
      desc = "both that stay")
  @Outcome(expect = FORBIDDEN, desc = "a key is missing or came twice")
  @State
  public static class ReadsBesideRemoval {
    private final RacedSegment segment = new RacedSegment(0, 1, 2);

    /** Creates the segment. */
    public ReadsBesideRemoval() {}

    /** Removes a key between two others. */
    @Actor
    public void write() {
      var _ = segment.remove(1);
    }

    /** Reads the key behind it, then all. */
    @Actor
    public void read(II_Result result) {
      result.r1 = segment.get(2);
      result.r2 = segment.scan();
    }
  }
}
