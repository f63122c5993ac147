package io.cantle.core.agreement;

import io.cantle.core.base.ClockReading;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;

/** Leases for tests of what stands above them. */
public final class LeaseFixture {
  private LeaseFixture() {}

  /** Has one of the voters, of which there are up to three, grant a node its lease. */
  public static void grant(
      Lease lease, Topology current, Member voter, Member self, ClockReading asked) {
    lease.onGranted(voter, self, asked, current.membership().votersSinceNumber(), true);
  }
}
