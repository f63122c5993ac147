package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests when the thread for exhausted memory runs its action. */
@Timeout(30)
final class EmergencyThreadTest {
  private final EmergencyThread thread = new EmergencyThread("test-emergency");

  private void startAndAwaitRest() {
    thread.start();
    while (!EnumSet.of(Thread.State.WAITING, Thread.State.TERMINATED).contains(thread.getState())) {
      Thread.onSpinWait();
    }
  }

  @Test
  void raisedBeforeItHasAnActionItRunsTheActionOnceThereIsOne() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    thread.raise();
    startAndAwaitRest();
    thread.setAction(done::countDown);
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    thread.join();
  }

  @Test
  void endedWithoutAnActionItEnds() throws InterruptedException {
    thread.raise();
    startAndAwaitRest();
    thread.end();
    thread.join();
  }
}
