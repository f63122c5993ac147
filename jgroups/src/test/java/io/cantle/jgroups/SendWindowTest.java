package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SendWindowTest {
  private static final int HALF = SendWindow.WINDOW_BYTES / 2;
  private static final long FOREVER = Long.MAX_VALUE;

  /** So short that a waiting sender checks its member many times during a test. */
  private static final long CHECK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final SendWindow window = new SendWindow(CHECK_NANOS);
  private final List<String> entered = new CopyOnWriteArrayList<>();
  private final AtomicInteger checks = new AtomicInteger();

  private Thread enter(String name, int length) {
    int before = window.waitingCount();
    Thread sender =
        Thread.ofVirtual()
            .start(
                () -> {
                  window.enter(length, FOREVER, () -> checks.incrementAndGet() < 0);
                  entered.add(name);
                });
    while (window.waitingCount() == before) {
      Thread.onSpinWait();
    }
    return sender;
  }

  /** Waits until the waiting senders have checked their member a few times. */
  private void awaitChecks() {
    int enough = checks.get() + 20;
    while (checks.get() < enough) {
      Thread.onSpinWait();
    }
  }

  @Test
  void longMessageKeepsItsPlaceBeforeShortOnesThatCameLater() throws InterruptedException {
    window.enter(HALF, FOREVER, () -> false);
    window.enter(HALF, FOREVER, () -> false);
    Thread first = enter("long", SendWindow.WINDOW_BYTES);
    Thread second = enter("short", HALF);
    for (int released = 0; released < 2; released++) {
      awaitChecks();
      window.leave(HALF);
    }
    first.join();
    assertThat(entered).containsExactly("long");
    window.leave(SendWindow.WINDOW_BYTES);
    second.join();
    assertThat(entered).containsExactly("long", "short");
  }

  @Test
  void senderGivesUpWhenItsTimeIsOverOrTheMemberCannotReceive() {
    window.enter(SendWindow.WINDOW_BYTES, FOREVER, () -> false);
    assertThat(window.enter(1, 1, () -> false)).isZero();
    assertThat(window.enter(1, FOREVER, () -> true)).isZero();
    assertThat(window.waitingCount()).isZero();
    window.leave(SendWindow.WINDOW_BYTES);
    assertThat(window.enter(1, 1, () -> false)).isEqualTo(1);
  }
}
