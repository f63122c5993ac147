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
  private static final String RENEWALS = "topology/Renewals.java";
  private static final String CALLERS = "operate/Callers.java";

  static final List<Bug> ALL =
      List.of(
          Bug.of(
              "no-lease",
              "a node answers whether it holds a lease or not",
              LEASE,
              "return !over && lasts();",
              "return !over;"),
          // Within one call it would do no harm: what is read later is only newer.
          Bug.of(
              "lease-checked-before-read",
              "a node goes by the look at its lease that the read before this one took",
              new Edit(
                  CALLERS,
                  "private volatile Current session;",
                  "private volatile Current session; private volatile boolean held;"),
              new Edit(
                  CALLERS,
                  "Replica replica = replicas.find(place, segment(topology, place, hash));",
                  """
                  boolean before = held;
                  held = lease.held();
                  Replica replica = replicas.find(place, segment(topology, place, hash));
                  """),
              new Edit(
                  CALLERS,
                  "if (peek.status() == Peek.Status.CLEAN && lease.held() &&",
                  "if (peek.status() == Peek.Status.CLEAN && before &&")),
          Bug.of(
              "lease-without-majority",
              "a lease is held when a single voter grants it",
              LEASE,
              "int needed = membership.voters().size() / 2 + 1;",
              "int needed = membership.voters().contains(self) ? 2 : 1;"),
          Bug.of(
                  "lease-by-monotonic-clock",
                  "a lease lasts by a clock that stands still while the machine is suspended",
                  "base/Moment.java",
                  "return Math.max(later.monotonicNanos - monotonicNanos, Math.max(wall, boot));",
                  "return later.monotonicNanos - monotonicNanos;")
              .amid("--faults", "suspension"),
          Bug.of(
                  "lease-without-time-of-day",
                  "a lease lasts by clocks that all stand still where the machine has no boot clock",
                  "base/Moment.java",
                  "return Math.max(later.monotonicNanos - monotonicNanos, Math.max(wall, boot));",
                  "return Math.max(later.monotonicNanos - monotonicNanos, boot);")
              .amid("--faults", "suspension"),
          Bug.of(
                  "lease-from-receipt",
                  "a lease lasts from the moment it was granted, not from when it was asked for",
                  LEASE,
                  "granted.merge(voter.node(), askedAt,",
                  "granted.merge(voter.node(), clock.moment(),")
              // Grants are slow, and exclusions are not.
              .aidedBy(
                  RENEWALS,
                  "leader.writeSilent(out, current); requests.post(from, out);",
                  """
                  leader.writeSilent(out, current);
                  world.clock().schedule(500_000_000L, () -> requests.post(from, out));
                  """)
              .aidedBy(
                  GRANTS,
                  "EXCLUDE_NANOS = TimeUnit.SECONDS.toNanos(3);",
                  "EXCLUDE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_200);"),
          Bug.of(
              "exclusion-without-waiting",
              "a voter accepts an exclusion before the lease it granted has run out",
              GRANTS,
              "wait = Math.max(wait, last == null ? 0 : leftNanos(last.at));",
              ""),
          Bug.of(
              "excluded-granted",
              "a voter grants a lease to a member it has agreed to exclude",
              RENEWALS,
              "&& !register.bars(from)",
              ""));

  private LeaseBugs() {}
}
