package io.cantle.bench;

import java.util.List;
import picocli.CommandLine.Command;

/**
 * The command {@code bench container}, which compares what keeps entries in memory.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "container",
    sortOptions = false,
    usageHelpWidth = 100,
    customSynopsis = "cantle bench container [--rounds=N] [--millis=N] [--json=FILE]",
    header = "The containers of entries, beside maps of the same bytes.",
    descriptionHeading = "%n",
    description = {
      "One thread gets, puts, and visits 100,000 keys of 16 bytes with values of 1,000 bytes. Each"
          + " side has a JVM of its own in each round: a heap container for each of 256 segments,"
          + " one off the heap for each, heap containers that evict, a ConcurrentHashMap, and"
          + " Caffeine. In two more JVMs 256 segments take turns of some milliseconds with a single"
          + " one, and those off the heap with those on it. Each put makes the array that it puts;"
          + " each get hashes the key and reads one byte of the value where it lies. get_copy copies"
          + " the value, as a cache does that has arrays; get_entry has an object made of the entry,"
          + " if it is none yet.",
      "mixed is one put after nine gets. scan and scan_keys are in entries a second; the "
          + "latter looks at no value. heap_bytes is what a full "
          + "collection leaves of an entry, beyond its key and value if these are there. "
          + "off_heap_bytes is what an entry takes off the heap, beyond them too. hit_rate is the "
          + "part of the calls, in percent, that find their key where there is room for 10,000 of "
          + "the keys, by four shapes of traces."
    },
    optionListHeading = "%n",
    footerHeading = "%n",
    footer = {MapCommand.RATIO_HELP, MapCommand.EXIT_CODE_HELP})
final class ContainerCommand extends MapCommand {
  private static final String HEAP = "heap";
  private static final String OFF_HEAP = "off_heap";
  private static final String OFF_HEAP_IN_TURN = "off_heap_in_turn";
  private static final String HEAP_IN_TURN = "heap_in_turn";
  private static final String SEGMENTED = "segmented";
  private static final String ONE_SEGMENT = "one_segment";
  private static final String BOUNDED = "bounded";
  private static final String JDK = "jdk";
  private static final String CAFFEINE = "caffeine";

  private static final MapComparison COMPARISON =
      new MapComparison(
          "container",
          "io.cantle.bench.cantle.ContainerRound",
          List.of(
              "-Xms2g",
              "-Xmx2g",
              "-XX:+UseG1GC",
              "-XX:+AlwaysPreTouch",
              // A full collection would else leave up to a twentieth of each region that is free.
              "-XX:MarkSweepDeadRatio=0"),
          12,
          "amount",
          List.of(
              new MapSide(HEAP, Product.CANTLE),
              new MapSide(OFF_HEAP, Product.CANTLE),
              new MapSide(OFF_HEAP_IN_TURN, Product.CANTLE),
              MapSide.measuredByAnother(HEAP_IN_TURN),
              new MapSide(SEGMENTED, Product.CANTLE),
              MapSide.measuredByAnother(ONE_SEGMENT),
              new MapSide(BOUNDED, Product.CANTLE),
              new MapSide(JDK, Product.CANTLE),
              new MapSide(CAFFEINE, Product.CANTLE)),
          List.of(
              new MapGoal("get", SEGMENTED, ONE_SEGMENT, 0.97),
              new MapGoal("put", SEGMENTED, ONE_SEGMENT, 0.97),
              new MapGoal("get", OFF_HEAP_IN_TURN, HEAP_IN_TURN, 0.6),
              new MapGoal("get_copy", OFF_HEAP_IN_TURN, HEAP_IN_TURN, 0.6),
              new MapGoal("put", OFF_HEAP_IN_TURN, HEAP_IN_TURN, 0.7),
              new MapGoal("get_entry", OFF_HEAP, HEAP, 0),
              new MapGoal("mixed", OFF_HEAP, HEAP, 0),
              new MapGoal("scan", OFF_HEAP, HEAP, 0),
              new MapGoal("scan_keys", OFF_HEAP, HEAP, 0),
              new MapGoal("get", HEAP, JDK, 0),
              new MapGoal("put", HEAP, JDK, 0),
              new MapGoal("mixed", HEAP, JDK, 0),
              new MapGoal("scan", HEAP, JDK, 0),
              new MapGoal("get", BOUNDED, CAFFEINE, 0.8),
              new MapGoal("hit_rate_zipf_90", BOUNDED, CAFFEINE, 0.98),
              new MapGoal("hit_rate_zipf_100", BOUNDED, CAFFEINE, 0.98),
              new MapGoal("hit_rate_scan_mixed", BOUNDED, CAFFEINE, 0.98),
              new MapGoal("hit_rate_loop", BOUNDED, CAFFEINE, 0.98),
              new MapGoal("heap_bytes", JDK, HEAP, 0)));

  @Override
  MapComparison comparison() {
    return COMPARISON;
  }
}
