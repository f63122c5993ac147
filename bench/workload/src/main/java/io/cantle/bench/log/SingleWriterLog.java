package io.cantle.bench.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The log of the 2013 mail with a single writer. Clients put records into a ring. The thread of the
 * log takes the present records, writes and syncs them, and advances a counter. The clients wait
 * for that counter: spinning on it, yielding between two reads of it, or by {@link Object#wait}.
 *
 * <p>A client's ticket is its position in the ring and the value of the counter it waits for. The
 * thread of the log waits for records as its clients wait for it, except that it yields where they
 * spin. With more clients than processors it would otherwise spin on the processor that the client
 * it waits for needs.
 *
 * <p><b>Threading:</b> any thread appends. Slots and counters are atomic; the file belongs to the
 * thread of the log until that has ended.
 */
@SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is what the mail compared.
final class SingleWriterLog implements LogUnderTest {
  private static final int SLOT_COUNT = 1 << 12;
  private static final long RECHECK_MILLIS = 1_000;

  private final LogFile file;
  private final WaitStrategy waitStrategy;
  private final int limit;
  private final AtomicReferenceArray<byte @Nullable []> slots =
      new AtomicReferenceArray<>(SLOT_COUNT);
  private final AtomicLong tickets = new AtomicLong();
  private final Object arrival = new Object();
  private final Object progress = new Object();
  private final Thread thread;
  private volatile long durable;
  private volatile long syncs;
  private volatile boolean closing;
  private volatile boolean ended;
  private volatile @Nullable Exception failure;

  /** How a client waits for its record to be durable. */
  enum WaitStrategy {
    /** It reads the counter again and again. */
    SPINNING,
    /** It yields its processor to others between two reads. */
    YIELDING,
    /** It sleeps until it is notified. */
    WAITING
  }

  /**
   * Creates a log on an empty file; its thread runs from now on.
   *
   * @param limit the most records between two syncs
   */
  SingleWriterLog(LogFile file, WaitStrategy waitStrategy, int limit) {
    if (limit > SLOT_COUNT) {
      throw new IllegalArgumentException("a limit of " + limit + " is above " + SLOT_COUNT);
    }
    this.file = file;
    this.waitStrategy = waitStrategy;
    this.limit = limit;
    thread = Thread.ofPlatform().name("log-writer").daemon().unstarted(this::run);
    thread.start();
  }

  @Override
  public void append(byte[] record) throws IOException, InterruptedException {
    if (closing) {
      throw new IOException("closed");
    }
    long ticket = tickets.getAndIncrement();
    awaitDurable(ticket - SLOT_COUNT);
    slots.set(slotOf(ticket), record);
    if (waitStrategy == WaitStrategy.WAITING) {
      synchronized (arrival) {
        arrival.notifyAll();
      }
    }
    awaitDurable(ticket);
  }

  private void awaitDurable(long ticket) throws IOException, InterruptedException {
    switch (waitStrategy) {
      case SPINNING -> {
        while (isOpen(ticket)) {
          Thread.onSpinWait();
        }
      }
      case YIELDING -> {
        while (isOpen(ticket)) {
          Thread.yield();
        }
      }
      case WAITING -> {
        if (isOpen(ticket)) {
          synchronized (progress) {
            while (isOpen(ticket)) {
              progress.wait(RECHECK_MILLIS);
            }
          }
        }
      }
    }
  }

  /** Returns whether a record is still to become durable. */
  private boolean isOpen(long ticket) throws IOException {
    if (durable > ticket) {
      return false;
    }
    // The counter was last advanced before the end, so a second read is enough.
    if (ended && durable <= ticket) {
      throw new IOException("the log has ended before this record was durable", failure);
    }
    return durable <= ticket;
  }

  private void run() {
    try {
      long first = 0;
      List<byte[]> batch = new ArrayList<>();
      while (takeBatch(first, batch)) {
        file.write(batch);
        file.sync();
        syncs = file.syncs();
        first += batch.size();
        durable = first;
        batch.clear();
        wakeClients();
      }
    } catch (IOException | InterruptedException | RuntimeException broken) {
      failure = broken;
    } finally {
      ended = true;
      wakeClients();
    }
  }

  /**
   * Takes the present records, and waits until there are some; returns false when there will be no
   * more.
   */
  private boolean takeBatch(long first, List<byte[]> batch) throws InterruptedException {
    while (slots.get(slotOf(first)) == null) {
      if (closing && tickets.get() == first) {
        return false;
      }
      if (waitStrategy == WaitStrategy.WAITING) {
        awaitArrival(first);
      } else {
        Thread.yield();
      }
    }
    while (batch.size() < limit) {
      byte @Nullable [] record = slots.getAndSet(slotOf(first + batch.size()), null);
      if (record == null) {
        break;
      }
      batch.add(record);
    }
    return true;
  }

  private void awaitArrival(long ticket) throws InterruptedException {
    synchronized (arrival) {
      while (slots.get(slotOf(ticket)) == null && !closing) {
        arrival.wait(RECHECK_MILLIS);
      }
    }
  }

  private void wakeClients() {
    if (waitStrategy == WaitStrategy.WAITING) {
      synchronized (progress) {
        progress.notifyAll();
      }
    }
  }

  private static int slotOf(long ticket) {
    return (int) (ticket & (SLOT_COUNT - 1));
  }

  @Override
  public long syncs() {
    return syncs;
  }

  @Override
  public void close() throws IOException {
    closing = true;
    synchronized (arrival) {
      arrival.notifyAll();
    }
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the log still wrote", interrupted);
    }
    file.close();
  }
}
