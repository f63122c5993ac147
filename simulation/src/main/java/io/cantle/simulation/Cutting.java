package io.cantle.simulation;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the network and heals it after a while.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Cutting {
  private static final long MILLISECOND = 1_000_000L;
  private static final long SHORTEST_NANOS = 300 * MILLISECOND;
  private static final long LONGEST_NANOS = 10_000 * MILLISECOND;
  private static final long SHORTEST_FLAP_NANOS = 500 * MILLISECOND;
  private static final long LONGEST_FLAP_NANOS = 1_500 * MILLISECOND;
  private static final Fault[] FLAPPING = {Fault.HALVES, Fault.ALONE, Fault.ONE_WAY};

  private final Network network;
  private final Host driver;
  private final SplittableRandom random;

  Cutting(Network network, Host driver, SplittableRandom random) {
    this.network = network;
    this.driver = driver;
    this.random = random;
  }

  /** Begins a cut between nodes, or returns null if they are too few for it. */
  @Nullable Cut begin(Fault fault, List<Integer> places) {
    return begin(fault, places, 0);
  }

  /** Begins a cut that lasts for so long, or as long as it is drawn if that is 0. */
  @Nullable Cut begin(Fault fault, List<Integer> places, long nanos) {
    if (places.size() < fewest(fault)) {
      return null;
    }
    boolean flaps = fault == Fault.FLAPPING;
    Cut cut = Cut.draw(flaps ? FLAPPING[random.nextInt(FLAPPING.length)] : fault, places, random);
    network.cut(cut);
    network.log().record(fault.kind(), driver, cut.disturbs(places), cut::toString);
    if (flaps) {
      flap(cut, random.nextInt(2, 8), true);
    } else {
      long lasts = nanos > 0 ? nanos : random.nextLong(SHORTEST_NANOS, LONGEST_NANOS);
      network.scheduler().at(lasts, null, () -> heal(cut));
    }
    return cut;
  }

  private static int fewest(Fault fault) {
    return switch (fault) {
      case RING -> 4;
      case BRIDGE, SHARDS -> 3;
      default -> 2;
    };
  }

  private void heal(Cut cut) {
    if (network.disturbed()) {
      network.log().record(EventKind.HEAL, driver, cut::toString);
      network.heal(cut);
    }
  }

  /** The same cut, open and closed in turns, open at last. */
  private void flap(Cut cut, int left, boolean closed) {
    network
        .scheduler()
        .at(
            random.nextLong(SHORTEST_FLAP_NANOS, LONGEST_FLAP_NANOS),
            null,
            () -> {
              if (closed) {
                heal(cut);
              } else if (network.disturbed()) {
                network.cut(cut);
              }
              if (left > 1 || !closed) {
                flap(cut, left - 1, !closed);
              }
            });
  }
}
