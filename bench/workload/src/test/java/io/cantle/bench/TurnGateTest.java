package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TurnGateTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @Test
  void letsARoundThatRunsAloneWorkAndSaysNothing() {
    TurnGate gate = gate(false);
    gate.begin();
    gate.end();

    assertThat(said()).isEmpty();
  }

  @Test
  void hasAPairedRoundWaitForEachTurnAndSaysWhenItIsOver() throws InterruptedException {
    TurnGate gate = gate(true);
    var began = new CountDownLatch(2);
    Thread round =
        Thread.ofVirtual()
            .start(
                () -> {
                  for (int turn = 0; turn < 2; turn++) {
                    gate.begin();
                    began.countDown();
                    gate.end();
                  }
                });
    gate.give();
    gate.give();

    assertThat(began.await(30, TimeUnit.SECONDS)).isTrue();
    round.join();
    assertThat(said().lines()).containsExactly(TurnGate.TURN_OVER, TurnGate.TURN_OVER);
  }

  @Test
  void keepsAPairedRoundWithoutATurnWaiting() throws InterruptedException {
    TurnGate gate = gate(true);
    Thread round = Thread.ofVirtual().start(gate::begin);
    while (round.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    gate.give();
    round.join();

    assertThat(round.isAlive()).isFalse();
  }

  private TurnGate gate(boolean paired) {
    return new TurnGate(paired, new PrintStream(said, true, StandardCharsets.UTF_8));
  }

  private String said() {
    return said.toString(StandardCharsets.UTF_8);
  }
}
