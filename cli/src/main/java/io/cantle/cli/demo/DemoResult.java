package io.cantle.cli.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The results of the demo.
 *
 * <p><b>Threading:</b> immutable once made.
 *
 * @param nodes how many nodes there were at first
 * @param owners how many of them held each entry
 * @param malformed how many rows of the file were left out
 * @param inFile the departures as this process counted them in the file
 * @param entries how many entries the grid held after loading
 * @param streamed the departures as the grid counted them
 * @param busiestInFile the busiest routes as this process counted them
 * @param topRoutes the busiest routes as the grid counted them
 * @param publication what a slow subscriber received
 * @param iteration what the iteration delivered
 * @param timings how long each step took
 */
record DemoResult(
    int nodes,
    int owners,
    int malformed,
    DepartureCounts inFile,
    long entries,
    DepartureCounts streamed,
    List<RouteCount> busiestInFile,
    List<RouteCount> topRoutes,
    Publication publication,
    Iteration iteration,
    Timings timings) {

  /** Copies the lists. */
  DemoResult {
    busiestInFile = List.copyOf(busiestInFile);
    topRoutes = List.copyOf(topRoutes);
  }

  /** Describes each claim of the demo that does not hold; empty if all hold. */
  List<String> failures() {
    List<String> failures = new ArrayList<>();
    long rows = inFile.total();
    if (entries != rows) {
      failures.add("the grid has " + entries + " entries, the file " + rows);
    }
    if (!streamed.equals(inFile)) {
      failures.add(
          "the stream counted other departures (" + streamed.total() + ") than are in the file");
    }
    if (!topRoutes.equals(busiestInFile)) {
      failures.add(
          "the busiest routes are "
              + RouteCount.toText(topRoutes)
              + ", in the file "
              + RouteCount.toText(busiestInFile));
    }
    if (publication.seen() != rows || publication.duplicates() != 0) {
      failures.add(
          "a subscriber was given "
              + publication.seen()
              + " keys, and "
              + publication.duplicates()
              + " again; the file has "
              + rows);
    }
    if (iteration.expected() != rows) {
      failures.add("the node loaded " + iteration.expected() + " keys, the file has " + rows);
    }
    if (iteration.missing() != 0 || iteration.seen() != iteration.expected()) {
      failures.add("keys missing from the iteration: " + iteration.missing());
    }
    if (iteration.duplicates() != 0) {
      failures.add("keys delivered again by the iteration: " + iteration.duplicates());
    }
    if (iteration.unexpected() != 0) {
      failures.add("keys delivered that were not loaded: " + iteration.unexpected());
    }
    return failures;
  }

  /** Describes the iteration in a sentence. */
  String summary() {
    String sentence =
        String.format(
            Locale.ROOT,
            "%,d keys were expected, %,d seen, %,d of them twice, %,d missing",
            iteration.expected(),
            iteration.seen(),
            iteration.duplicates(),
            iteration.missing());
    Kill kill = iteration.kill();
    return kill == null ? sentence + "." : sentence + ", though " + kill.node() + " was killed.";
  }

  /** The figures, each as {@code name: value}. */
  List<String> figureLines() {
    List<String> lines = new ArrayList<>();
    figures().forEach((name, value) -> lines.add(name + ": " + (value == null ? "none" : value)));
    return lines;
  }

  private Map<String, @Nullable Object> figures() {
    Map<String, @Nullable Object> flat = new LinkedHashMap<>();
    toJson()
        .forEach(
            (name, value) -> {
              switch (name) {
                case "nodes", "owners", "delayedByHour", "departedByHour", "topRoutes" -> {}
                case "publisher" -> {
                  flat.put("publisherSeen", publication.seen());
                  flat.put("publisherDuplicates", publication.duplicates());
                  flat.put("publisherMaxBufferedBytes", publication.maxBufferedBytes());
                }
                case "iteration" -> {
                  flat.putAll(iteration.toJson());
                  // Printed already: as progress, or as a failure.
                  flat.keySet().removeAll(List.of("unexpected", "unseenKeysOfKilled"));
                }
                case "timingsMillis" -> flat.put("totalMillis", timings.total());
                default -> flat.put(name, value);
              }
            });
    return flat;
  }

  /** All results in the form of the JSON file. */
  Map<String, @Nullable Object> toJson() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("nodes", nodes);
    json.put("owners", owners);
    json.put("entries", entries);
    json.put("malformed", malformed);
    json.put("cancelled", streamed.total(DepartureStatus.CANCELLED));
    json.put("delayed", streamed.total(DepartureStatus.DELAYED));
    Map<String, Long> delayedByHour = new LinkedHashMap<>();
    Map<String, Long> departedByHour = new LinkedHashMap<>();
    for (int hour = 0; hour < DepartureCounts.HOURS_PER_DAY; hour++) {
      putUnlessNone(delayedByHour, hour, streamed.count(hour, DepartureStatus.DELAYED));
      putUnlessNone(departedByHour, hour, streamed.departedCount(hour));
    }
    json.put("delayedByHour", delayedByHour);
    json.put("departedByHour", departedByHour);
    json.put("topRoutes", topRoutes.stream().map(RouteCount::toJson).toList());
    json.put("publisher", publication.toJson());
    json.put("iteration", iteration.toJson());
    json.put("timingsMillis", timings.toJson());
    return json;
  }

  private static void putUnlessNone(Map<String, Long> counts, int hour, long count) {
    if (count > 0) {
      counts.put(Integer.toString(hour), count);
    }
  }

  /**
   * What a slow subscriber to all keys received.
   *
   * @param seen the different keys
   * @param duplicates the deliveries beyond the first of a key
   * @param maxBufferedBytes the most that was buffered for it at its node
   */
  record Publication(long seen, long duplicates, long maxBufferedBytes) {

    private Map<String, Object> toJson() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("seen", seen);
      json.put("duplicates", duplicates);
      json.put("maxBufferedBytes", maxBufferedBytes);
      return json;
    }
  }

  /**
   * What an iteration over all entries delivered.
   *
   * @param expected the keys that were loaded
   * @param seen how many of them were delivered
   * @param duplicates the deliveries beyond the first of a key
   * @param missing the keys that were not delivered
   * @param unexpected the deliveries of keys that were not loaded
   * @param kill the kill in the middle, or null
   */
  record Iteration(
      long expected,
      long seen,
      long duplicates,
      long missing,
      long unexpected,
      @Nullable Kill kill) {

    private Map<String, @Nullable Object> toJson() {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("expected", expected);
      json.put("seen", seen);
      json.put("duplicates", duplicates);
      json.put("missing", missing);
      json.put("unexpected", unexpected);
      json.put("killed", kill == null ? null : kill.node());
      json.put("seenAtKill", kill == null ? null : kill.seen());
      json.put("unseenKeysOfKilled", kill == null ? null : kill.unseenKeys());
      return json;
    }
  }

  /**
   * The kill of a node.
   *
   * @param node its name
   * @param seen how many keys had been delivered
   * @param unseenKeys how many keys it was primary of that had not been delivered
   */
  record Kill(String node, long seen, long unseenKeys) {}

  /**
   * The milliseconds of each step.
   *
   * @param start until all nodes had joined
   * @param load to read and put all rows
   * @param stream to count the departures
   * @param routes to count and select the busiest routes
   * @param publish of the slow subscriber
   * @param iterate of the iteration, the kill included
   * @param total of everything up to here
   */
  record Timings(
      long start, long load, long stream, long routes, long publish, long iterate, long total) {

    private Map<String, Long> toJson() {
      Map<String, Long> json = new LinkedHashMap<>();
      json.put("start", start);
      json.put("load", load);
      json.put("stream", stream);
      json.put("routes", routes);
      json.put("publish", publish);
      json.put("iterate", iterate);
      json.put("total", total);
      return json;
    }
  }
}
