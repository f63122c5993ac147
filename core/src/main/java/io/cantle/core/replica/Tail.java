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
final class Tail {
  /** How many writes that came too early are kept; the rest would come from a primary run wild. */
  private static final int MAX_EARLY = 100_000;

  private final int segment;
  private final Contents contents;
  private final ArrayDeque<Item> items = new ArrayDeque<>();
  private final Map<Long, Item.Read> early = new HashMap<>();
  private int epoch;
  private long applied;

  /** The tail of writes that are applied to these contents. */
  Tail(int segment, Contents contents) {
    this.segment = segment;
    this.contents = contents;
  }

  /** Goes on where an earlier life of this node has stopped: so far at least. */
  void goOn(int lastEpoch, long lastIndex) {
    epoch = lastEpoch;
    applied = lastIndex;
  }

  /** The index of the last write applied. */
  long applied() {
    return applied;
  }

  /** The same in an epoch; -1 if it is not that of the tail. */
  long appliedIn(int asked) {
    return epoch == asked ? applied : -1;
  }

  boolean isEmpty() {
    return items.isEmpty();
  }

  /** The first writes after an index. */
  List<Item> after(long index, int max) {
    return items.stream().filter(item -> item.index() > index).limit(max).toList();
  }

  /** How far the copy has come for certain: what its tail holds, not everybody may hold. */
  Parting parting(int entered) {
    Item first = items.peekFirst();
    return first != null
        ? new Parting(entered, first.epoch(), first.index() - 1, contents.settledStamp())
        : new Parting(entered, entered, epoch == entered ? applied : 0, contents.settledStamp());
  }

  // ------------------------------------------------------------------ writes of the epoch

  /** Begins an epoch in which nothing is written yet; 0 for none. */
  void begin(int next) {
    epoch = next;
    applied = 0;
    items.forEach(contents::settled);
    items.clear();
  }

  /** Writes of an epoch that is over come no more. */
  void forgetEarly() {
    early.clear();
  }

  /** Applies the next write. */
  void apply(Item item) {
    contents.apply(item);
    items.add(item);
    applied = item.index();
  }

  /** Applies a write and those that were waiting for it, if it is its turn. */
  void take(Item.Read read, List<Item.Read> taken) {
    long index = read.item().index();
    if (index <= applied) {
      return;
    }
    if (index > applied + 1) {
      if (early.size() >= MAX_EARLY) {
        throw new IllegalStateException(
            "more than " + MAX_EARLY + " writes of segment " + segment + " came before " + applied);
      }
      early.put(index, read);
      return;
    }
    for (Item.Read next = read; next != null; next = early.remove(applied + 1)) {
      Item item = next.resultIsPrevious() ? contents.withPrevious(next.item()) : next.item();
      follow(item);
      taken.add(new Item.Read(item, false, next.notice()));
    }
  }

  /** Applies a write another node has ordered, which tells the time of the segment. */
  private void follow(Item item) {
    if (item.segmentMillis() >= 0) {
      contents.clock().follow(item.epoch(), item.segmentMillis());
    }
    apply(item);
  }

  /** Forgets what is committed. */
  void forget(long committed) {
    while (!items.isEmpty() && items.getFirst().index() <= committed) {
      contents.settled(items.removeFirst());
    }
  }

  // ------------------------------------------------------------------ between two epochs

  /** What the copy holds, and what somebody lacks who has come so far. */
  Log log(int since, int knownEpoch, long knownApplied) {
    List<Item> asked = epoch < knownEpoch ? List.of() : lacking(knownEpoch, knownApplied);
    return new Log(since, epoch, applied, asked, contents.clock().readMillis());
  }

  /**
   * What somebody lacks of this epoch who has come so far. Where copies are kept on disk, one that
   * is back may not know how far it had come, and lacks nothing that is left of what it seems to.
   */
  private List<Item> lacking(int knownEpoch, long knownApplied) {
    long known = knownEpoch < epoch ? 0 : knownApplied;
    Item first = items.peekFirst();
    long begin = first == null ? applied + 1 : first.index();
    List<Item> later = after(known, Integer.MAX_VALUE);
    if (contents.keeping() == null) {
      return later;
    }
    List<Item> left = known + 1 >= begin ? List.of() : contents.left(epoch, known, begin);
    if (left.isEmpty() && later.isEmpty()) {
      return later;
    }
    // Of what is left of an earlier tick its disk may have had a part only.
    List<Item> lacking = new ArrayList<>(contents.removedBy(epoch, known));
    lacking.addAll(left);
    lacking.addAll(later);
    return lacking;
  }

  /** Takes over the longest of all logs. Returns who lacks what of it. */
  List<Log.Missing> takeOver(Map<Member, Log> logs) {
    for (Log log : logs.values()) {
      if (log.epoch() > epoch || (log.epoch() == epoch && log.applied() > applied)) {
        fill(log.epoch(), log.items());
        if (contents.keeping() != null) {
          applied = log.applied();
        }
        check(log.applied() == applied, "the longest log ends at " + log.applied() + ", not ");
      }
    }
    for (Log log : logs.values()) {
      // Who has come less far may have followed an earlier word of the primary's, too fast.
      if (log.epoch() == epoch && log.applied() == applied) {
        contents.goOnAt(log.segmentMillis());
      }
    }
    List<Log.Missing> missing = new ArrayList<>();
    logs.forEach(
        (member, log) -> {
          if (log.since() <= epoch && (log.epoch() < epoch || log.applied() < applied)) {
            List<Item> lacking = lacking(log.epoch(), log.applied());
            if (!lacking.isEmpty()) {
              missing.add(new Log.Missing(member, epoch, lacking));
            }
          }
        });
    return missing;
  }

  /** Adds writes of an epoch, in place of those of an earlier one. */
  void fill(int itemsEpoch, List<Item> more) {
    if (epoch < itemsEpoch) {
      begin(itemsEpoch);
    }
    long before = applied;
    for (Item item : more) {
      // What is left of one tick has one index.
      if (item.index() > before || (item instanceof Item.Left && item.index() == before)) {
        boolean follows = item.index() == applied + 1 || contents.keeping() != null;
        check(follows, "write " + item.index() + " is to follow ");
        follow(item);
      }
    }
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(
          what + applied + " in segment " + segment + ", epoch " + epoch);
    }
  }
}
