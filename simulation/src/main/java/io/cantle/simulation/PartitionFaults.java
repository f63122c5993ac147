package io.cantle.simulation;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The injector that cuts the network and heals it after a while.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class PartitionFaults {
  private static final long MILLISECOND_NANOS = 1_000_000L;
  private static final long MIN_CUT_NANOS = 300 * MILLISECOND_NANOS;
  private static final long MAX_CUT_NANOS = 10_000 * MILLISECOND_NANOS;
  private static final long MIN_FLAP_NANOS = 500 * MILLISECOND_NANOS;
  private static final long MAX_FLAP_NANOS = 1_500 * MILLISECOND_NANOS;
  private static final SimulatedFault[] FLAPPING = {
    SimulatedFault.HALVES, SimulatedFault.ALONE, SimulatedFault.ONE_WAY
  };

  private final SimulatedNetwork network;
  private final SimulatedHost driver;
  private final SplittableRandom random;

  PartitionFaults(SimulatedNetwork network, SimulatedHost driver, SplittableRandom random) {
    this.network = network;
    this.driver = driver;
    this.random = random;
  }

  /** Begins a cut between nodes, or returns null if there are too few of them. */
  @Nullable NetworkCut beginCut(SimulatedFault fault, List<Integer> places) {
    return beginCut(fault, places, 0);
  }

  /** Begins a cut that lasts for the given time, or for a drawn time if that is 0. */
  @Nullable NetworkCut beginCut(SimulatedFault fault, List<Integer> places, long nanos) {
    if (places.size() < minNodes(fault)) {
      return null;
    }
    boolean flaps = fault == SimulatedFault.FLAPPING;
    NetworkCut cut =
        NetworkCut.drawCut(
            flaps ? FLAPPING[random.nextInt(FLAPPING.length)] : fault, places, random);
    network.cut(cut);
    network.log().record(fault.kind(), driver, cut.disturbs(places), cut::toString);
    if (flaps) {
      flapLinks(cut, random.nextInt(2, 8), true);
    } else {
      long lasts = nanos > 0 ? nanos : random.nextLong(MIN_CUT_NANOS, MAX_CUT_NANOS);
      network.scheduler().schedule(lasts, null, () -> heal(cut));
    }
    return cut;
  }

  private static int minNodes(SimulatedFault fault) {
    return switch (fault) {
      case RING -> 4;
      case BRIDGE, SHARDS -> 3;
      default -> 2;
    };
  }

  private void heal(NetworkCut cut) {
    if (network.isDisturbed()) {
      network.log().record(EventKind.HEAL, driver, cut::toString);
      network.heal(cut);
    }
  }

  /** Opens and closes the same cut in turns, and leaves it open in the end. */
  private void flapLinks(NetworkCut cut, int left, boolean closed) {
    network
        .scheduler()
        .schedule(
            random.nextLong(MIN_FLAP_NANOS, MAX_FLAP_NANOS),
            null,
            () -> {
              if (closed) {
                heal(cut);
              } else if (network.isDisturbed()) {
                network.cut(cut);
              }
              if (left > 1 || !closed) {
                flapLinks(cut, left - 1, !closed);
              }
            });
  }
}
