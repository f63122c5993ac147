package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.NotAvailableException;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagesOnly;
import io.cantle.core.transport.Requests;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator tells a grid by way of a node that may know little of it. */
final class WishesTest {
  private final HandClock clock = new HandClock();
  private final World world = new World(clock, Runnable::run, new Random(1));
  private final Member self = HandNetwork.member("self");
  private final Member other = HandNetwork.member("other");
  private final Requests requests =
      new Requests(
          new HandNetwork().transport(self),
          world,
          (MessagesOnly) (kind, from, request, body) -> {});
  private final TopologyKeeper keeper = HandTopology.keeper(requests, world, 9);
  private final Wishes wishes =
      new Wishes(keeper, (condition, again) -> condition.holds(), Duration.ofSeconds(1));

  @BeforeEach
  void adopt() {
    requests.start();
    Output out = new Output(64);
    HandTopology.founded(self, other).write(out);
    keeper.came(Kind.TOPOLOGY, other, out.toInput());
  }

  @Test
  void whatIsSoAlreadyNeedsNoTelling() {
    wishes.suspendRebalancing(false);
    assertThat(wishes.rebalancingSuspended()).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> wishes.lostSegments("none"))
        .withMessageContaining("none");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> wishes.acceptLoss("none"))
        .withMessageContaining("none");
  }

  @Test
  void aNodeThatIsCutOffDoesNotTakeWhatItSeesForTheState() {
    clock.advance(TimeUnit.SECONDS.toNanos(5));
    assertThat(keeper.cutOff()).isTrue();
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> wishes.suspendRebalancing(false));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> wishes.acceptLoss("none"));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> wishes.lostSegments("none"));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> wishes.rebalancingSuspended());
  }
}
