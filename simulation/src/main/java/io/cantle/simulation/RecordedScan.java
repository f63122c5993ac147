package io.cantle.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * An iteration or stream over all entries, as its client saw it.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class RecordedScan {
  /** The value of a delivery that reported only the key. */
  static final long NOT_REPORTED = -1;

  private final String client;
  private final Kind kind;
  private final CallHistory history;
  private final long began;
  private final List<Delivery> deliveries = new ArrayList<>();
  private long ended;
  private boolean complete;

  /** The ways to iterate over all entries. */
  enum Kind {
    /** {@code entrySet().iterator()}. */
    ENTRIES,
    /** {@code keySet().iterator()}. */
    KEYS,
    /** {@code values().iterator()}. */
    VALUES,
    /** {@code entrySet().stream()}, collected into a list on the owners. */
    COLLECTED,
    /** {@code keySet().stream()}, reduced on the owners. */
    REDUCED
  }

  /** One delivered entry: when, and with which value or {@link #NOT_REPORTED}. */
  record Delivery(int key, long value, long moment) {}

  RecordedScan(String client, Kind kind, CallHistory history) {
    this.client = client;
    this.kind = kind;
    this.history = history;
    this.began = history.moment();
  }

  String client() {
    return client;
  }

  Kind kind() {
    return kind;
  }

  /** Records that an entry is delivered now. */
  void recordDelivery(int key, long value) {
    deliveries.add(new Delivery(key, value, history.moment()));
  }

  /** Records the normal end: everything was delivered. */
  void markComplete() {
    ended = history.moment();
    complete = true;
  }

  long began() {
    return began;
  }

  long ended() {
    return ended;
  }

  boolean isComplete() {
    return complete;
  }

  List<Delivery> deliveries() {
    return deliveries;
  }

  @Override
  public String toString() {
    return kind + " of " + client + " from " + began + (complete ? " to " + ended : ", unfinished");
  }
}
