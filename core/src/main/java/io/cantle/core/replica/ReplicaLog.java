package io.cantle.core.replica;

import io.cantle.core.transport.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How far a copy has come in the last epoch it saw writes in, and the writes of that epoch that are
 * not known to be committed. Writes are applied strictly in order, so that the index of the last
 * one says everything; what comes too early is kept until those before it have come.
 *
 * <p>An epoch in which nothing was written leaves no trace here until it is served: a primary that
 * takes over compares what all writers hold of the last one with writes, and takes the longest.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class ReplicaLog {
  /** How many writes that came too early are kept; the rest would come from a primary run wild. */
  private static final int MAX_EARLY_WRITES = 100_000;

  private final int segment;
  private final ReplicaData data;
  private final ArrayDeque<OrderedWrite> uncommitted = new ArrayDeque<>();
  private final Map<Long, OrderedWrite.ReceivedWrite> earlyWrites = new HashMap<>();
  private int epoch;
  private long applied;

  /** The tail of writes that are applied to these contents. */
  ReplicaLog(int segment, ReplicaData data) {
    this.segment = segment;
    this.data = data;
  }

  /** Goes on where an earlier life of this node has stopped: so far at least. */
  void restore(int lastEpoch, long lastIndex) {
    epoch = lastEpoch;
    applied = lastIndex;
  }

  /** The index of the last write applied. */
  long applied() {
    return applied;
  }

  /** The same in an epoch; -1 if it is not that of the tail. */
  long appliedInEpoch(int askedEpoch) {
    return epoch == askedEpoch ? applied : -1;
  }

  boolean isEmpty() {
    return uncommitted.isEmpty();
  }

  /** The first writes after an index. */
  List<OrderedWrite> writesAfter(long index, int max) {
    return uncommitted.stream().filter(write -> write.index() > index).limit(max).toList();
  }

  /** How far the copy has come for certain: what its tail holds, not everybody may hold. */
  DivergencePoint divergencePoint(int entered) {
    OrderedWrite first = uncommitted.peekFirst();
    return first != null
        ? new DivergencePoint(entered, first.epoch(), first.index() - 1, data.settledStamp())
        : new DivergencePoint(
            entered, entered, epoch == entered ? applied : 0, data.settledStamp());
  }

  // ------------------------------------------------------------------ writes of the epoch

  /** Begins an epoch in which nothing is written yet; 0 for none. */
  void beginEpoch(int next) {
    epoch = next;
    applied = 0;
    uncommitted.forEach(data::onSettled);
    uncommitted.clear();
  }

  /** Writes of an epoch that is over come no more. */
  void dropEarlyWrites() {
    earlyWrites.clear();
  }

  /** Applies the next write. */
  void apply(OrderedWrite write) {
    data.apply(write);
    uncommitted.add(write);
    applied = write.index();
  }

  /** Applies a write and those that were waiting for it, if it is its turn. */
  void applyInOrder(OrderedWrite.ReceivedWrite read, List<OrderedWrite.ReceivedWrite> taken) {
    long index = read.write().index();
    if (index <= applied) {
      return;
    }
    if (index > applied + 1) {
      if (earlyWrites.size() >= MAX_EARLY_WRITES) {
        throw new IllegalStateException(
            "more than "
                + MAX_EARLY_WRITES
                + " writes of segment "
                + segment
                + " came before "
                + applied);
      }
      earlyWrites.put(index, read);
      return;
    }
    for (OrderedWrite.ReceivedWrite next = read;
        next != null;
        next = earlyWrites.remove(applied + 1)) {
      OrderedWrite write =
          next.isResultPrevious() ? data.withPreviousValue(next.write()) : next.write();
      applyFromPrimary(write);
      taken.add(new OrderedWrite.ReceivedWrite(write, false, next.notice()));
    }
  }

  /** Applies a write another node has ordered, which tells the time of the segment. */
  private void applyFromPrimary(OrderedWrite write) {
    if (write.segmentMillis() >= 0) {
      data.segmentClock().followPrimary(write.epoch(), write.segmentMillis());
    }
    apply(write);
  }

  /** Forgets what is committed. */
  void forgetCommitted(long committed) {
    while (!uncommitted.isEmpty() && uncommitted.getFirst().index() <= committed) {
      data.onSettled(uncommitted.removeFirst());
    }
  }

  // ------------------------------------------------------------------ between two epochs

  /** What the copy holds, and what somebody lacks who has come so far. */
  ReplicaLogSummary summarize(int since, int knownEpoch, long knownApplied) {
    List<OrderedWrite> askedEpoch =
        epoch < knownEpoch ? List.of() : missingWrites(knownEpoch, knownApplied);
    return new ReplicaLogSummary(
        since, epoch, applied, askedEpoch, data.segmentClock().readMillis());
  }

  /**
   * What somebody lacks of this epoch who has come so far. Where copies are kept on disk, one that
   * is back may not know how far it had come, and lacks nothing that is left of what it seems to.
   */
  private List<OrderedWrite> missingWrites(int knownEpoch, long knownApplied) {
    long known = knownEpoch < epoch ? 0 : knownApplied;
    OrderedWrite first = uncommitted.peekFirst();
    long begin = first == null ? applied + 1 : first.index();
    List<OrderedWrite> later = writesAfter(known, Integer.MAX_VALUE);
    if (data.durability() == null) {
      return later;
    }
    List<OrderedWrite> left =
        known + 1 >= begin ? List.of() : data.retainedVersions(epoch, known, begin);
    if (left.isEmpty() && later.isEmpty()) {
      return later;
    }
    // Of what is left of an earlier tick its disk may have had a part only.
    List<OrderedWrite> lacking = new ArrayList<>(data.tombstonesOf(epoch, known));
    lacking.addAll(left);
    lacking.addAll(later);
    return lacking;
  }

  /** Takes over the longest of all logs. Returns who lacks what of it. */
  List<ReplicaLogSummary.MissingWrites> takeOver(Map<Member, ReplicaLogSummary> logs) {
    for (ReplicaLogSummary summary : logs.values()) {
      if (summary.epoch() > epoch || (summary.epoch() == epoch && summary.applied() > applied)) {
        fillMissing(summary.epoch(), summary.writes());
        if (data.durability() != null) {
          applied = summary.applied();
        }
        checkState(
            summary.applied() == applied,
            "the longest log ends at " + summary.applied() + ", not ");
      }
    }
    for (ReplicaLogSummary summary : logs.values()) {
      // Who has come less far may have followed an earlier word of the primary's, too fast.
      if (summary.epoch() == epoch && summary.applied() == applied) {
        data.advanceClock(summary.segmentMillis());
      }
    }
    List<ReplicaLogSummary.MissingWrites> missing = new ArrayList<>();
    logs.forEach(
        (member, summary) -> {
          if (summary.sinceEpoch() <= epoch
              && (summary.epoch() < epoch || summary.applied() < applied)) {
            List<OrderedWrite> lacking = missingWrites(summary.epoch(), summary.applied());
            if (!lacking.isEmpty()) {
              missing.add(new ReplicaLogSummary.MissingWrites(member, epoch, lacking));
            }
          }
        });
    return missing;
  }

  /** Adds writes of an epoch, in place of those of an earlier one. */
  void fillMissing(int writesEpoch, List<OrderedWrite> writes) {
    if (epoch < writesEpoch) {
      beginEpoch(writesEpoch);
    }
    long before = applied;
    for (OrderedWrite write : writes) {
      // What is left of one tick has one index.
      if (write.index() > before
          || (write instanceof OrderedWrite.RetainedVersion && write.index() == before)) {
        boolean follows = write.index() == applied + 1 || data.durability() != null;
        checkState(follows, "write " + write.index() + " is to follow ");
        applyFromPrimary(write);
      }
    }
  }

  private void checkState(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalStateException(
          problem + applied + " in segment " + segment + ", epoch " + epoch);
    }
  }
}
