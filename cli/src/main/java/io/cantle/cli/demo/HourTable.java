package io.cantle.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A table of the share of delayed departures by scheduled hour, with a line and a bar for each
 * hour.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param counts the counts to show; an hour without departures has no line
 * @param usesBlockCharacters whether the output has block characters; otherwise bars are of {@code
 *     #}
 */
record HourTable(DepartureCounts counts, boolean usesBlockCharacters) {
  private static final int BAR_WIDTH = 40;
  private static final String EIGHTH_BLOCKS = " ▏▎▍▌▋▊▉█";

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("  hour  departed   delayed    share");
    double longest =
        IntStream.range(0, DepartureCounts.HOURS_PER_DAY).mapToDouble(this::share).max().orElse(0);
    for (int hour = 0; hour < DepartureCounts.HOURS_PER_DAY; hour++) {
      if (counts.departedCount(hour) > 0) {
        lines.add(line(hour, longest));
      }
    }
    return lines;
  }

  private String line(int hour, double longest) {
    double share = share(hour);
    double width = longest == 0 ? 0 : share / longest * BAR_WIDTH;
    return String.format(
            Locale.ROOT,
            "  %4d  %,8d  %,8d  %5.1f %%  %s",
            hour,
            counts.departedCount(hour),
            counts.count(hour, DepartureStatus.DELAYED),
            share * 100,
            bar(width))
        .stripTrailing();
  }

  /** The share of delayed flights among those that were not cancelled. */
  private double share(int hour) {
    long departed = counts.departedCount(hour);
    return departed == 0 ? 0 : (double) counts.count(hour, DepartureStatus.DELAYED) / departed;
  }

  private String bar(double width) {
    if (!usesBlockCharacters) {
      return "#".repeat((int) Math.round(width));
    }
    int eighths = (int) Math.round(width * 8);
    return "█".repeat(eighths / 8) + EIGHTH_BLOCKS.charAt(eighths % 8);
  }
}
