package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.StoreException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests the waits for writes that do not end, or failed. */
class StoreWriteTest {
  private final StoreWrite write = new StoreWrite(new StoreOpenMeasurement.RealClock());

  @Test
  void waitTimesOutWhileTheWriteHasNotEnded() {
    assertThatThrownBy(() -> write.await(Duration.ofMillis(20).toNanos()))
        .isInstanceOf(StoreException.TimedOut.class)
        .hasMessageContaining("not in the store after 20 ms");
  }

  @Test
  void interruptEndsTheWait() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> write.await(Duration.ofSeconds(20).toNanos()))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void waitFailsWithTheCauseOfTheWrite() {
    write.complete(new IllegalStateException("the disk is gone"));
    assertThatThrownBy(() -> write.await(0))
        .isInstanceOf(StoreException.Failed.class)
        .hasMessageContaining("the disk is gone");
  }
}
