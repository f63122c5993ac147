package io.cantle.simulation;

import io.cantle.core.base.Notes;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is left of a node when its process has died, and found by its next life. What is written
 * takes its time, in order, and is lost if the process dies before; or it gets there all the same,
 * although nobody was told.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Disk {
  private static final long USUAL_NANOS = 20_000_000;
  private static final long SLOW_NANOS = 600_000_000;
  private static final int SLOW_ONE_IN = 60;
  private static final int OUTLIVES_ONE_IN = 4;

  private final Scheduler scheduler;
  private final UUID node;
  private final Map<String, byte[]> notes = new HashMap<>();
  private @Nullable Host user;

  /** An empty disk. */
  Disk(Scheduler scheduler, UUID node) {
    this.scheduler = scheduler;
    this.node = node;
  }

  /** Which node's it is. */
  UUID node() {
    return node;
  }

  /** What a process sees of it that starts now; there is no other. */
  Notes mount(Host host, SplittableRandom random) {
    Host before = user;
    if (before != null && before.alive()) {
      scheduler.fail(host + " starts while " + before + " uses its disk");
    }
    user = host;
    return new Mounted(host, random);
  }

  private final class Mounted implements Notes {
    private final Host host;
    private final SplittableRandom random;
    private long dueNanos;

    Mounted(Host host, SplittableRandom random) {
      this.host = host;
      this.random = random;
    }

    @Override
    public byte @Nullable [] find(String name) {
      byte[] bytes = notes.get(name);
      return bytes == null ? null : bytes.clone();
    }

    @Override
    public void keep(String name, byte[] bytes, Runnable then) {
      byte[] copy = bytes.clone();
      long now = scheduler.nowNanos();
      long takes = random.nextLong(random.nextInt(SLOW_ONE_IN) == 0 ? SLOW_NANOS : USUAL_NANOS);
      boolean outlives = random.nextInt(OUTLIVES_ONE_IN) == 0;
      dueNanos = Math.max(dueNanos, now + takes);
      scheduler.at(
          dueNanos - now,
          null,
          () -> {
            if (host == user && (host.alive() || outlives)) {
              notes.put(name, copy);
              host.start(Role.TASK, then);
            }
          });
    }
  }
}
