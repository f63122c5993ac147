package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of the end of entries: ticks, the time of a segment, and what is noted of reads.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ExpiryBugs {
  private static final String CLOCK = "replica/SegmentClock.java";
  private static final String CONTENTS = "replica/Contents.java";
  private static final String CALLERS = "operate/Callers.java";
  private static final String EXPIRY = "operate/Expiry.java";
  private static final String LIVES =
      "&& (peek.entry() == null || replica.aging().lives(peek.entry()))";

  static final List<Bug> ALL =
      List.of(
          Bug.of(
              "ended-by-own-estimate",
              "each owner calls an entry gone by its own idea of the time",
              new Edit(CALLERS, LIVES, ""),
              new Edit(
                  CALLERS,
                  "return Found.of(peek.entry(), wantsValue);",
                  """
                  return peek.entry() == null
                          || replica.aging().lives(peek.entry())
                          || io.cantle.core.replica.Aging.notesReads(peek.entry())
                      ? Found.of(peek.entry(), wantsValue)
                      : Found.of(null, wantsValue);
                  """)),
          late(
              Bug.of(
                  "end-told-at-once",
                  "what a tick has ended is told before all owners have the tick",
                  "replica/Replica.java",
                  "boolean clean = entry == null || clean(entry, before.epoch());",
                  """
                  boolean clean = entry == null || entry.tombstone() || clean(entry, before.epoch());
                  """)),
          Bug.of(
              "ended-by-time-of-day",
              "the time of a segment goes on with the time of day",
              CLOCK,
              "return clock.nanoTime();",
              "return clock.wallMillis() * 1_000_000;"),
          late(
              Bug.of(
                  "end-without-tombstone",
                  "a tick leaves no tombstones",
                  CONTENTS,
                  "add(due.ended(tick.epoch(), tick.index()));",
                  "entries.purge(due);")),
          Bug.of(
              "time-begins-anew",
              "the time of a segment begins at 0 in each epoch",
              "replica/Replica.java",
              "tail.begin(state.epoch()); state = state.served();",
              "tail.begin(state.epoch()); contents.clock().forget(); state = state.served();"),
          Bug.of(
              "reads-not-noted-elsewhere",
              "backups answer for entries that end when they are not read",
              CALLERS,
              LIVES,
              ""),
          Bug.of(
              "reads-not-noted",
              "nobody notes that an entry was read",
              EXPIRY,
              "Aging.notesReads(entry) ? replica.aging().touch(entry) : null;",
              "null;"),
          Bug.of(
              "no-lifetime-at-backups",
              "entries end at their primary and live for ever at the others",
              new Edit("replica/Item.java", "| (deadline != null ? Flags.LASTING : 0)", ""),
              new Edit("replica/Item.java", "if (deadline != null) { deadline.write(out); }", "")));

  private ExpiryBugs() {}

  /** Writes are long under way, so that owners differ in their idea of the time. */
  private static Bug late(Bug bug) {
    return bug.aidedBy(
            "operate/Writers.java",
            "requests.post(others.get(place), out);",
            """
            Member writer = others.get(place);
            requests.clock().schedule(300_000_000L, () -> requests.post(writer, out));
            """)
        .aidedBy(
            EXPIRY,
            "requests.post(other, out);",
            "requests.clock().schedule(300_000_000L, () -> requests.post(other, out));");
  }
}
