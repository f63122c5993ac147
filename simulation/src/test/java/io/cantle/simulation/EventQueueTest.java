package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class EventQueueTest {
  private final SplittableRandom random = new SplittableRandom(4);
  private final EventQueue queue = new EventQueue();

  @Test
  void eventsComeInTimeThenScheduleOrderDespiteCancellation() {
    List<ScheduledEvent> expected = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      ScheduledEvent event = new ScheduledEvent(queue, random.nextInt(500), i, null, () -> {});
      queue.add(event);
      expected.add(event);
    }
    for (ScheduledEvent event : List.copyOf(expected)) {
      if (random.nextInt(5) > 0) {
        event.cancel();
        event.cancel();
        expected.remove(event);
      }
    }
    expected.sort(
        Comparator.comparingLong(ScheduledEvent::timeNanos)
            .thenComparingLong(ScheduledEvent::sequence));
    List<ScheduledEvent> came = new ArrayList<>();
    for (ScheduledEvent event = queue.poll(); event != null; event = queue.poll()) {
      if (event.isLive()) {
        came.add(event);
      }
    }
    assertThat(came).isEqualTo(expected);
  }

  @Test
  void interleavedAddAndPollKeepsOrder() {
    long last = 0;
    long sequence = 0;
    for (int i = 0; i < 20_000; i++) {
      ScheduledEvent event =
          new ScheduledEvent(queue, last + random.nextInt(1_000), sequence++, null, () -> {});
      queue.add(event);
      if (random.nextInt(3) == 0) {
        event.cancel();
      }
      if (random.nextInt(2) == 0) {
        ScheduledEvent next = queue.poll();
        Objects.requireNonNull(next);
        assertThat(next.timeNanos()).isGreaterThanOrEqualTo(last);
        last = next.timeNanos();
      }
    }
  }
}
