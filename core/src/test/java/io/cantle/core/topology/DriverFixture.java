package io.cantle.core.topology;

import io.cantle.WhenCut;
import io.cantle.core.base.Environment;
import io.cantle.core.discovery.DiscoveryEffect.ForeignGridReport;
import io.cantle.core.discovery.JoinSettings;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Topology;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.transport.MessagingService;
import java.time.Duration;
import java.util.function.Consumer;

/** Topology drivers for tests of what stands above them. */
public final class DriverFixture {
  private DriverFixture() {}

  /** Returns a topology driver without listeners. */
  public static TopologyDriver driver(
      MessagingService messaging, Environment environment, int initialMembers) {
    return driver(messaging, environment, initialMembers, topology -> {});
  }

  /** Returns a topology driver of a node without a store. */
  public static TopologyDriver driver(
      MessagingService messaging,
      Environment environment,
      int initialMembers,
      Consumer<Topology> adopter) {
    return new TopologyDriver(
        messaging,
        environment,
        new JoinSettings(
            initialMembers, WhenCut.stop(), MemberCapacity.DEFAULT, Duration.ofSeconds(15)),
        new TopologyListener() {
          @Override
          public void adopt(Topology topology) {
            adopter.accept(topology);
          }

          @Override
          public void onForeignGrid(ForeignGridReport report) {}
        },
        NodeStore.NONE);
  }
}
