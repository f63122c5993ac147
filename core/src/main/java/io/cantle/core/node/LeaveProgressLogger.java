package io.cantle.core.node;

import io.cantle.core.base.Clock;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Logs why a node that leaves has to wait, as soon as that is known. Otherwise a close that takes
 * long looks like one that hangs. The message is repeated at most every ten seconds.
 *
 * <p><b>Threading:</b> the thread that leaves.
 */
final class LeaveProgressLogger {
  private static final long REPORT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Member self;
  private final Duration timeout;
  private final Clock clock;
  private final Supplier<Topology> topology;
  private final BooleanSupplier isCutOff;
  private final IntSupplier unmergedCount;
  private final Consumer<String> log;
  private final long startNanos;
  private boolean hasReported;
  private long lastReportNanos;

  /**
   * Creates a logger for a node that begins to leave.
   *
   * @param timeout the longest time that the node waits
   * @param isCutOff whether the node is cut off from the majority
   * @param unmergedCount how many losing replicas the node still has to merge
   */
  LeaveProgressLogger(
      Member self,
      Duration timeout,
      Clock clock,
      Supplier<Topology> topology,
      BooleanSupplier isCutOff,
      IntSupplier unmergedCount,
      Consumer<String> log) {
    this.self = self;
    this.timeout = timeout;
    this.clock = clock;
    this.topology = topology;
    this.isCutOff = isCutOff;
    this.unmergedCount = unmergedCount;
    this.log = log;
    startNanos = clock.nanoTime();
    lastReportNanos = startNanos;
  }

  /** Logs the progress if there is something to log. A node that is not to wait has none. */
  void run() {
    if (timeout.isZero()) {
      return;
    }
    long now = clock.nanoTime();
    int sole = countSoleSegments();
    int copies = unmergedCount.getAsInt();
    boolean cutOffNow = isCutOff.getAsBoolean();
    boolean noCapacity = nobodyHasCapacity();
    if (now - lastReportNanos < REPORT_INTERVAL_NANOS
        && (hasReported || (sole == 0 && copies == 0 && !cutOffNow && !noCapacity))) {
      return;
    }
    hasReported = true;
    lastReportNanos = now;
    log.accept(
        self.name()
            + (cutOffNow
                ? " is leaving and is cut off from the majority of its grid, without which no node"
                    + " can take over"
                : noCapacity
                    ? " is leaving, and no node that stays has capacity for what it holds"
                        + " (GridConfig.capacity); it waits for one that has"
                    : sole == 0 && copies > 0
                        ? " is leaving and waits until entries written in a partition are merged"
                        : " is leaving and waits until others have taken over")
            + describeSoleSegments()
            + describeCount(
                copies, "replica of a segment", "replicas of segments", "still to be merged")
            + "; it waits for "
            + TimeUnit.NANOSECONDS.toMillis(Math.max(0, timeout.toNanos() - (now - startNanos)))
            + " ms more at most (leaveTimeout)");
  }

  /**
   * How many segments are held by this node only, as a continuation of another sentence; empty if
   * there are none.
   */
  String describeSoleSegments() {
    return describeCount(countSoleSegments(), "segment", "segments", "held by this node only");
  }

  /** Describes a count; empty if it is zero. */
  private static String describeCount(int count, String singular, String plural, String suffix) {
    return switch (count) {
      case 0 -> "";
      case 1 -> "; 1 " + singular + " is " + suffix;
      default -> "; " + count + " " + plural + " are " + suffix;
    };
  }

  /**
   * The number of segments that no other node holds. It is 0 if no member stays that could take
   * them.
   */
  private int countSoleSegments() {
    Topology now = topology.get();
    List<Member> onlySelf = List.of(self);
    return !stayingMembers(now).isEmpty()
        ? (int)
            now.caches().stream()
                .flatMap(cache -> cache.segments().stream())
                .filter(segment -> segment.owners().equals(onlySelf))
                .count()
        : 0;
  }

  private List<Member> stayingMembers(Topology now) {
    return now.members().stream()
        .filter(member -> !member.equals(self) && !now.leaving().contains(member))
        .toList();
  }

  /** Whether this node holds segments and no member that stays may own any. */
  private boolean nobodyHasCapacity() {
    Topology now = topology.get();
    List<Member> staying = stayingMembers(now);
    return !staying.isEmpty()
        && staying.stream()
            .noneMatch(member -> now.membership().capacityOf(member).mayOwnSegments())
        && now.caches().stream()
            .flatMap(cache -> cache.segments().stream())
            .anyMatch(segment -> segment.owners().contains(self));
  }
}
