package io.cantle.core.operate;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One write among many.
 *
 * <p><b>Threading:</b> one thread, that which sends its message; before and after, the caller's.
 */
final class PendingWrite {
  final BulkWrites.KeyWrite write;
  int segment;

  /** Where its sequence is from; null until there was room for it. */
  private @Nullable Sequences sequences;

  long sequence;

  /** The epoch it was sent in first; 0 before. */
  int begun;

  boolean sent;
  boolean answered;

  /** Whether nobody will ever know whether it was made. */
  boolean unknowable;

  PendingWrite(int segment, BulkWrites.KeyWrite write) {
    this.segment = segment;
    this.write = write;
  }

  /** Takes a sequence if there is room for it; false if there is none. */
  boolean tryBegin(Sequences from) {
    return begun(from, from.tryBegin(write.operation()));
  }

  /** Takes a sequence once there is room for it. */
  void begin(Sequences from, long deadlineNanos) {
    begun(from, from.begin(write.operation(), deadlineNanos));
  }

  private boolean begun(Sequences from, long taken) {
    if (taken != 0) {
      sequences = from;
      sequence = taken;
    }
    return taken != 0;
  }

  /** The lowest sequence without an answer beside this one. */
  long lowest() {
    return Objects.requireNonNull(sequences, "begun").lowest();
  }

  /** Whether it waits for an answer. */
  boolean open() {
    return sequences != null && !answered && !unknowable;
  }

  /** Whether it may have been made, and has no answer. */
  boolean doubtful() {
    return sent && !answered;
  }

  void answered() {
    Objects.requireNonNull(sequences, "begun").end(sequence, 0);
    answered = true;
  }

  /** Gives its sequence back. */
  void abandon() {
    Sequences from = sequences;
    if (from != null && !answered) {
      from.end(sequence);
      sequences = null;
      sequence = 0;
      begun = 0;
    }
  }
}
