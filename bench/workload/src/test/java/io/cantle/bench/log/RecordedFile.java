package io.cantle.bench.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A file in memory that knows which records a sync has made durable.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RecordedFile implements LogFile {
  private static final int SYNC_SPINS = 5_000;

  private final List<Long> written = new ArrayList<>();
  private final Set<Long> durable = new HashSet<>();
  private final List<Integer> batches = new ArrayList<>();
  private long syncs;
  private boolean closed;
  private boolean syncFails;
  private boolean busy;

  /** Returns the record of a number. */
  static byte[] record(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  @Override
  public void write(List<byte[]> records) throws IOException {
    enter();
    synchronized (this) {
      batches.add(records.size());
      records.forEach(record -> written.add(ByteBuffer.wrap(record).getLong()));
    }
    leave();
  }

  @Override
  public void sync() throws IOException {
    enter();
    // A disk takes time, in which the test sees a log that answers too early.
    for (int spins = 0; spins < SYNC_SPINS; spins++) {
      Thread.onSpinWait();
    }
    synchronized (this) {
      busy = false;
      if (syncFails) {
        throw new IOException("the disk is broken");
      }
      syncs++;
      durable.addAll(written);
    }
  }

  /** Checks that no log uses its file twice at a time. */
  private synchronized void enter() throws IOException {
    if (busy || closed) {
      throw new IOException(closed ? "closed" : "two threads in one file");
    }
    busy = true;
  }

  private synchronized void leave() {
    busy = false;
  }

  /** From now on every sync fails. */
  synchronized void breakSyncs() {
    syncFails = true;
  }

  /** Returns whether the record of a number is durable. */
  synchronized boolean isDurable(long number) {
    return durable.contains(number);
  }

  /** Returns the numbers of all records, in the order of the file. */
  synchronized List<Long> written() {
    return List.copyOf(written);
  }

  /** Returns how many records each write had. */
  synchronized List<Integer> batches() {
    return List.copyOf(batches);
  }

  synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public synchronized long syncs() {
    return syncs;
  }

  @Override
  public synchronized void close() {
    closed = true;
  }
}
