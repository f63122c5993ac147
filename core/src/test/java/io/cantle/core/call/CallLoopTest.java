package io.cantle.core.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.core.base.Environment;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.topology.DriverFixture;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessageOnlyHandler;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests when a call is tried again, and when and how it is given up. */
final class CallLoopTest {
  private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(2);

  private final ManualClock clock = new ManualClock();
  private final Member self = ManualNetwork.member("self");
  private final Member second = ManualNetwork.member("second");
  private final ManualNetwork network = new ManualNetwork();
  private final Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(1));
  private final MessagingService messaging =
      new MessagingService(
          network.transport(self),
          environment,
          (MessageOnlyHandler) (kind, from, request, body) -> {});
  private final TopologyDriver driver = DriverFixture.driver(messaging, environment, 9);
  private final CallLoop loop = newLoop(CallPace.COMMAND);
  private Topology topology = TopologyFixture.of(1, 3, List.of(self, second), List.of());

  private CallLoop newLoop(CallPace pace) {
    return new CallLoop(driver, clock, pace, TIMEOUT, clock.nanoTime() + TIMEOUT);
  }

  @BeforeEach
  void open() {
    messaging.start();
    adopt(topology);
  }

  private void adopt(Topology next) {
    Output out = new Output(64);
    next.write(out);
    topology = next;
    driver.onMessage(MessageKind.TOPOLOGY, second, out.toInput());
  }

  private final List<Long> attemptMicros = new ArrayList<>();
  private final long startNanos = clock.nanoTime();

  /** Runs a call that is refused a number of times; {@code onRefusal} follows each. */
  private String run(int refusals, Runnable onRefusal) {
    return loop.run(
        until -> topology,
        used -> {
          attemptMicros.add((clock.nanoTime() - startNanos) / 1_000);
          if (attemptMicros.size() > refusals) {
            return "answer";
          }
          onRefusal.run();
          return null;
        },
        used -> "a question");
  }

  @Test
  void pausesGrowUntilThereIsAResult() {
    assertThat(run(4, () -> {})).isEqualTo("answer");
    assertThat(attemptMicros).containsExactly(0L, 500L, 1_500L, 3_500L, 7_500L);
  }

  @Test
  void laterTopologyEndsThePause() {
    clock.whileParked.add(() -> adopt(TopologyFixture.next(topology, self, second)));
    run(1, () -> {});
    assertThat(attemptMicros).containsExactly(0L, 0L);
  }

  @Test
  void attemptMayFollowAtOnce() {
    run(2, loop::skipPause);
    assertThat(attemptMicros).containsExactly(0L, 0L, 0L);
  }

  @Test
  void timeoutNamesTheCall() {
    assertThatExceptionOfType(CallTimeoutException.class)
        .isThrownBy(() -> run(Integer.MAX_VALUE, () -> {}))
        .withMessageContainingAll("2000 ms", "a question");
    assertThat(clock.nanoTime() - startNanos).isEqualTo(TIMEOUT);
  }

  @Test
  void nodeThatIsCutOffDoesNotTry() {
    clock.advance(TimeUnit.SECONDS.toNanos(5));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> run(1, () -> {}))
        .withMessageContaining("cut off");
    assertThat(attemptMicros).isEmpty();
  }

  @Test
  void cutOffIsSaidBeforeTheTimeout() {
    clock.advance(TimeUnit.SECONDS.toNanos(5));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> loop.checkNotGivenUp(() -> "a question"));
  }

  @Test
  void interruptEndsTheCallAndIsPreserved() {
    try {
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(() -> run(1, () -> Thread.currentThread().interrupt()))
          .withMessageContainingAll("interrupted", "a question");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void interruptInAPauseNamesTheCall() {
    clock.whileParked.add(() -> Thread.currentThread().interrupt());
    try {
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(() -> run(1, () -> {}))
          .withMessageContainingAll("interrupted", "a question");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void progressPutsTheDeadlineOffAndFollowsAtOnce() {
    clock.advance(TIMEOUT - 1);
    run(1, loop::onProgress);
    assertThat(attemptMicros).containsExactly(1_999_999L, 1_999_999L);
    assertThat(loop.timeLeftNanos()).isEqualTo(TIMEOUT);
  }

  @Test
  void pauseOfACallThatIsTooLateLastsStill() {
    clock.advance(TIMEOUT + 1);
    loop.beginPause(topology.number());
    assertThat(loop.pauseLeftNanos()).isEqualTo(500_000);
  }

  @Test
  void timeToWaitForAnAnswerGrowsAndIsBoundedByTheDeadline() {
    long now = clock.nanoTime();
    assertThat(loop.answerDeadline(1) - now).isEqualTo(500_000_000);
    assertThat(loop.answerDeadline(1) - now).isEqualTo(1_000_000_000);
    assertThat(loop.answerDeadline(1) - now).isEqualTo(TIMEOUT);
    loop.onAnswer();
    assertThat(loop.answerDeadline(1) - now).isEqualTo(500_000_000);
  }

  @Test
  void timeToWaitForAnAnswerIsShortAgainInAnotherEpochButNotInALaterTopology() {
    List<Long> waits = new ArrayList<>();
    run(
        4,
        () -> {
          int epoch = waits.size() < 3 ? 7 : 8;
          waits.add((loop.answerDeadline(epoch) - clock.nanoTime()) / 1_000_000);
          adopt(TopologyFixture.next(topology, self, second));
        });
    assertThat(waits).containsExactly(500L, 1_000L, 2_000L, 500L);
  }
}
