package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.cli.console.JsonWriter;
import io.cantle.cli.demo.DemoResult.Iteration;
import io.cantle.cli.demo.DemoResult.Kill;
import io.cantle.cli.demo.DemoResult.Publication;
import io.cantle.cli.demo.DemoResult.Timings;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoResultTest {
  private static final List<RouteCount> ROUTES =
      List.of(new RouteCount("JFK-LAX", 7), new RouteCount("EWR-IAH", 3));
  private static final Iteration PERFECT = new Iteration(10, 10, 0, 0, 0, new Kill("node-2", 4, 3));

  @Test
  void holdsWhenEveryKeyWasSeenOnceAndTheCountsAgree() {
    assertThat(result(10, counts(4, 6), PERFECT).failures()).isEmpty();
  }

  @Test
  void namesEveryFailure() {
    assertThat(result(9, counts(4, 6), PERFECT).failures())
        .containsExactly("the grid has 9 entries, the file 10");
    assertThat(result(10, counts(5, 5), PERFECT).failures())
        .containsExactly("the stream counted other departures (10) than are in the file");
    assertThat(result(10, counts(4, 6), new Iteration(10, 8, 1, 2, 3, null)).failures())
        .containsExactly(
            "keys missing from the iteration: 2",
            "keys delivered again by the iteration: 1",
            "keys delivered that were not loaded: 3");
    assertThat(result(10, counts(4, 6), new Iteration(9, 9, 0, 0, 0, null)).failures())
        .containsExactly("the node loaded 9 keys, the file has 10");
    assertThat(
            result(
                    10,
                    counts(4, 6),
                    List.of(new RouteCount("EWR-IAH", 3)),
                    new Publication(9, 1, 0),
                    PERFECT)
                .failures())
        .containsExactly(
            "the busiest routes are EWR-IAH:3, in the file JFK-LAX:7,EWR-IAH:3",
            "a subscriber was given 9 keys, and 1 again; the file has 10");
  }

  @Test
  void isSummarizedInASentence() {
    assertThat(result(10, counts(4, 6), PERFECT).summary())
        .isEqualTo(
            "10 keys were expected, 10 seen, 0 of them twice, 0 missing, though node-2 was"
                + " killed.");
  }

  @Test
  void isWrittenAsJson() {
    assertThat(JsonWriter.toJson(result(10, counts(4, 6), PERFECT).toJson()))
        .isEqualTo(
            """
            {
              "nodes": 3,
              "owners": 2,
              "entries": 10,
              "malformed": 1,
              "cancelled": 0,
              "delayed": 4,
              "delayedByHour": {
                "5": 4
              },
              "departedByHour": {
                "5": 4,
                "6": 6
              },
              "topRoutes": [
                {
                  "route": "JFK-LAX",
                  "flights": 7
                },
                {
                  "route": "EWR-IAH",
                  "flights": 3
                }
              ],
              "publisher": {
                "seen": 10,
                "duplicates": 0,
                "maxBufferedBytes": 512
              },
              "iteration": {
                "expected": 10,
                "seen": 10,
                "duplicates": 0,
                "missing": 0,
                "unexpected": 0,
                "killed": "node-2",
                "seenAtKill": 4,
                "unseenKeysOfKilled": 3
              },
              "timingsMillis": {
                "start": 1,
                "load": 2,
                "stream": 3,
                "routes": 4,
                "publish": 5,
                "iterate": 6,
                "total": 7
              }
            }
            """);
  }

  @Test
  void isWrittenAsFigures() {
    assertThat(result(10, counts(4, 6), new Iteration(10, 10, 0, 0, 0, null)).figureLines())
        .containsExactly(
            "entries: 10",
            "malformed: 1",
            "cancelled: 0",
            "delayed: 4",
            "publisherSeen: 10",
            "publisherDuplicates: 0",
            "publisherMaxBufferedBytes: 512",
            "expected: 10",
            "seen: 10",
            "duplicates: 0",
            "missing: 0",
            "killed: none",
            "seenAtKill: none",
            "totalMillis: 7");
  }

  private static DemoResult result(long entries, DepartureCounts streamed, Iteration iteration) {
    return result(entries, streamed, ROUTES, new Publication(10, 0, 512), iteration);
  }

  private static DemoResult result(
      long entries,
      DepartureCounts streamed,
      List<RouteCount> routes,
      Publication publication,
      Iteration iteration) {
    return new DemoResult(
        3,
        2,
        1,
        counts(4, 6),
        entries,
        streamed,
        ROUTES,
        routes,
        publication,
        iteration,
        new Timings(1, 2, 3, 4, 5, 6, 7));
  }

  private static DepartureCounts counts(int delayed, int punctual) {
    DepartureCounts counts = new DepartureCounts();
    counts.add(5, DepartureStatus.DELAYED, delayed);
    counts.add(6, DepartureStatus.PUNCTUAL, punctual);
    return counts;
  }
}
