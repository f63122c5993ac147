package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SequenceLockTest {
  private final SequenceLock lock = new SequenceLock();
  private final AtomicInteger reads = new AtomicInteger();

  @Test
  void readsOnceWhileNothingChanges() {
    assertThat(lock.<Integer>read(maxSteps -> reads.incrementAndGet())).isEqualTo(1);
    change();
    assertThat(lock.<Integer>read(maxSteps -> reads.incrementAndGet())).isEqualTo(2);
  }

  @Test
  void readsAgainAfterAChange() {
    Integer found =
        lock.read(
            maxSteps -> {
              if (reads.incrementAndGet() < 3) {
                change();
              }
              return reads.get();
            });
    assertThat(found).isEqualTo(3);
  }

  @Test
  void readerThatAlwaysMeetsAChangeTakesTheLockAndEnds() {
    Integer found =
        lock.read(
            maxSteps -> {
              reads.incrementAndGet();
              if (maxSteps < Integer.MAX_VALUE) {
                change();
              }
              return maxSteps;
            });
    assertThat(found).isEqualTo(Integer.MAX_VALUE);
    assertThat(reads.get()).isBetween(2, 100);
  }

  @Test
  void whatALateReaderRunsIntoIsNoFailure() {
    String found =
        lock.read(
            maxSteps -> {
              if (reads.incrementAndGet() == 1) {
                change();
                throw new IndexOutOfBoundsException("what it reads is something else by now");
              }
              if (reads.get() == 2) {
                change();
                throw new IllegalStateException("already closed");
              }
              return "found";
            });
    assertThat(found).isEqualTo("found");
  }

  @Test
  void aReaderThatIsNotLateFailsLoudly() {
    assertThatThrownBy(
            () ->
                lock.read(
                    maxSteps -> {
                      throw new IllegalStateException("a bug");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a bug");
    // The lock is free again.
    change();
  }

  private void change() {
    lock.beginChange();
    lock.endChange();
  }
}
