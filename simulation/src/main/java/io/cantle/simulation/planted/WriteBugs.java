package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of writing: acknowledging, committing, telling apart what was done before.
 *
 * <p><b>Threading:</b> immutable.
 */
final class WriteBugs {
  private static final String REPLICA = "replica/Replica.java";
  private static final String COMMIT = "replica/Commit.java";
  private static final String TAIL = "replica/Tail.java";
  private static final String WRITE = "operate/Write.java";

  static final List<Bug> ALL =
      List.of(
          Bug.of(
              "ack-before-backups",
              "the primary answers before the backups hold the write",
              "operate/Writers.java",
              "boolean mine = origin.equals(requests.self());",
              """
              requests.post(
                  origin, Answers.result(requests, request, state.epoch(), item.result()));
              boolean mine = origin.equals(requests.self());
              """),
          Bug.of(
              "ack-one-short",
              "the caller is content with one writer less than all",
              WRITE,
              "if (held.cardinality() < expected || heldResult == null) {",
              "if (held.cardinality() < expected - 1 || heldResult == null) {"),
          Bug.of(
              "commit-at-fastest",
              "committed is what the fastest writer holds, not what all hold",
              COMMIT,
              "all = Math.min(all, one);",
              "all = Math.max(all, one);"),
          Bug.of(
              "backup-commits-alone",
              "a backup takes for committed what it has applied itself",
              REPLICA,
              "advance(Math.min(primaryCommitted, tail.applied()));",
              "advance(tail.applied());"),
          Bug.of(
              "dirty-read-at-primary",
              "the primary answers reads from entries that are not committed",
              REPLICA,
              "boolean clean = entry == null || clean(entry, before.epoch());",
              """
              boolean clean =
                  entry == null || before.role() == Role.PRIMARY || clean(entry, before.epoch());
              """),
          Bug.of(
              "dirty-read-at-backup",
              "a backup answers reads from entries that are not committed",
              REPLICA,
              "boolean clean = entry == null || clean(entry, before.epoch());",
              """
              boolean clean =
                  entry == null || before.role() == Role.BACKUP || clean(entry, before.epoch());
              """),
          Bug.of(
              "answer-from-dirty-entry",
              "a command that writes nothing is answered before what it saw is committed",
              REPLICA,
              "long index = found == null || found.epoch() < epoch ? 0 : found.index();",
              "long index = 0;"),
          Bug.of(
              "early-out-of-order",
              "a writer applies what came too early at once",
              TAIL,
              "if (index > applied + 1) {",
              "if (index < 0) {"),
          Bug.of(
              "no-dedup",
              "a command that comes again is carried out again",
              REPLICA,
              "Sessions.Known known = sessions.find(command.session(), command.sequence(), epoch);",
              "Sessions.Known known = null;"),
          Bug.of(
              "nothing-done-not-remembered",
              "a command that wrote nothing may write when its message comes again",
              REPLICA,
              "sessions.answered(command, epoch, index, effect.result());",
              ""),
          Bug.of(
              "session-outlives-membership",
              "a command of a membership that is over is carried out",
              REPLICA,
              "if (state.epoch() != epoch || !sessions.isPresent(command.session())) {",
              "if (state.epoch() != epoch) {"),
          refusedOnce(
              Bug.of(
                  "refused-try-carried-out",
                  "a try that was refused is carried out when its message comes again",
                  REPLICA,
                  "if (!sessions.admit(command) || sessions.isRefused(command, epoch)) {",
                  "if (!sessions.admit(command)) {")),
          refusedOnce(
              Bug.of(
                  "refused-in-another-epoch",
                  "a try that comes in another epoch is refused though it may have been carried out",
                  REPLICA,
                  """
                  if (state.epoch() != epoch || !sessions.isPresent(command.session())) {
                    return FORGOTTEN;
                  """,
                  """
                  if (state.epoch() != epoch || !sessions.isPresent(command.session())) {
                    return REFUSED;
                  """)),
          deafAtFirst(
                  Bug.of(
                      "answer-outlives-its-epoch",
                      "what a command answered that wrote nothing counts in later epochs",
                      "replica/Sessions.java",
                      "return written || epoch == now;",
                      "return true;"))
              // A primary that is relieved and soon leads again must still have its copy.
              .amid("--faults", "join,leave", "--nodes", "3", "--rate", "400"),
          Bug.of(
              "held-counted-twice",
              "a writer that tells twice that it holds a write counts as two",
              WRITE,
              "held.set(place);",
              "held.set(held.cardinality());"),
          Bug.of(
              "replicate-not-resent",
              "a write that was lost on its way to a writer is not sent again",
              "operate/Resends.java",
              "replica.behind(MAX_ITEMS).forEach(behind -> resend(replica, state, behind));",
              ""),
          Bug.of(
              "command-after-given-up",
              "a command that comes after its session gave it up is carried out",
              "replica/Sessions.java",
              "return command.sequence() >= session.lowest;",
              "return true;"),
          deafAtFirst(
                  Bug.of(
                          "refusal-of-old-try",
                          "a late refusal of an earlier try counts for the present one",
                          WRITE,
                          "if (toldAttempt != attempt) {",
                          "if (toldAttempt < 0) {")
                      // Refusals come again and again, for longer than it takes to be cut off.
                      .aidedBy(
                          "operate/Writers.java",
                          "case Outcome.Refused() -> requests.post(origin, Answers.refused(requests, request, attempt));",
                          """
                  case Outcome.Refused() -> {
                    for (long late = 0; late < 40; late++) {
                      requests.clock().schedule(
                          late * 100_000_000L,
                          () -> requests.post(origin, Answers.refused(requests, request, attempt)));
                    }
                  }
                  """))
              .amid("--faults", "one-way,alone,halves,flapping", "--nodes", "5", "--rate", "300"),
          Bug.of(
                  "result-of-old-try",
                  "a late result of an earlier try counts for the present one",
                  WRITE,
                  "if (toldAttempt < firstOfEpoch || ended()) {",
                  "if (ended()) {")
              // Results of commands that wrote nothing are late.
              .aidedBy(
                  "operate/Writers.java",
                  """
                  boolean held = lease.held();
                  requests.post(
                      origin, held ? answer : Answers.overtaken(requests, request, attempt));
                  """,
                  """
                  boolean held = lease.held();
                  Output told = held ? answer : Answers.overtaken(requests, request, attempt);
                  requests.clock().schedule(600_000_000L, () -> requests.post(origin, told));
                  """),
          Bug.of(
                  "first-of-epoch-unmoved",
                  "what tries of earlier epochs were told counts in the present one",
                  WRITE,
                  "firstOfEpoch = epoch == sentEpoch ? firstOfEpoch : attempt;",
                  "firstOfEpoch = firstOfEpoch == 0 ? attempt : firstOfEpoch;")
              .aidedBy(
                  "operate/Writers.java",
                  """
                  boolean held = lease.held();
                  requests.post(
                      origin, held ? answer : Answers.overtaken(requests, request, attempt));
                  """,
                  """
                  boolean held = lease.held();
                  Output told = held ? answer : Answers.overtaken(requests, request, attempt);
                  requests.clock().schedule(600_000_000L, () -> requests.post(origin, told));
                  """),
          Bug.of(
              "doubt-forgotten",
              "a write an old primary may have done is reported as not written",
              WRITE,
              "return doubtful || (sentEpoch != 0 && !refused);",
              "return false;"),
          Bug.of(
              "swap-ignores-version",
              "a read and swap writes though the entry was replaced in between",
              "operate/Swap.java",
              "if (!same) {",
              "if (!same && found == null) {"),
          Bug.of(
              "function-settled-blindly",
              "what a function made is written though the entry was replaced meanwhile",
              "operate/Functions.java",
              "overtaken = !same; return same ? effect : Effect.undecided();",
              "overtaken = false; return effect;"),
          Bug.of(
              "joiner-asked-for-previous",
              "a joiner takes the result of a write from the entry it does not have yet",
              "operate/Writers.java",
              "boolean backup = place < written.state().backups() && !replica.isKept();",
              "boolean backup = true;"));

  private WriteBugs() {}

  /**
   * Every other write hears of no result in the first two fifths of its call's time. More would do
   * harm: who hears nothing asks ever more rarely, and then too late.
   */
  private static Bug deafAtFirst(Bug bug) {
    return bug.aidedBy(
            "operate/Callers.java",
            "Write write = new Write();",
            """
            Write write = new Write();
            if (sequence % 2 == 0) {
              long until = deadline - timeoutNanos * 3 / 5;
              write.deaf = () -> clock.nanoTime() - until < 0;
            }
            """)
        .aidedBy(
            WRITE,
            "private final Thread waiter = Thread.currentThread();",
            """
            volatile java.util.function.BooleanSupplier deaf = () -> false;
            private final Thread waiter = Thread.currentThread();
            """)
        .aidedBy(
            WRITE,
            "int code = body.readByte();",
            """
            int code = body.readByte();
            if (code != Answers.REFUSED && deaf.getAsBoolean()) {
              return false;
            }
            """);
  }

  /** Messages of tries come again and again, and some callers end when a try was refused. */
  private static Bug refusedOnce(Bug bug) {
    return bug.aidedBy(
            "operate/Callers.java",
            "if (write.refused()) {",
            """
            if (write.refused()) {
              if (sending.sequence % 2 == 0 && !write.doubtful()) {
                throw unanswered(sending, ownership);
              }
            """)
        .aidedBy(
            "operate/Writers.java",
            "Operation operation = Operation.read(in);",
            """
            Operation operation = Operation.read(in);
            for (long late = 1; late < 200; late *= 3) {
              requests.clock().schedule(
                  late * 20_000_000L,
                  () -> write(from, cache, segment, epoch, command, key, operation));
            }
            """);
  }
}
