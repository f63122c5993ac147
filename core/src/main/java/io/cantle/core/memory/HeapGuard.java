package io.cantle.core.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Says whether a heap has room for more entries, so that writes are refused before memory runs out.
 * A heap has one guard, which all nodes of the process share.
 *
 * <p><b>Estimate.</b> What is in use at a moment says nothing, since most of it may be garbage. So
 * the guard adds up what is certainly alive: the bytes of entries and of reservations, which are
 * known at any time, and everything else, which is what a collection has left beyond these. A
 * collection leaves some garbage too, so the least of the last few counts.
 *
 * <p><b>Full.</b> The heap is full when the estimate exceeds seven eighths of it. The rest is for
 * the collector and for what is under way. It has room again when a little less is in use, so that
 * it does not change with every write.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class HeapGuard {
  /** The guard of a heap without a limit. */
  public static final HeapGuard UNLIMITED = new HeapGuard(HeapGauge.UNLIMITED);

  /** The part of the heap that entries never take. */
  private static final int RESERVE_DIVISOR = 8;

  /** The part of the heap that must be free beside the reserve until it is no longer full. */
  private static final int SLACK_DIVISOR = 64;

  /** The part of the heap by which entries may grow before the gauge is read again. */
  private static final int STEP_DIVISOR = 256;

  /** How many collections are compared. */
  private static final int MAX_READINGS = 8;

  private final HeapGauge gauge;
  private final long limitBytes;
  private final long resumeBytes;
  private final long stepBytes;
  private final AtomicLong entryBytes = new AtomicLong();
  private final List<WorkMemory> reservations = new CopyOnWriteArrayList<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final LongAdder refusals = new LongAdder();

  /** What is alive beside entries, when the gauge was read last. */
  private volatile long otherBytes;

  /** The bytes of the entries at that time. */
  private volatile long polledEntryBytes;

  private volatile boolean full;

  @GuardedBy("this")
  private final long[] readings = new long[MAX_READINGS];

  @GuardedBy("this")
  private int readingCount;

  @GuardedBy("this")
  private int nextReading;

  @GuardedBy("this")
  private long polledHeldBytes;

  /** Creates the guard of a heap. */
  public HeapGuard(HeapGauge gauge) {
    this.gauge = gauge;
    long maxBytes = gauge.maxBytes();
    this.limitBytes = maxBytes - maxBytes / RESERVE_DIVISOR;
    this.resumeBytes = limitBytes - maxBytes / SLACK_DIVISOR;
    this.stepBytes = maxBytes / STEP_DIVISOR;
  }

  /** Whether the heap can be full at all. */
  public boolean isLimited() {
    return gauge.maxBytes() < Long.MAX_VALUE;
  }

  /** Counts entries that take more bytes than before, or fewer. */
  public void onEntriesChange(long bytes) {
    long entries = entryBytes.addAndGet(bytes);
    if (Math.abs(entries - polledEntryBytes) > stepBytes) {
      poll();
    }
  }

  /**
   * Adds what is called when the heap is full, and when it has room again. It is called by whoever
   * finds out, perhaps with a lock, so it must be short and must not wait.
   */
  public void addListener(Runnable listener) {
    listeners.add(listener);
  }

  /** Calls a listener no longer. */
  public void removeListener(Runnable listener) {
    listeners.remove(listener);
  }

  /** Counts what the work of a node has reserved too, from now on. */
  public void addReservations(WorkMemory memory) {
    reservations.add(memory);
  }

  /** Counts the reservations of a node no longer. */
  public void removeReservations(WorkMemory memory) {
    reservations.remove(memory);
  }

  /** The bytes of entries. */
  public long entryBytes() {
    return entryBytes.get();
  }

  /** How many bytes are alive, as far as known. */
  public long usedBytes() {
    return entryBytes.get() + otherBytes;
  }

  /** How many bytes may be alive. */
  public long limitBytes() {
    return limitBytes;
  }

  /** How many bytes must be free, below the limit, until a full heap has room again. */
  public long slackBytes() {
    return limitBytes - resumeBytes;
  }

  /** Whether the heap is full. */
  public boolean isFull() {
    return full;
  }

  /** How many writes were refused. */
  public long refusalCount() {
    return refusals.sum();
  }

  /** Counts a refused write. */
  public void countRefusal() {
    refusals.increment();
  }

  /** Whether there is room for entries that take so many more bytes. */
  public boolean hasRoom(long moreBytes) {
    if (fits(moreBytes)) {
      return true;
    }
    // A collection may have made room since.
    poll();
    return fits(moreBytes);
  }

  private boolean fits(long moreBytes) {
    return !full && usedBytes() + moreBytes <= limitBytes;
  }

  /** Reads the gauge, and finds out whether the heap is full. */
  public void poll() {
    boolean changed;
    synchronized (this) {
      long entries = entryBytes.get();
      long reserved = 0;
      for (WorkMemory reservation : reservations) {
        reserved += reservation.reservedBytes();
      }
      long held = entries + reserved;
      HeapGauge.Reading reading = gauge.pollReading();
      if (reading != null) {
        // The collection may have been at any time since the last call.
        add(reading, Math.min(held, polledHeldBytes));
      }
      polledHeldBytes = held;
      otherBytes = reserved + leastReading();
      polledEntryBytes = entries;
      changed = full ? usedBytes() <= resumeBytes : usedBytes() > limitBytes;
      if (changed) {
        full = !full;
      }
    }
    if (changed) {
      listeners.forEach(Runnable::run);
    }
  }

  @GuardedBy("this")
  private void add(HeapGauge.Reading reading, long heldBytes) {
    if (reading.isComplete()) {
      readingCount = 0;
      nextReading = 0;
    }
    readings[nextReading] = Math.max(0, reading.usedBytes() - heldBytes);
    nextReading = (nextReading + 1) % MAX_READINGS;
    readingCount = Math.min(readingCount + 1, MAX_READINGS);
  }

  @GuardedBy("this")
  private long leastReading() {
    long least = readingCount == 0 ? 0 : Long.MAX_VALUE;
    for (int i = 0; i < readingCount; i++) {
      least = Math.min(least, readings[i]);
    }
    return least;
  }
}
