package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of writing: acknowledging, committing, telling apart what was done before.
 *
 * <p><b>Threading:</b> immutable.
 */
final class WriteBugs {
  private static final String REPLICA = "replica/Replica.java";
  private static final String COMMIT = "replica/CommitTracker.java";
  private static final String TAIL = "replica/ReplicaLog.java";
  private static final String WRITE = "operation/InFlightWrite.java";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "ack-before-backups",
              "the primary answers before the backups hold the write",
              "operation/WriteHandler.java",
              "boolean isOwnWrite = origin.equals(messaging.self());",
              "messaging.post( origin, OperationReplyEncoder.encodeResult(messaging, request, "
                  + "state.epoch(), item.result())); boolean isOwnWrite = "
                  + "origin.equals(messaging.self());"),
          PlantedBug.of(
              "ack-one-short",
              "the caller is content with one writer less than all",
              WRITE,
              "if (heldPlaces.cardinality() < expected || heldResult == null) {",
              "if (heldPlaces.cardinality() < expected - 1 || heldResult == null) {"),
          PlantedBug.of(
              "commit-at-fastest",
              "committed is what the fastest writer holds, not what all hold",
              COMMIT,
              "minIndex = Math.min(minIndex, ackedIndex);",
              "minIndex = Math.max(minIndex, ackedIndex);"),
          PlantedBug.of(
              "backup-commits-alone",
              "a backup takes for committed what it has applied itself",
              REPLICA,
              "advanceCommit(Math.min(primaryCommitted, log.applied()));",
              "advanceCommit(log.applied());"),
          PlantedBug.of(
              "dirty-read-at-primary",
              "the primary answers reads from entries that are not committed",
              REPLICA,
              "boolean clean = entry == null || isClean(entry, before.epoch());",
              "boolean clean = entry == null || before.role() == ReplicaRole.PRIMARY || "
                  + "isClean(entry, before.epoch());"),
          PlantedBug.of(
              "dirty-read-at-backup",
              "a backup answers reads from entries that are not committed",
              REPLICA,
              "boolean clean = entry == null || isClean(entry, before.epoch());",
              "boolean clean = entry == null || before.role() == ReplicaRole.BACKUP || "
                  + "isClean(entry, before.epoch());"),
          PlantedBug.of(
              "answer-from-dirty-entry",
              "a command that writes nothing is answered before what it saw is committed",
              REPLICA,
              "long index = found == null || found.epoch() < epoch ? 0 : found.index();",
              "long index = 0;"),
          PlantedBug.of(
              "early-out-of-order",
              "a writer applies what came too early at once",
              TAIL,
              "if (index > applied + 1) {",
              "if (index < 0) {"),
          PlantedBug.of(
              "no-dedup",
              "a command that comes again is carried out again",
              REPLICA,
              "SessionTable.KnownResult known = sessions.find(command.session(), "
                  + "command.sequence(), epoch);",
              "SessionTable.KnownResult known = null;"),
          PlantedBug.of(
              "nothing-done-not-remembered",
              "a command that wrote nothing may write when its message comes again",
              REPLICA,
              "sessions.recordAnswered(command, epoch, index, effect.result());",
              ""),
          PlantedBug.of(
              "session-outlives-membership",
              "a command of a membership that is over is carried out",
              REPLICA,
              "if (state.epoch() != epoch || !sessions.isLive(command.session())) {",
              "if (state.epoch() != epoch) {"),
          refusingOnce(
              PlantedBug.of(
                  "refused-try-carried-out",
                  "a try that was refused is carried out when its message comes again",
                  REPLICA,
                  "if (!sessions.admit(command) || sessions.isRefused(command, epoch)) {",
                  "if (!sessions.admit(command)) {")),
          refusingOnce(
              PlantedBug.of(
                  "refused-in-another-epoch",
                  "a try that comes in another epoch is refused though it may have been carried out",
                  REPLICA,
                  "if (state.epoch() != epoch || !sessions.isLive(command.session())) { return "
                      + "FORGOTTEN;",
                  "if (state.epoch() != epoch || !sessions.isLive(command.session())) { return "
                      + "REFUSED;")),
          ignoringFirst(
                  PlantedBug.of(
                      "answer-outlives-its-epoch",
                      "what a command answered that wrote nothing counts in later epochs",
                      "replica/SessionTable.java",
                      "return isWritten || epoch == now;",
                      "return true;"))
              // A primary that is relieved and soon leads again must still have its copy.
              .withFaults("--faults", "join,leave", "--nodes", "3", "--rate", "400"),
          PlantedBug.of(
              "held-counted-twice",
              "a writer that tells twice that it holds a write counts as two",
              WRITE,
              "heldPlaces.set(place);",
              "heldPlaces.set(heldPlaces.cardinality());"),
          PlantedBug.of(
              "replicate-not-resent",
              "a write that was lost on its way to a writer is not sent again",
              "operation/WriteResender.java",
              "replica.findUnacknowledged(MAX_ITEMS_PER_MEMBER).forEach(unacknowledged -> "
                  + "resend(replica, state, unacknowledged));",
              ""),
          PlantedBug.of(
              "command-after-given-up",
              "a command that comes after its session gave it up is carried out",
              "replica/SessionTable.java",
              "return command.sequence() >= session.lowestSequence;",
              "return true;"),
          ignoringFirst(
                  PlantedBug.of(
                          "refusal-of-old-try",
                          "a late refusal of an earlier try counts for the present one",
                          WRITE,
                          "if (answeredAttempt != attempt) {",
                          "if (answeredAttempt < 0) {")
                      // Refusals come again and again, for longer than it takes to be cut off.
                      .withHelper(
                          "operation/WriteHandler.java",
                          "case CommandOutcome.Refused() -> messaging.post(origin, "
                              + "OperationReplyEncoder.encodeRefused(messaging, request, attempt));",
                          "case CommandOutcome.Refused() -> { for (long late = 0; late < 40; late++) { "
                              + "messaging.clock().schedule( late * 100_000_000L, () -> messaging.post(origin, "
                              + "OperationReplyEncoder.encodeRefused(messaging, request, attempt))); } }"))
              .withFaults(
                  "--faults", "one-way,alone,halves,flapping", "--nodes", "5", "--rate", "300"),
          PlantedBug.of(
                  "result-of-old-try",
                  "a late result of an earlier try counts for the present one",
                  WRITE,
                  "if (answeredAttempt < firstAttemptOfEpoch || isEnded()) {",
                  "if (isEnded()) {")
              // Results of commands that wrote nothing are late.
              .withHelper(
                  "operation/WriteHandler.java",
                  "boolean leaseHeld = lease.isHeld(); messaging.post( origin, leaseHeld ? answer "
                      + ": OperationReplyEncoder.encodeOvertaken(messaging, request, attempt));",
                  "boolean leaseHeld = lease.isHeld(); Output adjusted = leaseHeld ? answer : "
                      + "OperationReplyEncoder.encodeOvertaken(messaging, request, attempt); "
                      + "messaging.clock().schedule(600_000_000L, () -> messaging.post(origin, "
                      + "adjusted));"),
          PlantedBug.of(
                  "first-of-epoch-unmoved",
                  "what tries of earlier epochs were told counts in the present one",
                  WRITE,
                  "firstAttemptOfEpoch = epoch == sentEpoch ? firstAttemptOfEpoch : attempt;",
                  "firstAttemptOfEpoch = firstAttemptOfEpoch == 0 ? attempt : firstAttemptOfEpoch;")
              .withHelper(
                  "operation/WriteHandler.java",
                  "boolean leaseHeld = lease.isHeld(); messaging.post( origin, leaseHeld ? answer "
                      + ": OperationReplyEncoder.encodeOvertaken(messaging, request, attempt));",
                  "boolean leaseHeld = lease.isHeld(); Output adjusted = leaseHeld ? answer : "
                      + "OperationReplyEncoder.encodeOvertaken(messaging, request, attempt); "
                      + "messaging.clock().schedule(600_000_000L, () -> messaging.post(origin, "
                      + "adjusted));"),
          PlantedBug.of(
              "doubt-forgotten",
              "a write an old primary may have done is reported as not written",
              WRITE,
              "return doubtful || (sentEpoch != 0 && !refused);",
              "return false;"),
          PlantedBug.of(
              "swap-ignores-version",
              "a read and swap writes though the entry was replaced in between",
              "operation/CompareVersionAndSet.java",
              "if (!same) {",
              "if (!same && found == null) {"),
          PlantedBug.of(
              "function-settled-blindly",
              "what a function made is written though the entry was replaced meanwhile",
              "operation/FunctionExecutor.java",
              "overtaken = !same; return same ? effect : CommandEffect.undecided();",
              "overtaken = false; return effect;"),
          PlantedBug.of(
              "joiner-asked-for-previous",
              "a joiner takes the result of a write from the entry it does not have yet",
              "operation/WriteHandler.java",
              "boolean backup = place < written.state().backupCount() && !replica.isDurable();",
              "boolean backup = true;"));

  private WriteBugs() {}

  /**
   * Every other write hears of no result in the first two fifths of its call's time. More would do
   * harm: who hears nothing asks ever more rarely, and then too late.
   */
  private static PlantedBug ignoringFirst(PlantedBug bug) {
    return bug.withHelper(
            "operation/OperationClient.java",
            "InFlightWrite write = new InFlightWrite();",
            "InFlightWrite write = new InFlightWrite(); if (sequence % 2 == 0) { long until "
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
            "int code = body.readByte();",
            "int code = body.readByte(); if (code != OperationReplyEncoder.REFUSED && "
                + "deaf.getAsBoolean()) { return false; }");
  }

  /** Messages of tries come again and again, and some callers end when a try was refused. */
  private static PlantedBug refusingOnce(PlantedBug bug) {
    return bug.withHelper(
            "operation/OperationClient.java",
            "if (write.isRefused()) {",
            "if (write.isRefused()) { if (context.sequence % 2 == 0 && !write.isDoubtful()) "
                + "{ throw unansweredException(context, ownership); }")
        .withHelper(
            "operation/WriteHandler.java",
            "Operation operation = Operation.read(in);",
            "Operation operation = Operation.read(in); for (long late = 1; late < 200; late "
                + "*= 3) { messaging.clock().schedule( late * 20_000_000L, () -> write(from, "
                + "cache, segment, epoch, command, key, operation)); }");
  }
}
