package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Bugs in what nodes with stores bring back from their former lives.
 *
 * <p><b>Threading:</b> immutable.
 */
final class RestartBugs {
  private static final String REGISTER = "topology/TopologyRegister.java";
  private static final String LEDGER = "topology/AgreementJournal.java";

  static final List<PlantedBug> ALL =
      Stream.of(
              delayedWrite(
                  PlantedBug.of(
                      "acceptance-not-on-disk",
                      "a voter says that it has accepted before its next life would know of it",
                      REGISTER,
                      "requestedBallot.write(out); save(() -> send(from, out));",
                      "requestedBallot.write(out); send(from, out); save(() -> {});")),
              PlantedBug.of(
                  "accepted-not-restored",
                  "a voter's next life knows nothing of what it has accepted",
                  REGISTER,
                  "restoreAccepted(record);",
                  ""),
              PlantedBug.of(
                  "memory-outlives-its-node",
                  "the next life of a node is taken for an owner of what was in memory only",
                  "topology/CachePlanner.java",
                  "if (!durable || presentMembers.contains(member)) {",
                  "if (presentMembers.contains(member)) {"),
              PlantedBug.of(
                  "next-life-is-another-voter",
                  "a node that starts again does not vote in place of its former life",
                  "topology/Membership.java",
                  "return voters.stream().anyMatch(member::isSameNode);",
                  "return voters.contains(member);"),
              PlantedBug.of(
                  "half-a-copy-is-owner",
                  "the next life of one that was still fetching a segment is taken for an owner",
                  "topology/CachePlanner.java",
                  "holders.addAll(from.lastOwners());",
                  "holders.addAll(from.lastOwners()); from.targetOwners().stream() .filter(one -> "
                      + "!presentMembers.contains(one)) .forEach(holders::add);"),
              PlantedBug.of(
                  "held-before-it-is-on-disk",
                  "a write counts as held that is not on disk yet",
                  "replica/ReplicaDurability.java",
                  "return durability.kind() == Durability.Kind.SYNC;",
                  "return false;"),
              PlantedBug.of(
                  "dropped-copy-stays-on-disk",
                  "a copy that was dropped is found by the next life of its node",
                  new SourceEdit("replica/ReplicaDurability.java", "replicaStore.drop();", ""),
                  new SourceEdit(
                      "replica/ReplicaDurability.java",
                      "replicaStore.writeHeader(ReplicaHeader.ofDropped(currentGridId, droppedEpoch), "
                          + "headerEpoch, headerIndex++);",
                      "")),
              PlantedBug.of(
                  "dropped-copy-is-empty-owner",
                  "a node drops a copy the topology still counts on, and begins the segment empty",
                  new SourceEdit(
                      "replica/ReplicaRole.java",
                      ".anyMatch(self::isSameNode);",
                      ".anyMatch(one -> false);"),
                  new SourceEdit(
                      "replica/Replica.java",
                      "&& durability.hasDropped(gridDefinition, ownership.birthEpoch());",
                      "&& durability.hasDropped(gridDefinition, Integer.MAX_VALUE);")),
              PlantedBug.of(
                  "former-life-counts-as-running",
                  "a node that starts again is told that its node is there by who has not heard of it",
                  "topology/DuplicateProcesses.java",
                  "(last != null && last - since > 0 && now - last < "
                      + "LeaseTable.SUSPECT_AFTER_NANOS)",
                  "last == null || now - last < LeaseTable.SUSPECT_AFTER_NANOS"),
              PlantedBug.of(
                      "old-store-is-welcome",
                      "nobody notices that a node comes back with an old copy of its store",
                      "topology/StoreHistory.java",
                      "return life.mark < known.mark; } }",
                      "return false; } } if (known.mark >= 0) { return false; }")
                  .withFaults("--mode", "durable", "--faults", "old-store,crash,restart"),
              PlantedBug.of(
                  "evicted-before-it-is-on-disk",
                  "a value leaves memory before the disk has it",
                  "replica/ValueResidency.java",
                  "requireDurability() .whenOnDisk( () -> { evict(chosen); onRead.accept(sums[1]); "
                      + "});",
                  "evict(chosen); onRead.accept(sums[1]);"),
              PlantedBug.of(
                  "old-value-brought-back",
                  "a value that was read from disk takes the place of a later version",
                  "replica/ValueResidency.java",
                  "if (!isCurrent(evicted)) { return true; }",
                  "if (data.find(evicted) == null) { return true; }"),
              PlantedBug.of(
                  "scan-skips-what-is-on-disk",
                  "a scan leaves out keys that were written while it read values from disk",
                  "replica/ValueResidency.java",
                  "all.add(found != null ? data.releaseDecoded(found) : data.find(entry));",
                  "all.add(found != null ? data.releaseDecoded(found) : null);"),
              PlantedBug.of(
                  "backup-looks-for-an-evicted-value",
                  "a backup is to take the result of a write from a value it has on disk only",
                  "operation/WriteHandler.java",
                  "place < written.state().backupCount() && !replica.isDurable();",
                  "place < written.state().backupCount();"))
          .map(PlantedBug::forDurableGrids)
          .toList();

  private RestartBugs() {}

  /**
   * A disk takes milliseconds; once the grid is founded it takes longer here, so that a crash falls
   * in between.
   */
  private static PlantedBug delayedWrite(PlantedBug bug) {
    return bug.withHelper(
        LEDGER,
        "stableStore.save(NOTE_NAME, bytes, () -> environment.threads().execute(() -> "
            + "onSaved(number, record, due)));",
        "environment .clock() .schedule( record.currentTopology().number() > 6 ? "
            + "150_000_000L : 0, () -> stableStore.save( NOTE_NAME, bytes, () -> "
            + "environment.threads().execute(() -> onSaved(number, record, due))));");
  }
}
