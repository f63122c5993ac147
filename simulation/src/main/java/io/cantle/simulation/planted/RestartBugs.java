package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Planted bugs in what nodes with stores restore from their earlier incarnations.
 *
 * <p><b>Threading:</b> immutable.
 */
final class RestartBugs {
  private static final String REGISTER = "agreement/TopologyRegister.java";
  private static final String LEDGER = "agreement/AgreementJournal.java";

  static final List<PlantedBug> ALL =
      Stream.of(
              delayedWrite(
                  PlantedBug.of(
                      "acceptance-not-on-disk",
                      "a voter reports an acceptance before it is on disk",
                      REGISTER,
                      "answer(from, new Accepted(next.number(), requestedBallot));",
                      "send(List.of(from), new Accepted(next.number(), requestedBallot));"
                          + " effects.add(new AgreementEffect.SaveAdopted(record()));")),
              AgreementBugs.announcedLate(
                      PlantedBug.of(
                          "accepted-not-restored",
                          "a restarted voter knows nothing of what it has accepted",
                          REGISTER,
                          "restoreAccepted(record);",
                          ""))
                  .withFaults(
                      "--mode",
                      "durable",
                      "--faults",
                      "restart,stop,join,leave",
                      "--nodes",
                      "4",
                      "--rate",
                      "5",
                      "--virtual-seconds",
                      "10"),
              PlantedBug.of(
                      "memory-outlives-its-node",
                      "a restarted node counts as owner of what was only in memory",
                      "ownership/CachePlanner.java",
                      "if (!durable || presentMembers.contains(member)) {",
                      "if (presentMembers.contains(member)) {")
                  .withFaults(
                      "--mode",
                      "durable",
                      "--faults",
                      "stop,restart",
                      "--nodes",
                      "3",
                      "--virtual-seconds",
                      "20"),
              PlantedBug.of(
                  "next-life-is-another-voter",
                  "a restarted node does not vote in place of its earlier incarnation",
                  "ownership/Membership.java",
                  "return voters.stream().anyMatch(member::isSameNode);",
                  "return voters.contains(member);"),
              PlantedBug.of(
                  "half-a-copy-is-owner",
                  "a restarted node that was still fetching a segment counts as its owner",
                  "ownership/CachePlanner.java",
                  "holders.addAll(from.lastOwners());",
                  "holders.addAll(from.lastOwners()); from.targetOwners().stream() .filter(one -> "
                      + "!presentMembers.contains(one)) .forEach(holders::add);"),
              PlantedBug.of(
                  "held-before-it-is-on-disk",
                  "a write counts as held before it is on disk",
                  "replica/ReplicaDurability.java",
                  "return durability.kind() == Durability.Kind.SYNC;",
                  "return false;"),
              PlantedBug.of(
                  "dropped-copy-stays-on-disk",
                  "a dropped replica is found again when its node restarts",
                  new SourceEdit("replica/ReplicaDurability.java", "replicaStore.drop();", ""),
                  new SourceEdit(
                      "replica/ReplicaDurability.java",
                      "replicaStore.writeHeader(ReplicaHeader.ofDropped(currentGridId,"
                          + " droppedEpoch), headerEpoch, headerIndex++);",
                      "")),
              PlantedBug.of(
                  "dropped-copy-is-empty-owner",
                  "a node drops a replica the topology counts on, and begins the segment empty",
                  new SourceEdit(
                      "replica/ReplicaRole.java",
                      ".anyMatch(self::isSameNode);",
                      ".anyMatch(one -> false);"),
                  new SourceEdit(
                      "replica/EpochEntry.java",
                      "&& durability.hasDropped(gridDefinition, ownership.birthEpoch());",
                      "&& durability.hasDropped(gridDefinition, Integer.MAX_VALUE);")),
              PlantedBug.of(
                  "former-life-counts-as-running",
                  "a restarted node is refused as running by a node that has not heard of the "
                      + "restart",
                  "discovery/DuplicateProcessDetector.java",
                  "(last != null && last - since > 0 && now - last < "
                      + "LeaseTable.SUSPECT_AFTER_NANOS)",
                  "last == null || now - last < LeaseTable.SUSPECT_AFTER_NANOS"),
              PlantedBug.of(
                      "old-store-is-welcome",
                      "nobody detects that a node restarts with an old copy of its store",
                      "discovery/StoreHistory.java",
                      "return incarnation.mark < known.mark; } }",
                      "return false; } } if (known.mark >= 0) { return false; }")
                  .withFaults("--mode", "durable", "--faults", "old-store,crash,restart"),
              PlantedBug.of(
                  "evicted-before-it-is-on-disk",
                  "a value leaves memory before it is on disk",
                  "replica/ValueResidency.java",
                  "requireStore() .runOnceOnDisk( () -> { evict(chosen); "
                      + "onEvicted.accept(chosenBytes); });",
                  "evict(chosen); onEvicted.accept(chosenBytes);"),
              PlantedBug.of(
                  "spared-value-is-forgotten",
                  "a value that was to leave memory, and was used meanwhile, never leaves",
                  "replica/ValueResidency.java",
                  "requireAccount().takeBack(entry);",
                  ""),
              PlantedBug.of(
                  "value-read-back-is-forgotten",
                  "a value that was read from disk into memory never leaves again",
                  "replica/EntryAccount.java",
                  "if (queue != null && bytesBefore == 0 && after != null",
                  "if (queue != null && before == null && after != null"),
              PlantedBug.of(
                  "old-value-brought-back",
                  "a value read from disk replaces a later version",
                  "replica/ValueResidency.java",
                  "if (found != null && keepsInMemory && isCurrent) {",
                  "if (found != null && keepsInMemory && data.find(entry) != null) {"),
              PlantedBug.of(
                  "scan-skips-what-is-on-disk",
                  "a scan leaves out keys that were written while it read values from disk",
                  "replica/ValueResidency.java",
                  "all.add(found != null ? data.releaseDecoded(found) : data.find(entry));",
                  "all.add(found != null ? data.releaseDecoded(found) : null);"),
              PlantedBug.of(
                  "backup-looks-for-an-evicted-value",
                  "a backup needs a value it has only on disk for the result of a write",
                  "operation/WriteHandler.java",
                  "place < written.state().backupCount() && !replica.barrier().isDurable();",
                  "place < written.state().backupCount();"))
          .map(bug -> bug.extraWords().isEmpty() ? bug.forDurableGrids() : bug)
          .toList();

  private RestartBugs() {}

  /**
   * Delays disk writes. They usually take milliseconds; here they take longer once the grid is
   * founded, so that a crash falls in between.
   */
  private static PlantedBug delayedWrite(PlantedBug bug) {
    return bug.withHelper(
        LEDGER,
        "stableStore.save( RECORD_NAME, bytes, () -> environment.threads().execute(() -> "
            + "onSaved(number, record, due)));",
        "environment .clock() .schedule( record.currentTopology().number() > 6 ? "
            + "150_000_000L : 0, () -> stableStore.save( RECORD_NAME, bytes, () -> "
            + "environment.threads().execute(() -> onSaved(number, record, due))));");
  }
}
