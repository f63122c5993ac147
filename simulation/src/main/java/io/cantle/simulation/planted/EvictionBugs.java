package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Planted bugs in caches with a bound: in what is evicted, and in writes that find no room.
 *
 * <p><b>Threading:</b> immutable.
 */
final class EvictionBugs {
  private static final String APPLIED =
      "case OrderedWrite.EvictionWrite(Entry entry) -> add(entry, Cause.EVICTION);";

  static final List<PlantedBug> ALL =
      Stream.of(
              PlantedBug.of(
                  "evicted-by-backups",
                  "each owner evicts by itself what is beyond the share",
                  "replica/Replica.java",
                  "List<SegmentWrite> taken = log.applyInOrder(received);",
                  "List<SegmentWrite> taken = log.applyInOrder(received);"
                      + " EntryAccount account = data.account();"
                      + " for (Entry victim; account != null"
                      + " && account.exceeds(eviction.share())"
                      + " && (victim = account.pollVictim()) != null; ) {"
                      + " data.entries().remove(victim); account.onApplied(victim, null); }"),
              PlantedBug.of(
                  "evicted-without-tombstone",
                  "an eviction leaves no tombstone",
                  "replica/ReplicaData.java",
                  APPLIED,
                  "case OrderedWrite.EvictionWrite(Entry entry) -> { Entry old = find(entry);"
                      + " if (old != null && entries.remove(old)) { onApplied(old, null); } }"),
              PlantedBug.of(
                  "eviction-told-at-once",
                  "an eviction is reported before all owners have it",
                  "replica/ReplicaLookup.java",
                  "boolean clean = entry == null ||",
                  "boolean clean = entry == null || entry.isTombstone() ||"),
              PlantedBug.of(
                  "bytes-without-bound",
                  "entries are evicted for their number only, not for their bytes",
                  "replica/EntryAccount.java",
                  "return entries.liveCount() > share.maxEntries() || liveBytes + queueBytes > share.maxBytes();",
                  "return entries.liveCount() > share.maxEntries();"),
              PlantedBug.of(
                  "write-without-room-may-come-again",
                  "a write that found no room is made when its message arrives again",
                  "replica/CommandRules.java",
                  "return refuse(state, command, noRoom);",
                  "return new CommandOutcome.NoRoom(noRoom);"),
              PlantedBug.of(
                      "no-room-ends-any-doubt",
                      "a write without room counts as not made, whatever an earlier epoch did",
                      "operation/InFlightWrite.java",
                      "doubtful &= firstEpoch != sentEpoch;",
                      "doubtful = false;")
                  // A segment may be full at any time. Here it is for what an earlier epoch began.
                  .withHelper(
                      "replica/CommandRules.java",
                      ": eviction.refusal(state.others(), found, entry);",
                      ": command.firstEpoch() < epoch"
                          + " ? new WriteRefusal(WriteRefusal.Shortage.ENTRIES_FULL, 1, 1)"
                          + " : eviction.refusal(state.others(), found, entry);")
                  // A former primary that made the write goes on with a side of its own.
                  .withFaults(
                      "--bounded",
                      "--mode",
                      "available",
                      "--faults",
                      "ring,bridge,one-way",
                      "--nodes",
                      "5",
                      "--virtual-seconds",
                      "40"),
              PlantedBug.of(
                  "uncommitted-in-bulk-is-unmade",
                  "a write of a bulk write that is not committed in time counts as not made",
                  "operation/BulkWriteHandler.java",
                  "if (!isCommitted) { refusedPositions.add(position);",
                  "if (!isCommitted) { unmadePositions.add(position);"
                      + " refusedPositions.add(position);"),
              PlantedBug.of(
                  "full-heap-never-forgotten",
                  "a node whose heap was full once counts as full for ever",
                  "replica/HeapRoom.java",
                  "fullHeaps.remove(from);",
                  "fullHeaps.computeIfPresent(from, (member, known) ->"
                      + " new FullHeap(known.notice, known.untilNanos + (1L << 60)));"),
              PlantedBug.of(
                  "joiner-gives-up-when-full",
                  "a joiner whose heap is full fetches nothing more, ever",
                  "rebalance/StateTransfer.java",
                  "batch = replica.barrier().isFull() || isHeapFull(replica)"
                      + " ? null : pull(replica, epoch);",
                  "if (isHeapFull(replica)) { return true; }"
                      + " batch = replica.barrier().isFull() ? null : pull(replica, epoch);"))
          .map(bug -> bug.extraWords().isEmpty() ? bug.withFaults("--bounded") : bug)
          .toList();

  private EvictionBugs() {}
}
