package io.cantle.core.scan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Environment;
import io.cantle.core.memory.MemoryAccount;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reserves memory for the scans that this node runs. A scan reserves what an answer may take before
 * it sends the request, and releases it when the answer has been read. All scans together therefore
 * never hold more than the memory account allows, however many there are.
 *
 * <p>When memory is short, a scan that holds nothing waits in line; a scan that holds something
 * sends no more requests. The first scan in line is served first and then goes to the end of the
 * line, so scans take turns. While a scan waits, other scans whose reader has not come for {@link
 * #IDLE_NANOS} lose what they hold: it is dropped, and pulled again from its cursor when the reader
 * comes back. Abandoned iterators therefore hold nothing that another scan needs.
 *
 * <p>A scan whose reader has not come for {@link #LONG_IDLE_NANOS} loses what it holds although no
 * other scan waits: most probably it was forgotten.
 *
 * <p><b>Threading:</b> any thread. Under the monitor no scan is called except to be woken.
 */
public final class ScanBufferPool {
  /** A scan that has not been read for this long loses what it holds while others wait. */
  static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A scan that has not been read for this long loses what it holds in any case. */
  static final long LONG_IDLE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** A scan that holds memory reserves more only while at most 1/n of the account is reserved. */
  private static final int SPARE_DIVISOR = 2;

  /** An answer takes at most 1/n of the account, so that several scans can go on. */
  private static final int MAX_ANSWER_DIVISOR = 8;

  private final MemoryAccount account;
  private final Clock clock;
  private final Executor threads;

  /** The buffers that hold memory. */
  @GuardedBy("this")
  private final Set<ScanBuffer> activeBuffers = new LinkedHashSet<>();

  @GuardedBy("this")
  private final ArrayDeque<ScanBuffer> waitingBuffers = new ArrayDeque<>();

  @GuardedBy("this")
  private boolean retryScheduled;

  private volatile boolean sweeping;

  /** Creates a pool that takes its memory from an account. */
  public ScanBufferPool(MemoryAccount account, Environment environment) {
    this.account = account;
    this.clock = environment.clock();
    this.threads = environment.threads();
  }

  /** The length of an answer that leaves room for other scans. */
  int answerBytes(int maxBytes) {
    long share = account.limitBytes() / MAX_ANSWER_DIVISOR;
    return Math.clamp(share, PullClient.MIN_ANSWER_BYTES, maxBytes);
  }

  /** The number of scans that wait for memory. */
  synchronized int waitingCount() {
    return waitingBuffers.size();
  }

  @Override
  public String toString() {
    return account.toString();
  }

  /**
   * Opens the buffer of a scan.
   *
   * @param reclaim drops what can be requested again; returns false if the scan is being read at
   *     the moment
   * @param wake called when the memory it waited for is reserved; must not wait
   */
  ScanBuffer open(BooleanSupplier reclaim, Runnable wake) {
    return new ScanBuffer(reclaim, wake);
  }

  /** Reclaims what has not been read for long. Does not wait. To be called now and then. */
  public void sweep() {
    if (!sweeping && !idleBuffers(LONG_IDLE_NANOS).isEmpty()) {
      sweeping = true;
      threads.execute(
          () -> {
            try {
              idleBuffers(LONG_IDLE_NANOS).forEach(ScanBuffer::reclaim);
            } finally {
              sweeping = false;
            }
          });
    }
  }

  /** Serves waiting scans while there is memory. */
  @GuardedBy("this")
  @SuppressWarnings("GuardedBy") // The buffers in line are of this object; the checker cannot tell.
  private void grantWaiting() {
    for (ScanBuffer first; (first = waitingBuffers.peek()) != null; ) {
      if (!account.tryReserve(first.wantedBytes)) {
        return;
      }
      waitingBuffers.remove();
      first.grantedBytes += first.wantedBytes;
      first.wantedBytes = 0;
      activeBuffers.add(first);
      first.wake.run();
    }
  }

  /** Reclaims memory for waiting scans, and runs again later while there are any. */
  private void makeRoom() {
    for (ScanBuffer idle : idleBuffers(IDLE_NANOS)) {
      if (waitingCount() > 0) {
        idle.reclaim();
      }
    }
    synchronized (this) {
      if (waitingBuffers.isEmpty() || retryScheduled) {
        return;
      }
      retryScheduled = true;
    }
    clock.schedule(
        IDLE_NANOS,
        () -> {
          synchronized (this) {
            retryScheduled = false;
          }
          threads.execute(this::makeRoom);
        });
  }

  /** The buffers that have not been read for this long, the longest first. */
  private List<ScanBuffer> idleBuffers(long nanos) {
    List<ScanBuffer> all;
    synchronized (this) {
      all = List.copyOf(activeBuffers);
    }
    record IdleBuffer(ScanBuffer buffer, long nanos) {}
    long now = clock.nanoTime();
    return all.stream()
        .map(buffer -> new IdleBuffer(buffer, now - buffer.readNanos))
        .filter(one -> one.nanos >= nanos)
        .sorted(Comparator.comparingLong(IdleBuffer::nanos).reversed())
        .map(IdleBuffer::buffer)
        .toList();
  }

  /**
   * The memory that one scan has reserved.
   *
   * <p><b>Threading:</b> any thread.
   */
  final class ScanBuffer {
    private final BooleanSupplier reclaimAction;
    private final Runnable wake;

    /** What its requests in flight and its unread answers take. */
    @GuardedBy("ScanBufferPool.this")
    private long reservedBytes;

    /** What it waited for and was granted, and has not used yet. */
    @GuardedBy("ScanBufferPool.this")
    private long grantedBytes;

    @GuardedBy("ScanBufferPool.this")
    private long wantedBytes;

    @GuardedBy("ScanBufferPool.this")
    private boolean closed;

    /** When its reader last came. */
    private volatile long readNanos = clock.nanoTime();

    private ScanBuffer(BooleanSupplier reclaimAction, Runnable wake) {
      this.reclaimAction = reclaimAction;
      this.wake = wake;
    }

    /** Records that its reader came. */
    void read() {
      readNanos = clock.nanoTime();
    }

    /**
     * Reserves what a request may bring. If there is no memory and the scan holds nothing, it waits
     * in line and is woken later. Null if there is no memory now.
     */
    @Nullable Reservation reserve(long bytes) {
      boolean isFirst;
      synchronized (ScanBufferPool.this) {
        if (closed) {
          return null;
        }
        if (grantedBytes > 0) {
          long granted = grantedBytes;
          grantedBytes = 0;
          reservedBytes += bytes;
          // The scan may want another amount now than it waited for.
          account.reserve(bytes);
          releaseBytes(granted, 0);
          return new Reservation(bytes);
        }
        boolean has = reservedBytes > 0;
        if (waitingBuffers.isEmpty()
            && (!has || account.reservedBytes() + bytes <= account.limitBytes() / SPARE_DIVISOR)
            && account.tryReserve(bytes)) {
          reservedBytes += bytes;
          activeBuffers.add(this);
          return new Reservation(bytes);
        }
        if (has || wantedBytes > 0) {
          return null;
        }
        wantedBytes = bytes;
        isFirst = waitingBuffers.isEmpty();
        waitingBuffers.add(this);
      }
      if (isFirst) {
        makeRoom();
      }
      return null;
    }

    /** Adds memory of an answer that arrived for another scan, of which this one is the rest. */
    @SuppressWarnings("GuardedBy") // The other buffer is of this object; the checker cannot tell.
    Reservation add(Reservation other) {
      synchronized (ScanBufferPool.this) {
        Reservation added = new Reservation(other.bytes);
        if (!closed) {
          reservedBytes += added.bytes;
          account.reserve(added.bytes);
          activeBuffers.add(this);
        }
        return added;
      }
    }

    /**
     * The memory of one request: what its answer may take, and once it has arrived, what it takes.
     */
    final class Reservation {
      @GuardedBy("ScanBufferPool.this")
      private long bytes;

      private Reservation(long bytes) {
        this.bytes = bytes;
      }

      /** Changes it to the amount that is really needed, unless it is released. */
      void resize(long neededBytes) {
        synchronized (ScanBufferPool.this) {
          if (!closed && bytes > 0) {
            reservedBytes += neededBytes - bytes;
            account.reserve(neededBytes);
            releaseBytes(bytes, 0);
            bytes = neededBytes;
          }
        }
      }

      /** Releases memory that is no longer needed. */
      void release() {
        synchronized (ScanBufferPool.this) {
          if (!closed) {
            releaseBytes(bytes, bytes);
          }
          bytes = 0;
        }
      }
    }

    @GuardedBy("ScanBufferPool.this")
    private void releaseBytes(long bytes, long itsBytes) {
      reservedBytes -= itsBytes;
      if (reservedBytes == 0 && grantedBytes == 0) {
        activeBuffers.remove(this);
      }
      account.release(bytes);
      grantWaiting();
    }

    private void reclaim() {
      if (!reclaimAction.getAsBoolean()) {
        return;
      }
      // Also releases what was granted and not used: its reader has not come for that either.
      synchronized (ScanBufferPool.this) {
        long granted = grantedBytes;
        if (granted > 0) {
          grantedBytes = 0;
          releaseBytes(granted, 0);
        }
      }
    }

    /** Releases everything. */
    void close() {
      synchronized (ScanBufferPool.this) {
        if (!closed) {
          closed = true;
          waitingBuffers.remove(this);
          long all = reservedBytes + grantedBytes;
          grantedBytes = 0;
          releaseBytes(all, reservedBytes);
        }
      }
    }
  }
}
