package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.ManualClock;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.transport.ManualNetwork.SentMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Peers whose messages this node cannot read, because they speak another version. */
final class IncompatiblePeerTest {
  private final ManualClock clock = new ManualClock();
  private final ManualNetwork network = new ManualNetwork();
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final MessagingService messaging =
      new MessagingService(
          network.transport(a),
          TestEnvironment.of(clock, task -> {}, new Random(1)),
          new EventRecorder(new ArrayList<>()));

  /** Some of them have names and versions that no other has. */
  @Test
  void peersOfOtherVersionsAreLoggedOnceAMinute() {
    messaging.start();
    network.showView(a, a, b);
    List<String> lines = new ArrayList<>();
    Handler recorder =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(MessagingService.class.getName());
    logger.addHandler(recorder);
    try {
      byte[] message = ManualNetwork.bytes(MessageKind.HELLO, 0);
      for (int i = 0; i < 10_000; i++) {
        message[0] = (byte) (PeerVersions.HIGHEST + 1 + i % 50);
        Member from = ManualNetwork.member("peer" + i % 1_000);
        network.deliver(new SentMessage(from, a, message.clone()));
      }
      assertThat(lines).hasSize(1);
      assertThat(lines.getFirst())
          .contains("peer0 speaks message version " + (PeerVersions.HIGHEST + 1));
      assertThat(messaging.incompatiblePeer()).startsWith("peer999 speaks");

      clock.advance(RateLimitedLog.INTERVAL_NANOS);
      network.deliver(new SentMessage(b, a, message));
      assertThat(lines).hasSize(2);
      assertThat(lines.getLast()).contains("b speaks message version", "9999 more");
    } finally {
      logger.removeHandler(recorder);
    }
  }

  /** With and without a timestamp, which is flagged in the same byte. */
  @Test
  void peerOfAnotherVersionIsReported() {
    messaging.start();
    network.showView(a, a, b);
    byte[] older = ManualNetwork.bytes(MessageKind.HELLO, 0);
    network.deliver(new SentMessage(b, a, older));
    assertThat(messaging.incompatiblePeer()).isNull();

    for (int stamped : new int[] {0, 0x80}) {
      older[0] = (byte) (stamped | (PeerVersions.HIGHEST - 1));
      network.deliver(new SentMessage(b, a, older));
      assertThat(messaging.incompatiblePeer())
          .isEqualTo(
              "b speaks message version "
                  + (PeerVersions.HIGHEST - 1)
                  + ", this node "
                  + PeerVersions.HIGHEST);
    }
  }
}
