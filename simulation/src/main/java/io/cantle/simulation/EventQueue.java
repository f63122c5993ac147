package io.cantle.simulation;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A queue of events in the order of their times; events of the same time keep the order in which
 * they were scheduled.
 *
 * <p>It is a heap with four children per node. The times lie in an array beside the events, so most
 * comparisons touch one array only. Most timeouts are cancelled long before they are due; once
 * cancelled events are more than half of all, they are swept out.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class EventQueue {
  private static final int MIN_SWEPT_EVENTS = 256;

  private long[] times = new long[64];
  private @Nullable ScheduledEvent[] events = new ScheduledEvent[64];
  private int size;
  private int cancelled;

  /** Adds an event. */
  void add(ScheduledEvent event) {
    if (size == times.length) {
      times = Arrays.copyOf(times, size * 2);
      events = Arrays.copyOf(events, size * 2);
    }
    siftUp(size++, event);
  }

  /** Removes and returns the next event, or returns null if there is none. */
  @Nullable ScheduledEvent poll() {
    if (size == 0) {
      return null;
    }
    ScheduledEvent first = events[0];
    ScheduledEvent last = events[--size];
    events[size] = null;
    if (size > 0 && last != null) {
      siftDown(0, last);
    }
    if (first != null && first.cancelled()) {
      cancelled--;
    }
    return first;
  }

  /** Counts an event of the queue that was cancelled. */
  void onCancelled() {
    if (++cancelled > size / 2 && size > MIN_SWEPT_EVENTS) {
      sweep();
    }
  }

  private void sweep() {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      ScheduledEvent event = events[i];
      if (event != null && !event.cancelled()) {
        events[kept++] = event;
      }
    }
    Arrays.fill(events, kept, size, null);
    size = kept;
    cancelled = 0;
    for (int i = 0; i < size; i++) {
      ScheduledEvent event = events[i];
      if (event != null) {
        siftUp(i, event);
      }
    }
  }

  private void siftUp(int from, ScheduledEvent event) {
    int place = from;
    long time = event.timeNanos();
    while (place > 0) {
      int parent = (place - 1) >>> 2;
      if (!isEarlier(event, time, parent)) {
        break;
      }
      times[place] = times[parent];
      events[place] = events[parent];
      place = parent;
    }
    times[place] = time;
    events[place] = event;
  }

  private void siftDown(int from, ScheduledEvent event) {
    int place = from;
    long time = event.timeNanos();
    while (true) {
      int least = place * 4 + 1;
      if (least >= size) {
        break;
      }
      int end = Math.min(least + 4, size);
      for (int child = least + 1; child < end; child++) {
        ScheduledEvent other = events[child];
        if (other != null && isEarlier(other, times[child], least)) {
          least = child;
        }
      }
      if (isEarlier(event, time, least)) {
        break;
      }
      times[place] = times[least];
      events[place] = events[least];
      place = least;
    }
    times[place] = time;
    events[place] = event;
  }

  private boolean isEarlier(ScheduledEvent event, long time, int place) {
    if (time != times[place]) {
      return time < times[place];
    }
    ScheduledEvent other = events[place];
    return other != null && event.sequence() < other.sequence();
  }
}
