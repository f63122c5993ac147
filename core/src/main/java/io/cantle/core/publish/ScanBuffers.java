package io.cantle.core.publish;

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
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory of this node's own scans: a scan reserves what an answer may take before it asks for
 * it, and gives it back when the answer has been read. So all scans together never hold more than
 * the account has, however many there are.
 *
 * <p>Without room a scan that has nothing to go on with waits in line; one that has does not ask
 * for more. Whoever is first in line is served first, and then stands at the end again, so that
 * scans take turns. While somebody waits, what a scan holds whose reader has not come for {@link
 * #IDLE_NANOS} is reclaimed: it is dropped, and asked for again from its cursor when the reader
 * comes back. So iterators that were abandoned hold nothing that another one needs.
 *
 * <p>Whose reader has not come for {@link #LONG_IDLE_NANOS} loses what it holds though nobody
 * waits: most probably it was forgotten.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock, under which no scan is called but to be
 * woken.
 */
public final class ScanBuffers {
  /** How long a scan must not have been read before it loses what others wait for. */
  static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How long a scan must not have been read before it loses what it holds anyway. */
  static final long LONG_IDLE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** A scan asks several owners at a time only while so much of the account is left. */
  private static final int SPARE_PARTS = 2;

  /** An answer takes at most such a part of the account, so that several scans can go on. */
  private static final int ANSWERS = 8;

  /** A scan as it is seen from here. */
  interface Holder {
    /** Gives back what can be asked for again; false if it is being read at the moment. */
    boolean reclaim();

    /** What it waited for is reserved; must not wait. */
    void granted();
  }

  private final MemoryAccount account;
  private final Clock clock;
  private final Executor threads;
  private final ReentrantLock lock = new ReentrantLock();

  /** All that hold something. */
  private final Set<ScanBuffer> activeBuffers = new LinkedHashSet<>();

  private final ArrayDeque<ScanBuffer> waitingBuffers = new ArrayDeque<>();
  private boolean looksAgain;
  private volatile boolean sweeping;

  /** Buffers that take what an account has. */
  public ScanBuffers(MemoryAccount account, Environment environment) {
    this.account = account;
    this.clock = environment.clock();
    this.threads = environment.threads();
  }

  /** How long an answer may be so that others have room beside it. */
  int answerBytes(int mostBytes, int leastBytes) {
    return Math.clamp(account.limitBytes() / ANSWERS, leastBytes, mostBytes);
  }

  /** How many scans wait for memory. */
  int waiting() {
    lock.lock();
    try {
      return waitingBuffers.size();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return account.toString();
  }

  /** A buffer of a scan. */
  ScanBuffer open(Holder holder) {
    return new ScanBuffer(holder);
  }

  /** Has what nobody has read for long reclaimed; does not wait. To be called now and then. */
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

  /** Serves those in line as long as there is room. Called with the lock held. */
  private void grantWaiting() {
    for (ScanBuffer first; (first = waitingBuffers.peek()) != null; ) {
      if (!account.tryReserve(first.wantedBytes)) {
        return;
      }
      waitingBuffers.remove();
      first.grantedBytes += first.wantedBytes;
      first.wantedBytes = 0;
      activeBuffers.add(first);
      first.holder.granted();
    }
  }

  /** Makes room for those in line; looks again later while there are any. */
  private void makeRoom() {
    for (ScanBuffer idle : idleBuffers(IDLE_NANOS)) {
      if (waiting() > 0) {
        idle.reclaim();
      }
    }
    lock.lock();
    try {
      if (waitingBuffers.isEmpty() || looksAgain) {
        return;
      }
      looksAgain = true;
    } finally {
      lock.unlock();
    }
    clock.schedule(
        IDLE_NANOS,
        () -> {
          lock.lock();
          try {
            looksAgain = false;
          } finally {
            lock.unlock();
          }
          threads.execute(this::makeRoom);
        });
  }

  /** Those whose readers have not come for so long, the longest first. */
  private List<ScanBuffer> idleBuffers(long nanos) {
    List<ScanBuffer> all;
    lock.lock();
    try {
      all = List.copyOf(activeBuffers);
    } finally {
      lock.unlock();
    }
    record Idle(ScanBuffer buffer, long nanos) {}
    long now = clock.nanoTime();
    return all.stream()
        .map(buffer -> new Idle(buffer, now - buffer.readNanos))
        .filter(one -> one.nanos >= nanos)
        .sorted(Comparator.comparingLong(Idle::nanos).reversed())
        .map(Idle::buffer)
        .toList();
  }

  /**
   * What one scan has reserved.
   *
   * <p><b>Threading:</b> any thread; guarded by the lock of all buffers.
   */
  final class ScanBuffer {
    private final Holder holder;

    /** What was asked for or has come. */
    private long reservedBytes;

    /** What it waited for, and has not used yet. */
    private long grantedBytes;

    private long wantedBytes;
    private boolean closed;

    /** When its reader was last seen. */
    private volatile long readNanos = clock.nanoTime();

    private ScanBuffer(Holder holder) {
      this.holder = holder;
    }

    /** Its reader was here. */
    void read() {
      readNanos = clock.nanoTime();
    }

    /**
     * Reserves what a request may bring. If there is no room and the scan has nothing to go on
     * with, it waits in line and is woken.
     */
    boolean reserve(long bytes) {
      boolean isFirst;
      lock.lock();
      try {
        if (closed) {
          return false;
        }
        if (grantedBytes > 0) {
          long granted = grantedBytes;
          grantedBytes = 0;
          reservedBytes += bytes;
          // What it wants now may be another amount than what it waited for.
          account.reserve(bytes);
          release(granted, 0);
          return true;
        }
        boolean has = reservedBytes > 0;
        if (waitingBuffers.isEmpty()
            && (!has || account.reservedBytes() + bytes <= account.limitBytes() / SPARE_PARTS)
            && account.tryReserve(bytes)) {
          reservedBytes += bytes;
          activeBuffers.add(this);
          return true;
        }
        if (has || wantedBytes > 0) {
          return false;
        }
        wantedBytes = bytes;
        isFirst = waitingBuffers.isEmpty();
        waitingBuffers.add(this);
      } finally {
        lock.unlock();
      }
      if (isFirst) {
        makeRoom();
      }
      return false;
    }

    /** What had been reserved turned out to take another amount. */
    void resize(long fromBytes, long toBytes) {
      lock.lock();
      try {
        if (!closed) {
          reservedBytes += toBytes - fromBytes;
          account.reserve(toBytes);
          release(fromBytes, 0);
        }
      } finally {
        lock.unlock();
      }
    }

    /** What has come here otherwise takes so much. */
    void add(long bytes) {
      lock.lock();
      try {
        if (!closed) {
          reservedBytes += bytes;
          account.reserve(bytes);
          activeBuffers.add(this);
        }
      } finally {
        lock.unlock();
      }
    }

    /** Gives back what is not needed any more. */
    void release(long bytes) {
      lock.lock();
      try {
        if (!closed) {
          release(bytes, bytes);
        }
      } finally {
        lock.unlock();
      }
    }

    private void release(long bytes, long itsBytes) {
      reservedBytes -= itsBytes;
      if (reservedBytes == 0 && grantedBytes == 0) {
        activeBuffers.remove(this);
      }
      account.release(bytes);
      grantWaiting();
    }

    private void reclaim() {
      if (!holder.reclaim()) {
        return;
      }
      // What it waited for and did not use: its reader has not come for that either.
      lock.lock();
      try {
        long granted = grantedBytes;
        if (granted > 0) {
          grantedBytes = 0;
          release(granted, 0);
        }
      } finally {
        lock.unlock();
      }
    }

    /** Gives back all of it. */
    void close() {
      lock.lock();
      try {
        if (!closed) {
          closed = true;
          waitingBuffers.remove(this);
          long all = reservedBytes + grantedBytes;
          grantedBytes = 0;
          release(all, reservedBytes);
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
