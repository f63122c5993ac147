package io.cantle.cli.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the demo found.
 *
 * <p><b>Threading:</b> immutable once made.
 *
 * @param nodes how many there were at first
 * @param owners how many of them held each entry
 * @param malformed rows of the file that were left out
 * @param inFile departures as this process counted them in the file
 * @param entries what the grid held after loading
 * @param streamed departures as the grid counted them
 * @param busiestInFile the busiest routes as this process counted them
 * @param topRoutes the busiest routes as the grid says
 * @param publication what a slow subscriber was given
 * @param iteration what the iteration delivered
 * @param timings how long it all took
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

  /** What does not hold of that which the demo is there to show; empty if all does. */
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
      failures.add("keys delivered that nobody loaded: " + iteration.unexpected());
    }
    return failures;
  }

  /** The iteration in a sentence. */
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

  /** The figures as {@code name: value}. */
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
                  // Told already: by the story, or as a failure.
                  flat.keySet().removeAll(List.of("unexpected", "unseenKeysOfKilled"));
                }
                case "timingsMillis" -> flat.put("totalMillis", timings.total());
                default -> flat.put(name, value);
              }
            });
    return flat;
  }

  /** All of it, for a program. */
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
   * What a slow subscriber to all keys was given.
   *
   * @param seen different keys
   * @param duplicates deliveries beyond the first of a key
   * @param maxBufferedBytes the most that waited for it at its node
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
   * @param expected keys that were loaded
   * @param seen those of them that were delivered
   * @param duplicates deliveries beyond the first of a key
   * @param missing keys that were not delivered
   * @param unexpected deliveries of keys that were not loaded
   * @param kill what happened in the middle, or null
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
   * The death of a node.
   *
   * @param node its name
   * @param seen how many keys had been delivered
   * @param unseenKeys how many keys it was primary of that had not
   */
  record Kill(String node, long seen, long unseenKeys) {}

  /**
   * Milliseconds of each step.
   *
   * @param start until all nodes had met
   * @param load of reading and putting all rows
   * @param stream of counting the departures
   * @param routes of counting and picking the busiest routes
   * @param publish of the slow subscriber
   * @param iterate of the iteration, the killing included
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
