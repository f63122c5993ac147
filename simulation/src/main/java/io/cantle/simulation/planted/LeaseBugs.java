package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of leases: who may answer, and who waits until nobody may any more.
 *
 * <p><b>Threading:</b> immutable.
 */
final class LeaseBugs {
  private static final String LEASE = "topology/Lease.java";
  private static final String GRANTS = "topology/Grants.java";
  private static final String KEEPER = "topology/TopologyKeeper.java";
  private static final String CALLERS = "operate/Callers.java";

  static final List<Bug> ALL =
      List.of(
          Bug.of(
              "no-lease",
              "a node answers whether it holds a lease or not",
              LEASE,
              "return !over && !renounced && (endless || (begun && clock.nanoTime() - end < 0));",
              "return !over;"),
          Bug.of(
                  "lease-checked-before-read",
                  "a node looks at its lease before it reads, not after",
                  new Edit(
                      CALLERS,
                      "Replica replica = replicas.find(place, segment(topology, place, hash));",
                      """
                      boolean held = lease.held();
                      Replica replica = replicas.find(place, segment(topology, place, hash));
                      """),
                  new Edit(
                      CALLERS,
                      "if (peek.status() == Replica.Status.CLEAN && lease.held()) {",
                      "if (peek.status() == Replica.Status.CLEAN && held) {"))
              // Simulated threads stop only where they wait.
              .aidedBy(
                  CALLERS,
                  "Replica.Peek peek = replica.peek(hash, key, 0, key.length);",
                  """
                  clock.parkNanos(this, 20_000_000L);
                  Replica.Peek peek = replica.peek(hash, key, 0, key.length);
                  """),
          Bug.of(
              "lease-without-majority",
              "a lease is held when a single voter grants it",
              LEASE,
              "int needed = membership.voters().size() / 2 + 1;",
              "int needed = membership.voters().contains(self) ? 2 : 1;"),
          Bug.of(
              "lease-from-receipt",
              "a lease lasts from the moment it was granted, not from when it was asked for",
              LEASE,
              "granted.merge(voter, sentNanos,",
              "granted.merge(voter, clock.nanoTime(),"),
          Bug.of(
              "exclusion-without-waiting",
              "a voter accepts an exclusion before the lease it granted has run out",
              GRANTS,
              "wait = Math.max(wait, last == null ? 0 : last + WAIT_NANOS - now);",
              ""),
          Bug.of(
              "new-voters-do-not-wait",
              "new voters do not wait for leases the old ones granted",
              GRANTS,
              "wait = Math.max(wait, votersSince == 1 ? 0 : votersLearned + WAIT_NANOS - now);",
              ""),
          Bug.of(
              "excluded-granted",
              "a voter grants a lease to a member it has agreed to exclude",
              KEEPER,
              "&& !register.bars(from)",
              ""),
          Bug.of(
              "old-voters-grant",
              "a voter that has taken up other voters grants leases in the name of the old ones",
              KEEPER,
              "&& !register.replacesVoters()",
              ""),
          Bug.of(
              "not-renounced",
              "a node that agrees to its own exclusion goes on to answer",
              "topology/Register.java",
              "lease.renounce();",
              ""));

  private LeaseBugs() {}
}
