package io.cantle.core.replica;

import static java.util.stream.Collectors.toSet;

import io.cantle.core.transport.Member;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which holder each write of an epoch was given to, at the primary of a scattered segment, and
 * which of them are not acknowledged.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class CopyAssignments {
  private final List<Member> holders;
  private final List<ArrayDeque<AssignedCopy>> unacknowledged;
  private final long[] lastIndexes;
  private long lastIndex;

  private record AssignedCopy(long index, CopyChain chain) {}

  CopyAssignments(List<Member> holders) {
    this.holders = holders;
    this.unacknowledged = holders.stream().map(one -> new ArrayDeque<AssignedCopy>()).toList();
    this.lastIndexes = new long[holders.size()];
  }

  /** The holder of a write: the member that it came from, the former holder, or the first one. */
  @Nullable Member choose(@Nullable Member origin, @Nullable Member former) {
    if (origin != null && holders.contains(origin)) {
      return origin;
    }
    return former != null && holders.contains(former)
        ? former
        : holders.isEmpty() ? null : holders.getFirst();
  }

  /** Assigns a write to a holder, and returns what goes with it. */
  CopyChain assign(long index, Member holder, List<CopyChain.ReplacedCommand> replaced) {
    int place = holders.indexOf(holder);
    CopyChain chain = new CopyChain(lastIndexes[place], replaced);
    unacknowledged.get(place).add(new AssignedCopy(index, chain));
    lastIndexes[place] = index;
    lastIndex = index;
    return chain;
  }

  /**
   * Records that a holder has applied what it was given up to an index. Returns the index up to
   * which every write is acknowledged.
   */
  long acknowledge(int place, long upTo) {
    ArrayDeque<AssignedCopy> open = unacknowledged.get(place);
    while (!open.isEmpty() && open.getFirst().index <= upTo) {
      open.removeFirst();
    }
    long first = Long.MAX_VALUE;
    for (ArrayDeque<AssignedCopy> copies : unacknowledged) {
      first = copies.isEmpty() ? first : Math.min(first, copies.getFirst().index);
    }
    return first == Long.MAX_VALUE ? lastIndex : first - 1;
  }

  /** The holders that have not acknowledged all they were given. */
  List<Member> unacknowledgedHolders() {
    return IntStream.range(0, holders.size())
        .filter(place -> !unacknowledged.get(place).isEmpty())
        .mapToObj(holders::get)
        .toList();
  }

  /** What goes with a write that is not acknowledged; null if it is. */
  @Nullable CopyChain chainOf(long index) {
    for (ArrayDeque<AssignedCopy> copies : unacknowledged) {
      for (AssignedCopy copy : copies) {
        if (copy.index == index) {
          return copy.chain;
        }
      }
    }
    return null;
  }

  /**
   * The first writes that a holder has not acknowledged; none if all of them are later than an
   * index.
   */
  List<OrderedWrite> overdueWrites(int place, long due, int max, ReplicaLog log) {
    ArrayDeque<AssignedCopy> open = unacknowledged.get(place);
    if (open.isEmpty() || open.getFirst().index > due) {
      return List.of();
    }
    Set<Long> indexes = open.stream().limit(max).map(AssignedCopy::index).collect(toSet());
    return log.uncommitted().stream().filter(write -> indexes.contains(write.index())).toList();
  }
}
