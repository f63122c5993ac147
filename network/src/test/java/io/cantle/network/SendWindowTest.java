package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SendWindowTest {
  private static final int HALF = SendWindow.WINDOW_BYTES / 2;
  private static final long FOREVER = Long.MAX_VALUE;

  private final SendWindow window = new SendWindow();
  private final List<String> entered = new CopyOnWriteArrayList<>();

  private Thread enter(String name, int length) {
    int before = window.waitingCount();
    Thread sender =
        Thread.ofVirtual()
            .start(
                () -> {
                  window.enter(length, FOREVER);
                  entered.add(name);
                });
    while (window.waitingCount() == before) {
      Thread.onSpinWait();
    }
    return sender;
  }

  @Test
  void longMessageKeepsItsPlaceBeforeShortOnesThatCameLater() throws InterruptedException {
    window.enter(HALF, FOREVER);
    window.enter(HALF, FOREVER);
    Thread first = enter("long", SendWindow.WINDOW_BYTES);
    Thread second = enter("short", HALF);
    window.leave(HALF);
    assertThat(window.waitingCount()).as("half would do for the second").isEqualTo(2);
    window.leave(HALF);
    first.join();
    assertThat(entered).containsExactly("long");
    window.leave(SendWindow.WINDOW_BYTES);
    second.join();
    assertThat(entered).containsExactly("long", "short");
  }

  @Test
  void senderGivesUpWhenItsTimeIsOver() {
    window.enter(SendWindow.WINDOW_BYTES, FOREVER);
    assertThat(window.enter(1, 1)).isZero();
    assertThat(window.waitingCount()).isZero();
    window.leave(SendWindow.WINDOW_BYTES);
    assertThat(window.enter(1, 1)).isEqualTo(1);
  }
}
