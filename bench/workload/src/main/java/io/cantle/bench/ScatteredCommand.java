package io.cantle.bench;

import java.util.List;
import picocli.CommandLine.Command;

/**
 * The command {@code bench scattered}, which compares a scattered cache with a distributed one.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "scattered",
    sortOptions = false,
    usageHelpWidth = 100,
    customSynopsis = "cantle bench scattered [--rounds=N] [--millis=N] [--json=FILE]",
    header = "A scattered cache, beside a distributed one.",
    descriptionHeading = "%n",
    description = {
      "Four nodes are in one JVM and talk over the loopback address. One thread of one of them puts "
          + "and gets random keys of 5,000 that it does not own, with arrays of 1,000 bytes as "
          + "values. Each side has a JVM of its own in each round.",
    },
    optionListHeading = "%n",
    footerHeading = "%n",
    footer = {MapCommand.RATIO_HELP, MapCommand.EXIT_CODE_HELP})
final class ScatteredCommand extends MapCommand {
  private static final String SCATTERED = "scattered";
  private static final String DISTRIBUTED = "distributed";

  private static final MapComparison COMPARISON =
      new MapComparison(
          "scattered",
          "io.cantle.bench.cantle.ScatteredRound",
          List.of(
              "-Xms1g",
              "-Xmx1g",
              "-XX:+UseG1GC",
              "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED"),
          2,
          "calls_per_second",
          List.of(new MapSide(SCATTERED, Product.CANTLE), new MapSide(DISTRIBUTED, Product.CANTLE)),
          List.of(
              new MapGoal("put", SCATTERED, DISTRIBUTED, 1.2),
              new MapGoal("get", SCATTERED, DISTRIBUTED, 0)));

  @Override
  MapComparison comparison() {
    return COMPARISON;
  }
}
