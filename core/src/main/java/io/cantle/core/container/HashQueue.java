package io.cantle.core.container;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * A queue of hashes, first in, first out, in one array that grows and shrinks.
 *
 * <p><b>Threading:</b> guarded by the lock of the segment.
 */
final class HashQueue {
  /** A small minimum, since a cache has hundreds of segments. */
  private static final int MIN_LENGTH = 4;

  /** The length is a power of two. */
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
      resize(2 * size);
    }
    hashes[(head + size) & (hashes.length - 1)] = hash;
    size++;
  }

  /** The first hash; the queue must not be empty. */
  long peek() {
    return hashes[head];
  }

  /** Removes and returns the first hash; the queue must not be empty. */
  long poll() {
    long first = hashes[head];
    head = (head + 1) & (hashes.length - 1);
    size--;
    if (hashes.length > MIN_LENGTH && size < hashes.length / 4) {
      resize(hashes.length / 2);
    }
    return first;
  }

  /** Keeps the hashes that pass a test, in their order; the last one is tested first. */
  void retainFromLast(LongPredicate kept) {
    long[] retained = new long[size];
    int from = size;
    for (int i = size - 1; i >= 0; i--) {
      long hash = hashes[(head + i) & (hashes.length - 1)];
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
