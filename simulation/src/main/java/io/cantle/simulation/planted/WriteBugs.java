package io.cantle.simulation.planted;

import java.util.List;

/**
 * Planted bugs of writing: acknowledgement, commit, and the detection of duplicates.
 *
 * <p><b>Threading:</b> immutable.
 */
final class WriteBugs {
  private static final String REPLICA = "replica/Replica.java";
  private static final String LOOK_UP = "replica/ReplicaLookup.java";

  /** When a look-up takes every entry for clean. */
  private static final String SURELY_CLEAN =
      "boolean isClean = state.role() == ReplicaRole.PRIMARY && commitTracker.isSoleWriter();";

  private static final String COMMANDS = "replica/CommandRules.java";
  private static final String COMMIT = "replica/CommitTracker.java";
  private static final String TAIL = "replica/ReplicaLog.java";
  private static final String WRITE = "operation/InFlightWrite.java";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "ack-before-backups",
              "the primary answers before the backups hold the write",
              "operation/WriteHandler.java",
              "boolean isOwnWrite = attempt.origin.equals(messaging.self());",
              "respond(attempt, new OperationReply.ResultReply(state.epoch(), "
                  + "written.write().result())); boolean isOwnWrite = "
                  + "attempt.origin.equals(messaging.self());"),
          PlantedBug.of(
              "ack-one-short",
              "the caller is content with one writer less than all",
              WRITE,
              "if (heldWriterIndexes.cardinality() < held.otherWriterCount() || heldResult == null) {",
              "if (heldWriterIndexes.cardinality() < held.otherWriterCount() - 1 || heldResult == null) {"),
          PlantedBug.of(
              "commit-at-fastest",
              "what the fastest writer holds counts as committed",
              COMMIT,
              "minIndex = Math.min(minIndex, ackedIndex);",
              "minIndex = Math.max(minIndex, ackedIndex);"),
          PlantedBug.of(
              "backup-commits-alone",
              "a backup treats what it has applied itself as committed",
              REPLICA,
              "advanceCommit(Math.min(primaryCommitted, log.applied()));",
              "advanceCommit(log.applied());"),
          PlantedBug.of(
              "dirty-read-at-primary",
              "the primary answers reads from entries that are not committed",
              LOOK_UP,
              SURELY_CLEAN,
              "boolean isClean = state.role() == ReplicaRole.PRIMARY;"),
          PlantedBug.of(
              "dirty-read-at-backup",
              "a backup answers reads from entries that are not committed",
              LOOK_UP,
              SURELY_CLEAN,
              "boolean isClean = state.role() == ReplicaRole.BACKUP;"),
          PlantedBug.of(
              "answer-from-dirty-entry",
              "a command that writes nothing is answered before what it saw is committed",
              COMMANDS,
              "long index = found == null || found.epoch() < epoch ? 0 : found.index();",
              "long index = 0;"),
          PlantedBug.of(
              "early-out-of-order",
              "a writer applies a write that arrived early at once",
              TAIL,
              "if (index > applied + 1) {",
              "if (index < 0) {"),
          PlantedBug.of(
              "no-dedup",
              "a repeated command is executed again",
              COMMANDS,
              "SessionTable.KnownResult known = sessions.find(command.session(), "
                  + "command.sequence(), epoch);",
              "SessionTable.KnownResult known = null;"),
          PlantedBug.of(
              "nothing-done-not-remembered",
              "a command that wrote nothing may write when it is repeated",
              COMMANDS,
              "sessions.recordAnswered(command, epoch, index, effect.result());",
              ""),
          PlantedBug.of(
              "session-outlives-membership",
              "a command of an ended membership is executed",
              COMMANDS,
              "if (state.epoch() != epoch || !sessions.isLive(command.session())) {",
              "if (state.epoch() != epoch) {"),
          refusingOnce(
              PlantedBug.of(
                  "refused-try-carried-out",
                  "a refused attempt is executed when its message arrives again",
                  COMMANDS,
                  "if (!sessions.admit(command) || sessions.isRefused(command, epoch)) {",
                  "if (!sessions.admit(command)) {")),
          refusingOnce(
              PlantedBug.of(
                  "refused-in-another-epoch",
                  "an attempt in another epoch is refused though the command may have been "
                      + "executed",
                  COMMANDS,
                  "if (state.epoch() != epoch || !sessions.isLive(command.session())) { return "
                      + "FORGOTTEN;",
                  "if (state.epoch() != epoch || !sessions.isLive(command.session())) { return "
                      + "REFUSED;")),
          ignoringFirst(
                  PlantedBug.of(
                      "answer-outlives-its-epoch",
                      "the result of a command that wrote nothing counts in later epochs",
                      "replica/SessionTable.java",
                      "return isWritten || epoch == now;",
                      "return true;"))
              // A primary that is replaced and soon leads again must still have its replica.
              .withFaults(
                  "--faults",
                  "join,leave",
                  "--nodes",
                  "3",
                  "--rate",
                  "400",
                  "--virtual-seconds",
                  "20"),
          PlantedBug.of(
                  "held-counted-twice",
                  "a writer that reports twice that it holds a write counts as two",
                  WRITE,
                  "heldWriterIndexes.set(held.writerIndex());",
                  "heldWriterIndexes.set(heldWriterIndexes.cardinality());")
              // What one writer reports comes twice, and what is meant for another one not at all.
              .withFaults(
                  "--faults",
                  "loss,duplication",
                  "--nodes",
                  "4",
                  "--rate",
                  "300",
                  "--virtual-seconds",
                  "10"),
          PlantedBug.of(
              "replicate-not-resent",
              "a lost replication message is not sent again",
              "operation/WriteResender.java",
              "replica.progress().findUnacknowledged(MAX_ITEMS_PER_MEMBER).forEach(unacknowledged -> "
                  + "resend(replica, unacknowledged));",
              ""),
          PlantedBug.of(
              "command-after-given-up",
              "a command that arrives after its session gave it up is executed",
              "replica/SessionTable.java",
              "return command.sequence() >= session.lowestSequence;",
              "return true;"),
          ignoringFirst(
                  PlantedBug.of(
                          "refusal-of-old-try",
                          "a late refusal of an earlier attempt counts for the present one",
                          WRITE,
                          "if (answeredAttempt != attempt) {",
                          "if (answeredAttempt < 0) {")
                      // Refusals are repeated for longer than it takes to be cut off.
                      .withHelper(
                          "operation/WriteHandler.java",
                          "case CommandOutcome.Refused() -> respond(attempt, "
                              + "new OperationReply.RefusedReply(number, false));",
                          "case CommandOutcome.Refused() -> { for (long late = 0; late < 40; late++) { "
                              + "messaging.clock().schedule( late * 100_000_000L, () -> respond("
                              + "attempt, new OperationReply.RefusedReply(number, false))); } }"))
              .withFaults(
                  "--faults", "one-way,alone,halves,flapping", "--nodes", "5", "--rate", "300"),
          delayingResults(
              PlantedBug.of(
                  "result-of-old-try",
                  "a late result of an earlier attempt counts for the present one",
                  WRITE,
                  "if (answeredAttempt < firstAttemptOfEpoch || isEnded()) {",
                  "if (isEnded()) {")),
          delayingResults(
              PlantedBug.of(
                  "first-of-epoch-unmoved",
                  "answers to attempts of earlier epochs count in the present one",
                  WRITE,
                  "firstAttemptOfEpoch = epoch == sentEpoch ? firstAttemptOfEpoch : attempt;",
                  "firstAttemptOfEpoch = firstAttemptOfEpoch == 0 ? attempt : firstAttemptOfEpoch;")),
          PlantedBug.of(
              "doubt-forgotten",
              "a write that an old primary may have executed is reported as not written",
              WRITE,
              "return doubtful || (sentEpoch != 0 && !refused);",
              "return false;"),
          PlantedBug.of(
              "swap-ignores-version",
              "a compare-and-swap writes though the entry was replaced in between",
              "operation/Operation.java",
              "if (!same) {",
              "if (!same && found == null) {"),
          PlantedBug.of(
              "function-settled-blindly",
              "the result of a function is written though the entry was replaced meanwhile",
              "operation/FunctionExecutor.java",
              "isOpen = computed == null || !same; return computed == null || !same ?",
              "isOpen = computed == null; return computed == null ?"),
          PlantedBug.of(
              "joiner-asked-for-previous",
              "a joiner takes the result of a write from an entry it does not have yet",
              "operation/WriteHandler.java",
              "boolean backup = place < written.state().backupCount() && !replica.barrier().isDurable();",
              "boolean backup = true;"));

  private WriteBugs() {}

  /**
   * Makes every other write miss all results in the first two fifths of its timeout. More would do
   * harm: a caller without an answer retries ever more rarely, and then too late.
   */
  private static PlantedBug ignoringFirst(PlantedBug bug) {
    return bug.withHelper(
            "operation/OperationClient.java",
            "request = messaging.nextRequestNumber();",
            "request = messaging.nextRequestNumber(); if (sequence % 2 == 0) { long until "
                + "= deadline - timeoutNanos * 3 / 5; write.deaf = () -> clock.nanoTime() - until "
                + "< 0; }")
        .withHelper(
            WRITE,
            "private final Thread waiter = Thread.currentThread();",
            """
            volatile java.util.function.BooleanSupplier deaf = () -> false;
            private final Thread waiter = Thread.currentThread();
            """)
        .withHelper(
            WRITE,
            "private boolean handleReply(OperationReply reply) {",
            "private boolean handleReply(OperationReply reply) { if (!(reply instanceof "
                + "OperationReply.RefusedReply) && deaf.getAsBoolean()) { return false; }");
  }

  /** Has the results of commands that wrote nothing come late. */
  private static PlantedBug delayingResults(PlantedBug bug) {
    return bug.withHelper(
        "operation/WriteHandler.java",
        "respond( attempt, mayAnswer ? reply.get() : new OperationReply.RefusedReply(number, "
            + "isOvertaken));",
        "OperationReply adjusted = mayAnswer ? reply.get() : new OperationReply.RefusedReply(number, "
            + "isOvertaken); messaging.clock().schedule(isCommitted ? 600_000_000L : 1, "
            + "() -> respond(attempt, adjusted));");
  }

  /**
   * Repeats the messages of attempts, and makes some callers give up when an attempt was refused.
   */
  private static PlantedBug refusingOnce(PlantedBug bug) {
    return repeatingAttempts(bug)
        .withHelper(
            "operation/OperationClient.java",
            "if (write.isRefused()) {",
            "if (write.isRefused()) { if (sequence % 2 == 0 && !write.isDoubtful()) "
                + "{ throw new io.cantle.CallTimeoutException(\"planted\"); }");
  }

  /** Has the messages of attempts come several times, as a network may do that repeats them. */
  static PlantedBug repeatingAttempts(PlantedBug bug) {
    return bug.withHelper(
        "operation/WriteHandler.java",
        "topologyDriver.runOnceAdopted( write.topologyNumber(),",
        "for (long late = 1; late < 200; late *= 3) { messaging.clock().schedule( late * "
            + "20_000_000L, () -> write(from, request, null, write)); } topologyDriver.runOnceAdopted( "
            + "write.topologyNumber(),");
  }
}
