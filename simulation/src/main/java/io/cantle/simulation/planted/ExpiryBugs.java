package io.cantle.simulation.planted;

import java.util.List;

/**
 * Planted bugs of expiry: ticks, the clock of a segment, and the recording of reads.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ExpiryBugs {
  private static final String CLOCK = "replica/SegmentClock.java";
  private static final String CONTENTS = "replica/ReplicaData.java";
  private static final String CALLERS = "operation/OperationClient.java";
  private static final String EXPIRY = "operation/EntryExpirer.java";
  private static final String LIVES =
      "&& (localRead.entry() == null || " + "replica.expiry().isCertainlyLive(localRead.entry()))";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "ended-by-own-estimate",
              "each owner expires an entry by its own estimate of the time",
              new SourceEdit(CALLERS, LIVES, ""),
              new SourceEdit(
                  CALLERS,
                  "return ReadResult.of(localRead.entry(), wantsValue);",
                  "return localRead.entry() == null || "
                      + "replica.expiry().isCertainlyLive(localRead.entry()) || "
                      + "io.cantle.core.replica.ReplicaExpiry.tracksReads(localRead.entry()) ? "
                      + "ReadResult.of(localRead.entry(), wantsValue) : ReadResult.of(null, wantsValue);")),
          delayed(
              PlantedBug.of(
                  "end-told-at-once",
                  "the expiry by a tick is reported before all owners have the tick",
                  "replica/ReplicaLookup.java",
                  "boolean clean = entry == null || (before & 1) != 0",
                  "boolean clean = entry == null || entry.isTombstone() || (before & 1) != 0")),
          PlantedBug.of(
              "ended-by-time-of-day",
              "the clock of a segment follows the time of day",
              CLOCK,
              "return clock.nanoTime();",
              "return clock.wallMillis() * 1_000_000;"),
          delayed(
              PlantedBug.of(
                  "end-without-tombstone",
                  "a tick leaves no tombstones",
                  CONTENTS,
                  "add(due.toTombstone(end), Cause.EXPIRY);",
                  "entries.remove(due);")),
          PlantedBug.of(
              "time-begins-anew",
              "the clock of a segment begins at 0 in each epoch",
              "replica/Replica.java",
              "log.beginEpoch(state.epoch()); setState(state.asServing());",
              "log.beginEpoch(state.epoch()); data.segmentClock().reset(); "
                  + "setState(state.asServing());"),
          PlantedBug.of(
              "reads-not-noted-elsewhere",
              "backups answer reads that should postpone an entry's expiry",
              CALLERS,
              LIVES,
              ""),
          PlantedBug.of(
              "reads-not-noted",
              "nobody records that an entry was read",
              EXPIRY,
              "ReplicaExpiry.tracksReads(entry) ? replica.expiry().writeTouch(entry) : null;",
              "null;"),
          PlantedBug.of(
              "no-lifetime-at-backups",
              "entries expire at their primary and never at the backups",
              new SourceEdit(
                  "replica/OrderedWrite.java",
                  "| (expiryTime != null ? WireFlags.EXPIRING : 0)",
                  ""),
              new SourceEdit(
                  "replica/OrderedWrite.java",
                  "if (expiryTime != null) { expiryTime.write(out); }",
                  "")));

  private ExpiryBugs() {}

  /** Delays writes for long, so that owners differ in their estimate of the time. */
  private static PlantedBug delayed(PlantedBug bug) {
    return bug.withHelper(
            "operation/WriteHandler.java",
            "messaging.post(others.get(place), batch);",
            "Member writer = others.get(place); messaging.clock().schedule(300_000_000L, () "
                + "-> messaging.post(writer, batch));")
        .withHelper(
            EXPIRY,
            "messaging.post(other, batch);",
            "messaging.clock().schedule(300_000_000L, () -> messaging.post(other, batch));");
  }
}
