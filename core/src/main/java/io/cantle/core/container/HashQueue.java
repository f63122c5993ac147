package io.cantle.core.container;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * A queue of hashes, first in, first out, in one array that grows and shrinks in small steps.
 *
 * <p><b>Threading:</b> guarded by the lock of the segment.
 */
final class HashQueue {
  /** A small minimum, since a cache has hundreds of segments. */
  private static final int MIN_LENGTH = 4;

  private long[] hashes = new long[MIN_LENGTH];

  private int head;
  private int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Adds a hash as the last one. */
  void add(long hash) {
    if (size == hashes.length) {
      resize(lengthFor(size));
    }
    hashes[wrap(head + size)] = hash;
    size++;
  }

  /** The first hash; the queue must not be empty. */
  long peek() {
    return hashes[head];
  }

  /** Removes and returns the first hash; the queue must not be empty. */
  long poll() {
    long first = hashes[head];
    head = wrap(head + 1);
    size--;
    if (hashes.length > MIN_LENGTH && size < hashes.length / 2) {
      resize(lengthFor(size));
    }
    return first;
  }

  /** Keeps the hashes that pass a test, in their order; the last one is tested first. */
  void retainFromLast(LongPredicate kept) {
    long[] retained = new long[size];
    int from = size;
    for (int i = size - 1; i >= 0; i--) {
      long hash = hashes[wrap(head + i)];
      if (kept.test(hash)) {
        retained[--from] = hash;
      }
    }
    clear();
    for (int i = from; i < retained.length; i++) {
      add(retained[i]);
    }
  }

  void clear() {
    hashes = new long[MIN_LENGTH];
    head = 0;
    size = 0;
  }

  /** The memory that the queue takes beyond that of an empty one. */
  long sizeBytes() {
    return (long) (hashes.length - MIN_LENGTH) * Long.BYTES;
  }

  private static int lengthFor(int size) {
    return size + Math.max(MIN_LENGTH, size / 4);
  }

  private int wrap(int place) {
    return place < hashes.length ? place : place - hashes.length;
  }

  private void resize(int length) {
    long[] resized = Arrays.copyOfRange(hashes, head, head + length);
    int wrapped = hashes.length - head;
    if (size > wrapped) {
      System.arraycopy(hashes, 0, resized, wrapped, size - wrapped);
    }
    hashes = resized;
    head = 0;
  }
}
