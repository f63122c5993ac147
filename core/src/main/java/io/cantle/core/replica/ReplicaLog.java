package io.cantle.core.replica;

import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.ReplicationBatch.SegmentWrite;
import io.cantle.core.transport.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The log of a replica: how far it has come in the last epoch in which it saw writes, and the
 * writes of that epoch that are not known to be committed. Writes are applied strictly in order, so
 * the index of the last one says which writes it holds. A write that arrives early is kept until
 * those before it have arrived.
 *
 * <p>An epoch in which nothing was written leaves no trace here until it is served. A primary that
 * takes over compares what all writers hold of the last epoch with writes, and takes the longest
 * log.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class ReplicaLog {
  /** The most early writes to keep; more can only come from a primary with a bug. */
  private static final int MAX_EARLY_WRITES = 100_000;

  private final int segment;
  private final ReplicaData data;
  private final ArrayDeque<OrderedWrite> uncommitted = new ArrayDeque<>();
  private final Map<Long, SegmentWrite> earlyWrites = new HashMap<>();

  /** Early copies of a scattered segment, by the index of the one before. */
  private final Map<Long, SegmentWrite> earlyCopies = new HashMap<>();

  private int epoch;
  private long applied;

  /** Creates the log of the writes that are applied to these contents. */
  ReplicaLog(int segment, ReplicaData data) {
    this.segment = segment;
    this.data = data;
  }

  /** Continues at least where an earlier incarnation of this node stopped. */
  void restore(Version last) {
    epoch = last.epoch();
    applied = last.index();
  }

  /** The index of the last write applied. */
  long applied() {
    return applied;
  }

  /** The index of the last write applied in an epoch; -1 if the log is of another epoch. */
  long appliedInEpoch(int askedEpoch) {
    return epoch == askedEpoch ? applied : -1;
  }

  /** The number of uncommitted writes. */
  int uncommittedCount() {
    return uncommitted.size();
  }

  /** The first writes after an index. */
  List<OrderedWrite> writesAfter(long index, int max) {
    return uncommitted.stream().filter(write -> write.index() > index).limit(max).toList();
  }

  /**
   * The point up to which all owners certainly hold what this replica holds. Its uncommitted writes
   * may be missing elsewhere.
   */
  Version lastCommon(int entered) {
    OrderedWrite first = uncommitted.peekFirst();
    return first != null
        ? new Version(first.epoch(), first.index() - 1)
        : new Version(entered, epoch == entered ? applied : 0);
  }

  // ------------------------------------------------------------------ writes of the epoch

  /** Begins an epoch in which nothing is written yet; 0 for none. */
  void beginEpoch(int next) {
    epoch = next;
    applied = 0;
    uncommitted.forEach(data::onCommitted);
    uncommitted.clear();
  }

  /** Drops early writes: no more writes of an epoch arrive once it is over. */
  void dropEarlyWrites() {
    earlyWrites.clear();
    earlyCopies.clear();
  }

  /** Applies the next write. */
  void apply(OrderedWrite write) {
    data.apply(write);
    data.segmentClock().onApplied(write);
    uncommitted.add(write);
    applied = write.index();
  }

  /** Notes that the next write was applied and committed, by replacing an object. */
  void noteReplacedObject() {
    applied++;
  }

  /** Applies the next write, which is committed with that: there is no other writer. */
  void applyCommitted(@Nullable Entry found, Entry entry) {
    data.applyCommitted(found, entry);
    applied = entry.index();
  }

  /**
   * Applies a write if it is the next one, then those that were waiting for it. Keeps it if it is
   * early. Returns the writes that were applied, with their results.
   */
  List<SegmentWrite> applyInOrder(SegmentWrite received) {
    long index = received.write().index();
    if (index <= applied) {
      return List.of();
    }
    if (index > applied + 1) {
      if (earlyWrites.size() >= MAX_EARLY_WRITES) {
        throw new IllegalStateException(
            "more than "
                + MAX_EARLY_WRITES
                + " writes of segment "
                + segment
                + " arrived out of order after index "
                + applied);
      }
      earlyWrites.put(index, received);
      return List.of();
    }
    SegmentWrite first = applyNext(received);
    if (earlyWrites.isEmpty()) {
      return List.of(first);
    }
    List<SegmentWrite> taken = new ArrayList<>();
    taken.add(first);
    for (SegmentWrite next; (next = earlyWrites.remove(applied + 1)) != null; ) {
      taken.add(applyNext(next));
    }
    return taken;
  }

  /**
   * Applies a write of which this node holds the second copy, once the one before it is applied.
   * Returns the writes that were applied.
   */
  List<SegmentWrite> applyCopy(SegmentWrite received, CopyChain chain) {
    if (received.write().index() <= applied) {
      return List.of();
    }
    if (chain.previous() > applied) {
      if (earlyCopies.size() < MAX_EARLY_WRITES) {
        earlyCopies.put(chain.previous(), received);
      }
      return List.of();
    }
    List<SegmentWrite> taken = new ArrayList<>();
    for (SegmentWrite next = received; next != null; next = earlyCopies.remove(applied)) {
      OrderedWrite write = next.write();
      if (write.segmentMillis() >= 0) {
        data.segmentClock().followPrimary(write.epoch(), write.segmentMillis());
      }
      data.segmentClock().onApplied(write);
      data.applyCopy(write, next.chain() == null ? chain : next.chain());
      applied = write.index();
      taken.add(next);
    }
    return taken;
  }

  /** The uncommitted writes, in their order. */
  List<OrderedWrite> uncommitted() {
    return List.copyOf(uncommitted);
  }

  /** The commands of uncommitted writes of a key. */
  List<CopyChain.ReplacedCommand> uncommittedCommands(Entry sameKey) {
    List<CopyChain.ReplacedCommand> commands = new ArrayList<>();
    for (OrderedWrite write : uncommitted) {
      if (write
              instanceof
              OrderedWrite.CommandWrite(Entry entry, CommandId command, OperationResult result)
          && entry.hasSameKey(sameKey)) {
        commands.add(new CopyChain.ReplacedCommand(command, entry.index(), result));
      }
    }
    return commands;
  }

  private SegmentWrite applyNext(SegmentWrite received) {
    SegmentWrite whole =
        received.isResultPrevious()
            ? received.withResult(withPreviousValue(received.write()))
            : received;
    applyFromPrimary(whole.write());
    return whole;
  }

  /** Returns the write with the value that it replaces here as its result. */
  private OrderedWrite withPreviousValue(OrderedWrite write) {
    return write
            instanceof
            OrderedWrite.CommandWrite(Entry entry, CommandId command, OperationResult unknown)
        ? new OrderedWrite.CommandWrite(entry, command, OperationResult.valueOf(data.find(entry)))
        : write;
  }

  /** Applies a write that another node ordered, and takes the time of the segment from it. */
  private void applyFromPrimary(OrderedWrite write) {
    if (write.segmentMillis() >= 0) {
      data.segmentClock().followPrimary(write.epoch(), write.segmentMillis());
    }
    apply(write);
  }

  /** Forgets what is committed. */
  void forgetCommitted(long committed) {
    while (!uncommitted.isEmpty() && uncommitted.getFirst().index() <= committed) {
      data.onCommitted(uncommitted.removeFirst());
    }
  }

  // ------------------------------------------------------------------ between two epochs

  /** Summarizes the log, with what is missing at a node that has come to a given index. */
  ReplicaLogSummary summarize(int since, int knownEpoch, long knownApplied) {
    List<OrderedWrite> askedEpoch =
        epoch < knownEpoch ? List.of() : missingWrites(knownEpoch, knownApplied);
    return new ReplicaLogSummary(
        since, epoch, applied, askedEpoch, data.segmentClock().readMillis());
  }

  /**
   * Returns what a node that has come to an index lacks of this epoch. If replicas are durable, a
   * restarted node may not know how far it had come. The result then includes what is left of the
   * committed writes that it seems to lack.
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
    // The disk of that node may have stored only some of the keys that an earlier tick ended.
    List<OrderedWrite> missingByMember =
        new ArrayList<>(data.tombstonesOf(new Version(epoch, known)));
    missingByMember.addAll(left);
    missingByMember.addAll(later);
    return missingByMember;
  }

  /** Takes over the longest of all logs. Returns what each of the writers lacks of it. */
  List<ReplicaLogSummary.MissingWrites> takeOver(Map<Member, ReplicaLogSummary> logs) {
    for (ReplicaLogSummary summary : logs.values()) {
      if (summary.epoch() > epoch || (summary.epoch() == epoch && summary.applied() > applied)) {
        fillMissing(summary.epoch(), summary.writes());
        if (data.durability() != null) {
          applied = summary.applied();
        }
        checkState(
            summary.applied() == applied,
            "the longest log ends at index " + summary.applied() + ", but its writes end at ");
      }
    }
    for (ReplicaLogSummary summary : logs.values()) {
      // A writer that has come less far may have followed an earlier time of the primary, too fast.
      if (summary.epoch() == epoch && summary.applied() == applied) {
        data.advanceClock(summary.segmentMillis());
      }
    }
    data.segmentClock().becomeAuthority();
    List<ReplicaLogSummary.MissingWrites> missing = new ArrayList<>();
    logs.forEach(
        (member, summary) -> {
          if (summary.sinceEpoch() <= epoch
              && (summary.epoch() < epoch || summary.applied() < applied)) {
            List<OrderedWrite> missingByMember = missingWrites(summary.epoch(), summary.applied());
            if (!missingByMember.isEmpty()) {
              missing.add(new ReplicaLogSummary.MissingWrites(member, epoch, missingByMember));
            }
          }
        });
    return missing;
  }

  /** Adds writes of an epoch, replacing those of an earlier one. */
  void fillMissing(int writesEpoch, List<OrderedWrite> writes) {
    if (epoch < writesEpoch) {
      beginEpoch(writesEpoch);
    }
    long before = applied;
    for (OrderedWrite write : writes) {
      // All tombstones of one tick have the same index.
      if (write.index() > before
          || (write instanceof OrderedWrite.RetainedVersion && write.index() == before)) {
        boolean follows = write.index() == applied + 1 || data.durability() != null;
        checkState(follows, "write " + write.index() + " does not follow write ");
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
