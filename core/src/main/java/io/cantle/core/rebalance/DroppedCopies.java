package io.cantle.core.rebalance;

import io.cantle.core.base.Clock;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Role;
import io.cantle.core.topology.TopologyKeeper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells the voters of segments this node counts as a holder of and is none. An owner that has
 * dropped its copy is never to be; but should a topology say so by mistake, the segment is an
 * owner's fewer, or lost, and never empty without a word. A joiner of a segment that is lost is
 * asked: it says so unless it holds everything.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Nothing waits.
 */
public final class DroppedCopies {
  private static final System.Logger LOG = System.getLogger(DroppedCopies.class.getName());
  private static final long TELL_AGAIN = TimeUnit.SECONDS.toNanos(1);

  private final TopologyKeeper topologies;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Replica, Integer> open = new LinkedHashMap<>();
  private boolean again;
  private boolean closed;

  /** None yet. */
  public DroppedCopies(TopologyKeeper topologies, Clock clock) {
    this.topologies = topologies;
    this.clock = clock;
  }

  /** Replicas have entered other epochs. */
  public void begin(List<Replicas.Changed> changed) {
    for (Replicas.Changed change : changed) {
      Replica replica = change.replica();
      int epoch = change.ownership().epoch();
      if (replica.lacks(epoch)) {
        if (replica.state().role() == Role.NONE) {
          LOG.log(
              System.Logger.Level.ERROR,
              "this node should hold segment {0} of cache number {1} in epoch {2}, and has dropped"
                  + " its copy: it serves nothing of it, and says so to those that decide",
              replica.segment(),
              replica.cache(),
              epoch);
        }
        lock.lock();
        try {
          if (!closed) {
            open.put(replica, epoch);
          }
        } finally {
          lock.unlock();
        }
        clock.schedule(0, this::tell);
      }
    }
  }

  /** Tells nothing more. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      open.clear();
    } finally {
      lock.unlock();
    }
  }

  private void tell() {
    List<Replica> told;
    lock.lock();
    try {
      open.entrySet().removeIf(entry -> !entry.getKey().lacks(entry.getValue()));
      told = List.copyOf(open.keySet());
      if (!told.isEmpty() && !again) {
        again = true;
        clock.schedule(TELL_AGAIN, this::tellAgain);
      }
    } finally {
      lock.unlock();
    }
    for (Replica replica : told) {
      topologies.reportDropped(replica.cache(), replica.segment(), replica.state().epoch());
    }
  }

  private void tellAgain() {
    lock.lock();
    try {
      again = false;
    } finally {
      lock.unlock();
    }
    tell();
  }
}
