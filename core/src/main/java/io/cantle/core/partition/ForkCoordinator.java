package io.cantle.core.partition;

import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Lets members that are cut off from the majority go on, in a grid that is to stay available. They
 * tell each other that they are cut off. The first of those that hear each other founds a
 * <em>fork</em>, a grid of its own that begins with the replicas they have. In it each segment
 * begins a new epoch, with those of its owners that take part, or empty if there are none.
 *
 * <p>No member is drawn into a fork against its will: one that has heard of the majority meanwhile
 * stays.
 *
 * <p><b>Threading:</b> one thread at a time. It sends nothing: each step returns what is to be
 * done.
 */
public final class ForkCoordinator {
  /**
   * After this long without a lease and a greeting, an excluded node of an available grid gives it
   * up. Only a leader that holds a lease greets. So this is longer than the members are without one
   * before they have replaced a leader, or fork.
   */
  public static final long FORGOTTEN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long a cut-off node waits for others to report that they are cut off as well. */
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long such a report counts. */
  private static final long REPORT_VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What is to be done after a step. */
  public sealed interface ForkEffect {
    /** Tells a member that this node is cut off. */
    record ReportCutOff(Member to) implements ForkEffect {}

    /** Sends a member the present topology. */
    record SendCurrentTopology(Member to) implements ForkEffect {}

    /** Tells a node of another grid which grid this is. */
    record SendHello(Member to) implements ForkEffect {}

    /** Founds a fork of these members, of which this node is the first. */
    record CreateFork(List<Member> group) implements ForkEffect {}
  }

  private final Member self;
  private final Map<Member, Long> cutOffNanos = new HashMap<>();
  private long cutSinceNanos;
  private boolean collecting;

  /** Creates the coordinator of a node. */
  public ForkCoordinator(Member self) {
    this.self = self;
  }

  /** Forgets all reports: this node hears of its majority, or is in another grid. */
  public void reset() {
    collecting = false;
    cutOffNanos.clear();
  }

  /**
   * Handles a node's report that it is cut off, in a topology of its grid. Only a member with this
   * node's topology can found a fork together with it.
   */
  public List<ForkEffect> onCutOff(Topology current, Member from, CutOffNotice notice, long now) {
    long number = notice.topologyNumber();
    if (!current.isFounded() || !current.gridDefinition().prefersAvailability()) {
      return List.of();
    }
    boolean isMember = current.members().contains(from);
    if (!notice.gridId().equals(current.gridId())) {
      return List.of(
          isMember ? new ForkEffect.SendCurrentTopology(from) : new ForkEffect.SendHello(from));
    }
    if (number < current.number()) {
      return List.of(new ForkEffect.SendCurrentTopology(from));
    }
    if (number == current.number() && isMember) {
      cutOffNanos.put(from, now);
    }
    return List.of();
  }

  /**
   * Checks, from time to time, whether this node is cut off from the majority and its grid is an
   * available one. If so, it tells the other members, and founds a fork once their reports are in.
   */
  public List<ForkEffect> onCheck(Topology current, boolean isCutOff, long now) {
    if (!isCutOff
        || !current.gridDefinition().prefersAvailability()
        || !current.members().contains(self)) {
      reset();
      return List.of();
    }
    if (!collecting) {
      collecting = true;
      cutSinceNanos = now;
    }
    List<ForkEffect> effects = new ArrayList<>();
    current.members().stream()
        .filter(member -> !member.equals(self))
        .forEach(member -> effects.add(new ForkEffect.ReportCutOff(member)));
    if (now - cutSinceNanos >= SETTLE_NANOS) {
      cutOffNanos.values().removeIf(reportedNanos -> now - reportedNanos > REPORT_VALID_NANOS);
      List<Member> group =
          current.members().stream()
              .filter(member -> member.equals(self) || cutOffNanos.containsKey(member))
              .toList();
      if (group.getFirst().equals(self)) {
        effects.add(new ForkEffect.CreateFork(group));
      }
    }
    return effects;
  }

  /**
   * Whether an available grid has excluded this node so long ago that it may be gone. Then no
   * member would ever admit this node again. Since it is not a member, it does not found a fork of
   * that grid either. Unless a member greets it, it has to give the grid up and look for another.
   */
  public boolean mayBeForgotten(Topology current, long lapsedNanos) {
    return lapsedNanos >= FORGOTTEN_AFTER_NANOS
        && current.gridDefinition().prefersAvailability()
        && current.members().stream().noneMatch(self::isSameNode);
  }
}
