package io.cantle.simulation;

import io.cantle.simulation.options.CommandLineOptions;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code ./cantle simulate}.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param first the first seed
 * @param seeds how many seeds
 * @param threads how many run side by side
 * @param settings the settings that the seeds share
 * @param trace whether every event is printed
 * @param json where the figures are written as JSON, or null
 */
record SimulateOptions(
    long first, int seeds, int threads, SeedSettings settings, boolean trace, @Nullable Path json) {
  static final String HELP =
      """
      Usage: ./cantle simulate [options]
      Runs a whole grid in one thread per seed, with joins, leaves, crashes, pauses, partitions
      and a bad network, and checks what its clients saw: calls linearizable per key, iterations
      exactly once; and that all is well again some time after the last fault.

        --seeds N             how many seeds, 1 to 10,000,000 (500)
        --first N             the first seed (1)
        --seed N              only this seed; its event hash is the same every time
        --virtual-seconds N   how long the clients of a seed work, 5 to 600 (60)
        --nodes N             how many nodes found the grid, 1 to 8 (drawn: 3 to 7)
        --rate N              how many calls a second, 1 to 10,000 (drawn: 20 to 300 about)
        --faults LIST         what may go wrong: all (the default), or some, with commas between;
                              another word prints those there are
        --workload WORD       map (the default), or streams: clients use every operation that ends a
                              stream, publishers, pages and settings, each result is checked
                              against keys that stay, and each kind of use is counted;
                              or destroy: as map, and other clients create, use and destroy a
                              second cache
        --mode WORD           consistent (the default), or available: nodes that are cut off go on
                              and are merged; what died with the only node that held it is lost;
                              or durable: nodes have stores, and all may be killed at once
        --cache-mode WORD     usual (the default): a replicated or a distributed cache is drawn; or
                              scattered
        --container WORD      any (the default): entries are off the heap in every other seed; or
                              off-heap, in each
        --bounded             the cache holds fewer entries than there are keys, and evicts some or
                              refuses writes
        --versions WORD       same (the default), or mixed: each node is of this build or of a
                              planted next one, which speaks one version more, and draws again
                              when it restarts
        --trace               print every event; only with --seed
        --threads N           seeds side by side, 1 to 256 (one for each core)
        --json FILE           write the figures to a file too
        --help                this text

      ./cantle simulate --topologies N [--first N] [--threads N] [--json FILE]
      walks N times over topologies alone: joins, crashes, returns, cuts and what members report, 50
      steps each, against a model of what every copy holds. With --seed N instead of --first, one
      walk, and its story.

      ./cantle simulate --planted [NAME ...] [--seeds N] [--first N] [--threads N] [--json FILE]
      plants bugs in the core, each in turn, runs seeds until one of them shows it, and prints
      how many that took. After at most N (2,000) seeds or --seconds N (240) a bug counts as missed.

      ./cantle simulate --plant NAME [options]
      runs seeds with a bug planted; with --seed, prints every event.

      Ends with 0 when nothing was violated and, from 1,000 seeds on, each kind of fault and of
      use did happen; 1 when not, or when the file could not be written; 2 when it could not start.
      """;

  private static final int DEFAULT_SEEDS = 500;
  private static final int MAX_SEEDS = 10_000_000;

  /**
   * Parses the arguments.
   *
   * @throws IllegalArgumentException with a message for people if they make no sense
   */
  static SimulateOptions of(List<String> words) {
    long first = 1;
    int seeds = DEFAULT_SEEDS;
    int threads = Runtime.getRuntime().availableProcessors();
    boolean single = false;
    boolean many = false;
    boolean trace = false;
    int seconds = SeedSettings.DEFAULT.virtualSeconds();
    Set<SimulatedFault> faults = null;
    int nodes = 0;
    int rate = 0;
    String mode = "consistent";
    String workload = "map";
    boolean mixed = false;
    boolean bounded = false;
    boolean scattered = false;
    boolean offHeap = false;
    Path json = null;
    CommandLineOptions options = new CommandLineOptions(words);
    while (options.hasNext()) {
      String word = options.next();
      switch (word) {
        case "--seeds" -> {
          seeds = options.count(MAX_SEEDS);
          many = true;
        }
        case "--first" -> {
          first = options.number(Long.MIN_VALUE, Long.MAX_VALUE - MAX_SEEDS);
          many = true;
        }
        case "--seed" -> {
          first = options.number(Long.MIN_VALUE, Long.MAX_VALUE - MAX_SEEDS);
          single = true;
        }
        case "--threads" -> threads = options.threads();
        case "--virtual-seconds" ->
            seconds = (int) options.number(SeedSettings.MIN_SECONDS, SeedSettings.MAX_SECONDS);
        case "--nodes" -> nodes = options.count(SeedSettings.MAX_NODES);
        case "--rate" -> rate = options.count(SeedSettings.MAX_RATE);
        case "--faults" -> faults = SimulatedFault.parse(options.value());
        case "--mode" -> mode = applyMode(options.value());
        case "--workload" -> workload = applyWorkload(options.value());
        case "--versions" -> mixed = isMixedWord(options.value());
        case "--cache-mode" -> scattered = isScatteredWord(options.value());
        case "--container" -> offHeap = isOffHeapWord(options.value());
        case "--bounded" -> bounded = true;
        case "--trace" -> trace = true;
        case "--json" -> json = options.path();
        default -> throw new IllegalArgumentException("unknown option " + word + "; see --help");
      }
    }
    if (single && many) {
      throw new IllegalArgumentException("--seed stands alone, without --seeds and --first");
    }
    if (trace && !single) {
      throw new IllegalArgumentException("--trace needs --seed: it prints some megabytes a seed");
    }
    boolean available = mode.equals("available");
    boolean durable = mode.equals("durable");
    boolean streams = workload.equals("streams");
    boolean destroying = workload.equals("destroy");
    if ((available || durable) && streams) {
      throw new IllegalArgumentException(
          "--workload streams needs --mode consistent: what sides or stops lose is not exactly once");
    }
    if (bounded && (durable || streams || destroying)) {
      throw new IllegalArgumentException(
          "--bounded needs --workload map, and no --mode durable: other clients count on their"
              + " keys, and a cache with a durability has no bound");
    }
    if (scattered && (available || durable || bounded)) {
      throw new IllegalArgumentException(
          "--cache-mode scattered needs --mode consistent, without --bounded: such a cache is not"
              + " in available grids, and has no durability and no bound");
    }
    EnumSet<SimulatedFault> stood =
        EnumSet.copyOf(SeedSettings.defaultFaults(available || streams, durable));
    if (faults != null) {
      if (faults.contains(SimulatedFault.STOP) && !durable) {
        throw new IllegalArgumentException("--faults stop needs --mode durable");
      }
      if (faults.contains(SimulatedFault.OLD_STORE) && !durable) {
        throw new IllegalArgumentException("--faults old-store needs --mode durable");
      }
      stood.retainAll(faults);
    }
    SeedSettings settings =
        new SeedSettings(
            stood,
            seconds,
            nodes,
            rate,
            available,
            streams,
            durable,
            mixed,
            destroying,
            bounded,
            scattered,
            offHeap);
    return new SimulateOptions(first, single ? 1 : seeds, threads, settings, trace, json);
  }

  private static String applyMode(String word) {
    return switch (word) {
      case "consistent", "available", "durable" -> word;
      default ->
          throw new IllegalArgumentException(
              "--mode " + word + " is not consistent, available or durable");
    };
  }

  private static boolean isScatteredWord(String word) {
    return switch (word) {
      case "usual" -> false;
      case "scattered" -> true;
      default ->
          throw new IllegalArgumentException("--cache-mode " + word + " is not usual or scattered");
    };
  }

  private static boolean isOffHeapWord(String word) {
    return switch (word) {
      case "any" -> false;
      case "off-heap" -> true;
      default ->
          throw new IllegalArgumentException("--container " + word + " is not any or off-heap");
    };
  }

  private static boolean isMixedWord(String word) {
    return switch (word) {
      case "same" -> false;
      case "mixed" -> true;
      default -> throw new IllegalArgumentException("--versions " + word + " is not same or mixed");
    };
  }

  private static String applyWorkload(String word) {
    return switch (word) {
      case "map", "streams", "destroy" -> word;
      default ->
          throw new IllegalArgumentException(
              "--workload " + word + " is not map, streams or destroy");
    };
  }
}
