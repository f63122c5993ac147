package io.cantle.simulation;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Events in the order of their times, those of the same time in the order they were scheduled.
 *
 * <p>A heap with four children to a place, and the times beside the events, so that most
 * comparisons touch one array only. Most timeouts are called off long before they are due; once
 * they are more than half of all, they are swept out.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class EventQueue {
  private static final int FEWEST_SWEPT = 256;

  private long[] times = new long[64];
  private @Nullable Event[] events = new Event[64];
  private int size;
  private int cancelled;

  /** Adds an event. */
  void add(Event event) {
    if (size == times.length) {
      times = Arrays.copyOf(times, size * 2);
      events = Arrays.copyOf(events, size * 2);
    }
    rise(size++, event);
  }

  /** Takes the next event out, or null when there is none. */
  @Nullable Event poll() {
    if (size == 0) {
      return null;
    }
    Event first = events[0];
    Event last = events[--size];
    events[size] = null;
    if (size > 0 && last != null) {
      sink(0, last);
    }
    if (first != null && first.cancelled()) {
      cancelled--;
    }
    return first;
  }

  /** An event of the queue was called off. */
  void cancelledOne() {
    if (++cancelled > size / 2 && size > FEWEST_SWEPT) {
      sweep();
    }
  }

  private void sweep() {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      Event event = events[i];
      if (event != null && !event.cancelled()) {
        events[kept++] = event;
      }
    }
    Arrays.fill(events, kept, size, null);
    size = kept;
    cancelled = 0;
    for (int i = 0; i < size; i++) {
      Event event = events[i];
      if (event != null) {
        rise(i, event);
      }
    }
  }

  private void rise(int from, Event event) {
    int place = from;
    long time = event.timeNanos();
    while (place > 0) {
      int parent = (place - 1) >>> 2;
      if (!earlier(event, time, parent)) {
        break;
      }
      times[place] = times[parent];
      events[place] = events[parent];
      place = parent;
    }
    times[place] = time;
    events[place] = event;
  }

  private void sink(int from, Event event) {
    int place = from;
    long time = event.timeNanos();
    while (true) {
      int least = place * 4 + 1;
      if (least >= size) {
        break;
      }
      int end = Math.min(least + 4, size);
      for (int child = least + 1; child < end; child++) {
        Event other = events[child];
        if (other != null && earlier(other, times[child], least)) {
          least = child;
        }
      }
      if (earlier(event, time, least)) {
        break;
      }
      times[place] = times[least];
      events[place] = events[least];
      place = least;
    }
    times[place] = time;
    events[place] = event;
  }

  private boolean earlier(Event event, long time, int place) {
    if (time != times[place]) {
      return time < times[place];
    }
    Event other = events[place];
    return other != null && event.sequence() < other.sequence();
  }
}
