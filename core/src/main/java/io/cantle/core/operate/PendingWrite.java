package io.cantle.core.operate;

/**
 * One write among many.
 *
 * <p><b>Threading:</b> one thread, that which sends its message; before and after, the caller's.
 */
final class PendingWrite {
  final int segment;
  final BulkWrites.KeyWrite write;
  final Sequences sequences;

  /** 0 until there was room for it. */
  long sequence;

  boolean sent;
  boolean answered;

  PendingWrite(int segment, BulkWrites.KeyWrite write, Sequences sequences) {
    this.segment = segment;
    this.write = write;
    this.sequences = sequences;
  }

  /** Whether it waits for an answer. */
  boolean open() {
    return sequence != 0 && !answered;
  }

  void answered() {
    answered = true;
    sequences.end(sequence, 0);
  }

  void abandon() {
    if (open()) {
      sequences.end(sequence);
    }
  }
}
