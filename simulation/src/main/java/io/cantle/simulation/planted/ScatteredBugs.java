package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Planted bugs in scattered caches: in where second copies are, and in what is made of them.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ScatteredBugs {
  private static final String COPIES = "replica/ReplicaCopies.java";

  static final List<PlantedBug> ALL =
      Stream.of(
              AgreementBugs.admittedUnawares(
                      PlantedBug.of(
                          "scattered-newcomer-holds-at-once",
                          "a new member holds copies before it has confirmed its admission",
                          "ownership/HolderPlanner.java",
                          "&& facts.hasConfirmedAdmission(current, member)",
                          ""))
                  .withFaults(
                      "--cache-mode",
                      "scattered",
                      "--faults",
                      "restart",
                      "--nodes",
                      "3",
                      "--rate",
                      "20"),
              PlantedBug.of(
                  "scattered-answered-before-copy",
                  "the primary answers a write itself, before its holder has the copy",
                  "operation/WriteHandler.java",
                  "boolean isOwnWrite = attempt.origin.equals(messaging.self());",
                  "boolean isOwnWrite = attempt.origin.equals(messaging.self());"
                      + " if (state.isScattered()) { replySettled(attempt, written, true); }"),
              PlantedBug.of(
                  "scattered-read-before-copy",
                  "an entry is read before its holder has the copy",
                  "replica/CommitTracker.java",
                  "return entry.epoch() < epoch || entry.index() <= index;",
                  "return assignments != null || entry.epoch() < epoch || entry.index() <= index;"),
              PlantedBug.of(
                  "scattered-holder-not-fenced",
                  "a holder takes copies of an earlier epoch",
                  "replica/Replica.java",
                  "if (!follows(received.epoch())) {",
                  "if (!follows(received.chain() != null ? state.epoch() : received.epoch())) {"),
              PlantedBug.of(
                  "scattered-tombstone-purged-early",
                  "a tombstone goes before the former holders have dropped their copies",
                  COPIES,
                  "if (present.isTombstone() && copies.formerHolders().isEmpty()) {",
                  "if (present.isTombstone()) {"),
              PlantedBug.of(
                  "scattered-former-holder-forgotten",
                  "a former holder is not told to drop its copy",
                  COPIES,
                  "if (queue != null) { queue.drops.put(copies.key, former.getValue()); }",
                  "if (queue != null && copies.key.hash() == 0) {"
                      + " queue.drops.put(copies.key, former.getValue()); }"),
              PlantedBug.of(
                      "scattered-drop-of-later-copy",
                      "a drop that waits means a copy that its holder was sent since",
                      COPIES,
                      "drops.add(new CopyUpdate.CopyDrop(key.hash(), key.bytes(),"
                          + " drop.getValue()));",
                      "drops.add(new CopyUpdate.CopyDrop(key.hash(), key.bytes(),"
                          + " known.formerHolders().get(holder)));")
                  // Many writes are overtaken by what their holder is told later.
                  .withHelper(
                      "operation/WriteHandler.java",
                      "newNotice(place, expected);",
                      "newNotice(place, expected); if (index % 3 == 0) {"
                          + " Member late = others.get(place); ReplicationBatch lateBatch ="
                          + " new ReplicationBatch(replica.cache(),"
                          + " List.of(segmentWrite(replica, written, notice, place)));"
                          + " messaging.clock().schedule(60_000_000L, () ->"
                          + " messaging.post(late, lateBatch)); continue; }"),
              PlantedBug.of(
                  "scattered-collected-from-some",
                  "a new primary opens its epoch before all holders have sent their copies",
                  "rebalance/CopyExchange.java",
                  "if (one.cursors.isEmpty()) { if (holdsEverything(one)) {"
                      + " finishCollecting(one); } return; }",
                  "if (one.cursors.isEmpty() || !one.collectedFrom.isEmpty()) {"
                      + " finishCollecting(one); return; }"),
              PlantedBug.of(
                  "scattered-lost-copies-not-replaced",
                  "entries of a holder that is gone get no other holder",
                  COPIES,
                  "if (holder != null && !state.others().contains(holder)) {"
                      + " copies.dismissHolder(); underReplicated.add(copies.key); }",
                  ""),
              PlantedBug.of(
                  "scattered-older-copy-wins",
                  "of two collected versions the one that came last counts",
                  COPIES,
                  "data.addTransferred(entry);",
                  "Entry known = data.find(entry); if (known != null) { data.dropCopy(known); }"
                      + " data.addTransferred(entry);"),
              PlantedBug.of(
                  "scattered-results-not-collected",
                  "a new primary does not collect the results of commands",
                  COPIES,
                  "if (metadata != null) { data.mergeMetadata(metadata); }"
                      + " for (Entry entry : entries) {",
                  "for (Entry entry : entries) {"),
              PlantedBug.of(
                  "scattered-own-copies-not-backed-up",
                  "what a new primary held for the former one gets no other holder",
                  COPIES,
                  "copies.replace(entry.version(), holder); if (holder == null) {",
                  "copies.replace(entry.version(), holder); if (holder == null && epoch == 0) {"))
          .map(
              bug -> bug.extraWords().isEmpty() ? bug.withFaults("--cache-mode", "scattered") : bug)
          .toList();

  private ScatteredBugs() {}
}
