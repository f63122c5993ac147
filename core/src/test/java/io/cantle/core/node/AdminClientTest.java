package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.GridConfig;
import io.cantle.NotAvailableException;
import io.cantle.core.base.Environment;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.topology.DriverFixture;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessageOnlyHandler;
import io.cantle.core.transport.MessagingService;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests an operator's requests at a node that may know little of its grid. */
final class AdminClientTest {
  private final ManualClock clock = new ManualClock();
  private final Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(1));
  private final Member self = ManualNetwork.member("self");
  private final Member other = ManualNetwork.member("other");
  private final MessagingService messaging =
      new MessagingService(
          new ManualNetwork().transport(self),
          environment,
          (MessageOnlyHandler) (kind, from, request, body) -> {});
  private final TopologyDriver driver = DriverFixture.driver(messaging, environment, 9);
  private final AdminClient adminClient =
      new AdminClient(
          driver,
          new NodeState(
              messaging, clock, new NodeErrorMessages(GridConfig.named("grid"), self.name())),
          Duration.ofSeconds(1));

  @BeforeEach
  void adopt() {
    messaging.start();
    Output out = new Output(64);
    TopologyFixture.founded(self, other).write(out);
    driver.onMessage(MessageKind.TOPOLOGY, other, out.toInput());
  }

  @Test
  void requestAlreadyFulfilledSendsNothing() {
    adminClient.suspendRebalancing(false);
    assertThat(adminClient.rebalancingSuspended()).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> adminClient.lostSegments("none"))
        .withMessageContaining("none");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> adminClient.acceptLoss("none"))
        .withMessageContaining("none");
  }

  @Test
  void cutOffNodeRefusesAdminCalls() {
    clock.advance(TimeUnit.SECONDS.toNanos(5));
    assertThat(driver.isCutOff()).isTrue();
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> adminClient.suspendRebalancing(false));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> adminClient.acceptLoss("none"));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> adminClient.lostSegments("none"));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> adminClient.rebalancingSuspended());
  }
}
