package io.cantle.core.node;

import io.cantle.core.base.Clock;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Says why a node that leaves has to wait, as soon as that is known: who closes a node and sees
 * nothing happen takes it for one that hangs. It is said again every ten seconds at most.
 *
 * <p><b>Threading:</b> the thread that leaves.
 */
final class Farewell implements Runnable {
  private static final long QUIET = TimeUnit.SECONDS.toNanos(10);

  private final Member self;
  private final Duration patience;
  private final Clock clock;
  private final Supplier<Topology> topology;
  private final BooleanSupplier cutOff;
  private final IntSupplier unmerged;
  private final Consumer<String> log;
  private final long began;
  private boolean said;
  private long lastSaid;

  /**
   * @param patience how long it waits at most
   * @param cutOff whether the node is cut off from the majority
   * @param unmerged how many copies of segments it still has to have merged
   */
  Farewell(
      Member self,
      Duration patience,
      Clock clock,
      Supplier<Topology> topology,
      BooleanSupplier cutOff,
      IntSupplier unmerged,
      Consumer<String> log) {
    this.self = self;
    this.patience = patience;
    this.clock = clock;
    this.topology = topology;
    this.cutOff = cutOff;
    this.unmerged = unmerged;
    this.log = log;
    began = clock.nanoTime();
    lastSaid = began;
  }

  /** Looks whether there is something to say. */
  @Override
  public void run() {
    long now = clock.nanoTime();
    int sole = sole();
    int copies = unmerged.getAsInt();
    boolean alone = cutOff.getAsBoolean();
    boolean unwanted = nobodyCanTake();
    if (now - lastSaid < QUIET && (said || (sole == 0 && copies == 0 && !alone && !unwanted))) {
      return;
    }
    said = true;
    lastSaid = now;
    log.accept(
        self.name()
            + (alone
                ? " is to leave and is cut off from the majority of its grid, without which nobody"
                    + " can take over"
                : unwanted
                    ? " is to leave, and no node that stays has capacity for what it holds"
                        + " (GridConfig.capacity); it waits for one that has"
                    : sole == 0 && copies > 0
                        ? " is to leave and waits until what was written apart is merged"
                        : " is to leave and waits until others have taken over")
            + soleText()
            + counted(copies, "copy of a segment", "copies of segments", "still to be merged")
            + "; it waits for "
            + TimeUnit.NANOSECONDS.toMillis(Math.max(0, patience.toNanos() - (now - began)))
            + " ms more at most (leaveTimeout)");
  }

  /** How many segments are held by this node only, behind another sentence; or nothing. */
  String soleText() {
    return counted(sole(), "segment", "segments", "held by this node only");
  }

  /** How many of something there are, unless it is none: that would tell nobody anything. */
  private static String counted(int count, String one, String more, String what) {
    return switch (count) {
      case 0 -> "";
      case 1 -> "; 1 " + one + " is " + what;
      default -> "; " + count + " " + more + " are " + what;
    };
  }

  /** How many segments nobody else holds; none matters if nobody stays who could take them. */
  private int sole() {
    Topology now = topology.get();
    List<Member> me = List.of(self);
    return !staying(now).isEmpty()
        ? (int)
            now.caches().stream()
                .flatMap(cache -> cache.segments().stream())
                .filter(segment -> segment.owners().equals(me))
                .count()
        : 0;
  }

  private List<Member> staying(Topology now) {
    return now.members().stream()
        .filter(member -> !member.equals(self) && !now.leaving().contains(member))
        .toList();
  }

  /** Whether this node holds something, and those that stay may hold nothing. */
  private boolean nobodyCanTake() {
    Topology now = topology.get();
    List<Member> staying = staying(now);
    return !staying.isEmpty()
        && staying.stream().noneMatch(member -> now.membership().seat(member).holdsEntries())
        && now.caches().stream()
            .flatMap(cache -> cache.segments().stream())
            .anyMatch(segment -> segment.owners().contains(self));
  }
}
