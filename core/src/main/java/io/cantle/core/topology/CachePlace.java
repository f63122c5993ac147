package io.cantle.core.topology;

import io.cantle.NotAvailableException;
import io.cantle.TimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.transport.Requests;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Where a cache is in the topology. Its place never changes in one grid; a node that gives its grid
 * up for another finds it at another place there, or has it made.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class CachePlace {
  private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long TELL_AGAIN = TimeUnit.MILLISECONDS.toNanos(50);

  private record Known(UUID gridId, int place) {}

  private final TopologyKeeper topologies;
  private final Clock clock;
  private final CacheDefinition definition;
  private final boolean exact;
  private volatile Known known = new Known(Topology.NONE.gridId(), -1);

  /** A cache that need not be there yet. */
  public CachePlace(TopologyKeeper topologies, Clock clock, CacheDefinition definition) {
    this(topologies, clock, definition, true);
  }

  private CachePlace(
      TopologyKeeper topologies, Clock clock, CacheDefinition definition, boolean exact) {
    this.topologies = topologies;
    this.clock = clock;
    this.definition = definition;
    this.exact = exact;
  }

  /**
   * A cache as it is defined already, by this definition only if it is not there. Whether it is
   * there this node may learn last of all: it is made known, not guessed.
   */
  public static CachePlace however(
      TopologyKeeper topologies, Clock clock, CacheDefinition otherwise) {
    return new CachePlace(topologies, clock, otherwise, false);
  }

  /** Its place in this topology, -1 if it is not there. */
  public int in(Topology topology) {
    Known last = known;
    if (last.place >= 0 && last.gridId.equals(topology.gridId())) {
      return last.place;
    }
    int place = topology.cache(definition.name());
    if (place >= 0) {
      String disagreement =
          Topology.disagreement(topology.caches().get(place).definition(), definition.config());
      if (exact && disagreement != null) {
        throw new IllegalStateException(disagreement);
      }
      known = new Known(topology.gridId(), place);
    }
    return place;
  }

  /**
   * Waits until the cache is there, and returns a topology that has it.
   *
   * @throws IllegalStateException if there is no room for it
   * @throws NotAvailableException if this node is cut off from the majority of its grid
   * @throws TimeoutException if it is not there when the deadline has passed
   */
  public Topology awaitThere(long deadlineNanos) {
    Topology topology = topologies.current();
    if (in(topology) >= 0) {
      return topology;
    }
    long toldAt = clock.nanoTime() - TELL_AGAIN;
    while (true) {
      long now = clock.nanoTime();
      // Who has just founded a grid of its own may be about to give it up for that of the others.
      if (topologies.cutOff() && (topology.charter().used() || now - deadlineNanos >= 0)) {
        throw new NotAvailableException(
            "cache \""
                + definition.name()
                + "\" cannot be opened: this node is cut off from the majority of its grid"
                + (topology.charter().used()
                    ? ". " + topologies.trouble()
                    : "; nothing was ever written in that, so it waited for the others, or for"
                        + " another grid it could join, and found none"));
      }
      Requests.stopWhenInterrupted();
      if (now - deadlineNanos >= 0) {
        throw new TimeoutException(
            "cache \"" + definition.name() + "\" was not created in time; trying again is safe");
      }
      if (now - toldAt >= TELL_AGAIN && topology.founded()) {
        toldAt = now;
        String refusal = Ledger.refusal(topology, definition);
        if (refusal != null) {
          throw new IllegalStateException(refusal);
        }
        topologies.reportWanted(definition);
      }
      topology = topologies.current();
      if (in(topology) >= 0) {
        return topology;
      }
      clock.parkNanos(this, Math.min(LOOK_AGAIN, deadlineNanos - now));
      topology = topologies.current();
      if (in(topology) >= 0) {
        return topology;
      }
    }
  }
}
