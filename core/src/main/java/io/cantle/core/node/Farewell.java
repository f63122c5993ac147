package io.cantle.core.node;

import io.cantle.core.base.Clock;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
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
  private final Consumer<String> log;
  private final long began;
  private boolean said;
  private long lastSaid;

  /**
   * @param patience how long it waits at most
   * @param cutOff whether the node is cut off from the majority
   */
  Farewell(
      Member self,
      Duration patience,
      Clock clock,
      Supplier<Topology> topology,
      BooleanSupplier cutOff,
      Consumer<String> log) {
    this.self = self;
    this.patience = patience;
    this.clock = clock;
    this.topology = topology;
    this.cutOff = cutOff;
    this.log = log;
    began = clock.nanoTime();
    lastSaid = began;
  }

  /** Looks whether there is something to say. */
  @Override
  public void run() {
    long now = clock.nanoTime();
    int sole = sole();
    boolean alone = cutOff.getAsBoolean();
    if (now - lastSaid < QUIET && (said || (sole == 0 && !alone))) {
      return;
    }
    said = true;
    lastSaid = now;
    log.accept(
        self.name()
            + (alone
                ? " is to leave and is cut off from the majority of its grid, without which nobody"
                    + " can take over; "
                : " is to leave and waits until others have taken over; ")
            + (sole == 1 ? "1 segment is" : sole + " segments are")
            + " held by this node only; it waits for "
            + TimeUnit.NANOSECONDS.toMillis(Math.max(0, patience.toNanos() - (now - began)))
            + " ms more at most (leaveTimeout)");
  }

  /** How many segments nobody else holds; none matters if nobody stays who could take them. */
  private int sole() {
    Topology now = topology.get();
    boolean somebodyStays =
        now.members().stream()
            .anyMatch(member -> !member.equals(self) && !now.leaving().contains(member));
    List<Member> me = List.of(self);
    return somebodyStays
        ? (int)
            now.caches().stream()
                .flatMap(cache -> cache.segments().stream())
                .filter(segment -> segment.owners().equals(me))
                .count()
        : 0;
  }
}
