package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One write of a bulk write.
 *
 * <p><b>Threading:</b> one thread, the one that sends its message; before and after, the caller's.
 */
final class PendingBulkWrite {
  final BulkWriteClient.KeyWrite write;
  int segment;

  /** The sequencer that gave the sequence; null until there was room. */
  private @Nullable CommandSequencer sequencer;

  long sequence;

  /** The epoch in which it was last sent; 0 before. */
  private int sentEpoch;

  /** The first epoch in which it was sent, ignoring attempts known to be refused; 0 before. */
  private int firstEpoch;

  /** How often it was sent. */
  private int attempt;

  /** Whether the last attempt has no effect, and never will have one. */
  private boolean refused;

  /** Whether an attempt before the last one may have an effect. */
  private boolean earlierDoubtful;

  boolean sent;
  boolean answered;

  /** Whether it can never be known whether the write was made. */
  boolean unknowable;

  PendingBulkWrite(BulkWriteClient.KeyWrite write) {
    this.write = write;
  }

  ByteSlice key() {
    return ByteSlice.of(write.key());
  }

  /** Takes a sequence if there is room for it; returns false if there is none. */
  boolean tryBegin(CommandSequencer from) {
    return setSequence(from, from.tryBegin(write.operation()));
  }

  /** Takes a sequence once there is room for it. */
  void begin(CommandSequencer from, long deadlineNanos) {
    setSequence(from, from.begin(write.operation(), deadlineNanos));
  }

  private boolean setSequence(CommandSequencer from, long newSequence) {
    if (newSequence != 0) {
      sequencer = from;
      sequence = newSequence;
    }
    return newSequence != 0;
  }

  /** Makes a message of it, which is sent now. */
  BulkWriteItem toItem(int epoch) {
    earlierDoubtful = isDoubtful();
    sent = true;
    refused = false;
    attempt++;
    sentEpoch = epoch;
    firstEpoch = earlierDoubtful ? firstEpoch : epoch;
    long lowest =
        Objects.requireNonNull(sequencer, "the write has no sequence yet").lowestUnanswered();
    return new BulkWriteItem(
        segment, epoch, firstEpoch, attempt, sequence, lowest, key(), write.operation());
  }

  /** Whether it waits for an answer. */
  boolean isOpen() {
    return sequencer != null && !answered && !unknowable;
  }

  /** Whether it may have been made, and has no answer. */
  boolean isDoubtful() {
    return sent && !answered && (earlierDoubtful || !refused);
  }

  /** Notes that the last attempt has no effect. */
  void markRefused() {
    refused = true;
  }

  /** Notes that the last attempt has no effect, because there is no room. */
  void markWithoutRoom() {
    refused = true;
    // A primary without room looks the write up first: no attempt of its epoch was executed.
    earlierDoubtful &= firstEpoch != sentEpoch;
  }

  void markAnswered() {
    Objects.requireNonNull(sequencer, "the write has no sequence yet").end(sequence, 0);
    answered = true;
  }

  /** Gives its sequence back. */
  void abandon() {
    CommandSequencer from = sequencer;
    if (from != null && !answered) {
      from.end(sequence, -1);
      sequencer = null;
      sequence = 0;
      firstEpoch = 0;
    }
  }
}
