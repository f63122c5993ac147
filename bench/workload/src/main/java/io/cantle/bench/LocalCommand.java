package io.cantle.bench;

import io.cantle.bench.local.LocalRound;
import java.util.List;
import picocli.CommandLine.Command;

/**
 * The command {@code bench local}, which compares local caches with maps of the same process.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "local",
    sortOptions = false,
    usageHelpWidth = 100,
    customSynopsis = "cantle bench local [--rounds=N] [--millis=N] [--json=FILE]",
    header = "Local caches, beside those of Infinispan and a map of the JDK.",
    descriptionHeading = "%n",
    description = {
      "One thread gets and puts random keys of 50,000, with short texts and with arrays of 1,000"
          + " bytes as values. Each side has a JVM of its own in each round: a local cache with 256"
          + " segments, a local cache of Infinispan, and a ConcurrentHashMap. In a fourth JVM"
          + " another cache with 256 segments takes turns of some milliseconds with one of 1"
          + " segment. The caches keep objects in the place of bytes where nobody can change them,"
          + " and copy arrays on their way in and out; the others hand out what they were given.",
      "heap_bytes is what a full collection leaves of an entry whose key and array nobody else has."
    },
    optionListHeading = "%n",
    footerHeading = "%n",
    footer = {MapCommand.RATIO_HELP, MapCommand.EXIT_CODE_HELP})
final class LocalCommand extends MapCommand {
  private static final String CANTLE = "cantle";
  private static final String SEGMENTED = "segmented";
  private static final String ONE_SEGMENT = "one_segment";
  private static final String INFINISPAN = "infinispan";
  private static final String JDK = "jdk";

  private static final MapComparison COMPARISON =
      new MapComparison(
          "local",
          LocalRound.class.getName(),
          List.of(
              "-Xms2g",
              "-Xmx2g",
              "-XX:+UseG1GC",
              "-XX:+AlwaysPreTouch",
              "-XX:MarkSweepDeadRatio=0",
              "--enable-native-access=ALL-UNNAMED",
              "--sun-misc-unsafe-memory-access=allow",
              "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED"),
          8,
          "amount",
          List.of(
              new MapSide(CANTLE, Product.CANTLE, "256", ""),
              new MapSide(SEGMENTED, Product.CANTLE, "256", ONE_SEGMENT),
              MapSide.measuredByAnother(ONE_SEGMENT),
              new MapSide(INFINISPAN, Product.INFINISPAN, "1", ""),
              new MapSide(JDK, Product.CANTLE, "1", "")),
          List.of(
              new MapGoal("get_text", SEGMENTED, ONE_SEGMENT, 0.97),
              new MapGoal("put_text", SEGMENTED, ONE_SEGMENT, 0.97),
              new MapGoal("get_bytes", SEGMENTED, ONE_SEGMENT, 0.97),
              new MapGoal("put_bytes", SEGMENTED, ONE_SEGMENT, 0.97),
              new MapGoal("get_text", CANTLE, INFINISPAN, 2.5),
              new MapGoal("put_text", CANTLE, INFINISPAN, 2.5),
              new MapGoal("get_bytes", CANTLE, INFINISPAN, 1),
              new MapGoal("put_bytes", CANTLE, INFINISPAN, 1),
              new MapGoal("get_text", CANTLE, JDK, 0.5),
              new MapGoal("heap_bytes", INFINISPAN, CANTLE, 1.11)));

  @Override
  MapComparison comparison() {
    return COMPARISON;
  }
}
