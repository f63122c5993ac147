package io.cantle.simulation.planted;

import java.util.List;

/**
 * Planted bugs of leases: which node may answer, and how long others wait until none may.
 *
 * <p><b>Threading:</b> immutable.
 */
final class LeaseBugs {
  private static final String LEASE = "agreement/Lease.java";
  private static final String GRANTS = "agreement/LeaseTable.java";
  private static final String RENEWALS = "agreement/LeaseRenewer.java";
  private static final String CALLERS = "operation/OperationClient.java";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "no-lease",
              "a node answers whether it holds a lease or not",
              LEASE,
              "(!isReleased() && isValid())",
              "!isReleased()"),
          // Within one call it would do no harm: what is read later is only newer.
          PlantedBug.of(
              "lease-checked-before-read",
              "a read relies on the lease check of the read before it",
              new SourceEdit(
                  CALLERS,
                  "private volatile ClientSession latestSession;",
                  "private volatile ClientSession latestSession; private volatile boolean held;"),
              new SourceEdit(
                  CALLERS,
                  "Replica replica = context.replicas().find(",
                  "boolean before = held; held = lease.isHeld(); Replica replica = "
                      + "context.replicas().find("),
              new SourceEdit(
                  CALLERS,
                  "if (localRead.status() == LocalRead.Status.CLEAN && lease.isHeld() &&",
                  "if (localRead.status() == LocalRead.Status.CLEAN && before &&")),
          PlantedBug.of(
              "lease-without-majority",
              "a lease is held when a single voter grants it",
              LEASE,
              "int needed = membership.voters().size() / 2 + 1;",
              "int needed = membership.voters().contains(self) ? 2 : 1;"),
          PlantedBug.of(
                  "lease-by-monotonic-clock",
                  "a lease is timed by a clock that stands still during suspension",
                  "base/ClockReading.java",
                  "return Math.max(later.monotonicNanos - monotonicNanos, Math.max(wall, boot));",
                  "return later.monotonicNanos - monotonicNanos;")
              .withFaults("--faults", "suspension"),
          PlantedBug.of(
                  "lease-without-time-of-day",
                  "without a boot clock, a lease is timed only by clocks that stand still "
                      + "during suspension",
                  "base/ClockReading.java",
                  "return Math.max(later.monotonicNanos - monotonicNanos, Math.max(wall, boot));",
                  "return Math.max(later.monotonicNanos - monotonicNanos, boot);")
              .withFaults("--faults", "suspension"),
          PlantedBug.of(
                  "lease-from-receipt",
                  "a lease counts from when it was granted, not from when it was requested",
                  LEASE,
                  "grantedRequests.merge(voter.nodeId(), askedAt,",
                  "grantedRequests.merge(voter.nodeId(), clock.reading(),")
              // Grants are slow, and exclusions are not.
              .withHelper(
                  "topology/TopologyMaintenance.java",
                  "case AgreementEffect.Send(List<Member> to, Message message) ->",
                  "case AgreementEffect.Send(List<Member> to, Message message)"
                      + " when message.kind() == io.cantle.core.transport.MessageKind.LEASE_RENEWED ->"
                      + " environment.clock().schedule(500_000_000L,"
                      + " () -> to.forEach(one -> messaging.postAsync(one, message)));"
                      + " case AgreementEffect.Send(List<Member> to, Message message) ->")
              .withHelper(
                  GRANTS,
                  "EXCLUDE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);",
                  "EXCLUDE_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(1_200);"),
          PlantedBug.of(
              "exclusion-without-waiting",
              "a voter accepts an exclusion before the lease it granted has expired",
              GRANTS,
              "wait = Math.max(wait, last == null ? 0 : remainingNanos(last.grantedNanos, now));",
              ""),
          PlantedBug.of(
              "excluded-granted",
              "a voter grants a lease to a member it has agreed to exclude",
              RENEWALS,
              "|| register.isBarred(from)",
              ""));

  private LeaseBugs() {}
}
