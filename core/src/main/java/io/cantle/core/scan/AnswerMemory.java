package io.cantle.core.scan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Signal;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.transport.Member;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reserves memory for the answers that this node makes as an owner. An answer is started when there
 * is memory for it, and the memory is released when the answer has been sent. Waiting answers are
 * served in turn: first one for each calling member, and within a member one for each scan. {@link
 * RunningScans} bounds how many wait.
 *
 * <p>No member may take all of it: one that does not read its answers must not keep the others from
 * theirs.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class AnswerMemory {
  /** How often a waiting answer checks whether it is still wanted. */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final MemoryAccount account;
  private final Clock clock;
  private final long maxWaitNanos;

  /** The waiting answers by member, in the order in which members are served. */
  @GuardedBy("this")
  private final LinkedHashMap<Member, TurnQueue<AnswerWaiter>> waiting = new LinkedHashMap<>();

  @GuardedBy("this")
  private final Map<Member, Long> reserved = new LinkedHashMap<>();

  /**
   * Creates the memory for one kind of answers.
   *
   * @param maxWaitNanos how long an answer waits for memory; a caller that still wants it sends the
   *     request again
   */
  AnswerMemory(MemoryAccount account, Clock clock, long maxWaitNanos) {
    this.account = account;
    this.clock = clock;
    this.maxWaitNanos = maxWaitNanos;
  }

  /**
   * Reserves memory for an answer, waiting for it if necessary.
   *
   * @param unwanted whether the answer is no longer wanted
   * @return the reservation, to be closed when the answer has been sent; null if there was no
   *     memory for too long, or the answer is no longer wanted
   */
  @Nullable AnswerRoom awaitMemory(
      WorkerScheduler.ScanKey scanKey, long bytes, BooleanSupplier unwanted) {
    AnswerWaiter waiter = new AnswerWaiter(scanKey, bytes);
    synchronized (this) {
      if (waiting.isEmpty() && mayReserve(scanKey.member(), bytes) && account.tryReserve(bytes)) {
        return newReservation(scanKey.member(), bytes);
      }
      waiting.computeIfAbsent(scanKey.member(), first -> new TurnQueue<>()).add(scanKey, waiter);
      grantWaiting();
    }
    long until = clock.nanoTime() + maxWaitNanos;
    while (waiter.room == null) {
      long left = until - clock.nanoTime();
      if (left <= 0 || unwanted.getAsBoolean() || Thread.currentThread().isInterrupted()) {
        return withdraw(waiter);
      }
      waiter.signal.await(clock, Math.min(left, POLL_NANOS));
      synchronized (this) {
        grantWaiting();
      }
    }
    return waiter.room;
  }

  @GuardedBy("this")
  private boolean mayReserve(Member member, long bytes) {
    long its = reserved.getOrDefault(member, 0L);
    return its == 0 || its + bytes <= account.limitBytes() / 4 * 3;
  }

  @GuardedBy("this")
  private AnswerRoom newReservation(Member member, long bytes) {
    reserved.merge(member, bytes, Long::sum);
    return new AnswerRoom(member, bytes);
  }

  /** Removes a waiter from its line; returns its reservation if it was served meanwhile. */
  private synchronized @Nullable AnswerRoom withdraw(AnswerWaiter waiter) {
    Member member = waiter.scanKey.member();
    TurnQueue<AnswerWaiter> line = waiting.get(member);
    if (line != null && waiter.room == null) {
      line.remove(waiter.scanKey, waiter);
      if (line.isEmpty()) {
        waiting.remove(member);
      }
    }
    return waiter.room;
  }

  /** Serves waiting answers in turn while there is memory. */
  @GuardedBy("this")
  private void grantWaiting() {
    for (int passed = 0; passed < waiting.size(); ) {
      Map.Entry<Member, TurnQueue<AnswerWaiter>> first = waiting.firstEntry();
      Member member = first.getKey();
      TurnQueue<AnswerWaiter> line = first.getValue();
      AnswerWaiter waiter = line.first();
      boolean mayHave = mayReserve(member, waiter.bytes);
      if (mayHave && !account.tryReserve(waiter.bytes)) {
        return;
      }
      passed = mayHave ? 0 : passed + 1;
      if (mayHave) {
        line.removeFirst();
        waiter.room = newReservation(member, waiter.bytes);
        waiter.signal.raise();
      }
      if (line.isEmpty()) {
        waiting.remove(member);
      } else {
        waiting.putLast(member, line);
      }
    }
  }

  private static final class AnswerWaiter {
    private final WorkerScheduler.ScanKey scanKey;
    private final long bytes;
    private final Signal signal = new Signal();
    private volatile @Nullable AnswerRoom room;

    AnswerWaiter(WorkerScheduler.ScanKey scanKey, long bytes) {
      this.scanKey = scanKey;
      this.bytes = bytes;
    }
  }

  /**
   * The memory reserved for one answer.
   *
   * <p><b>Threading:</b> any thread: several threads may work on an answer.
   */
  final class AnswerRoom implements AutoCloseable {
    private final Member member;

    @GuardedBy("AnswerMemory.this")
    private long bytes;

    @GuardedBy("AnswerMemory.this")
    private long missedBytes;

    private AnswerRoom(Member member, long bytes) {
      this.member = member;
      this.bytes = bytes;
    }

    /**
     * Grows the reservation to this total, without waiting; returns false if there is no memory.
     */
    boolean growTo(long allBytes) {
      synchronized (AnswerMemory.this) {
        boolean hasRoom = allBytes <= bytes || grow(allBytes - bytes);
        missedBytes = hasRoom ? 0 : allBytes;
        return hasRoom;
      }
    }

    /**
     * The total there was no memory for, or 0. The answer must be made again by a request that
     * waits in line for so much, since only the line lets no request be overtaken for ever.
     */
    long missedBytes() {
      synchronized (AnswerMemory.this) {
        return missedBytes;
      }
    }

    /**
     * Grows the reservation by this many bytes, without waiting; returns false if there is no
     * memory.
     */
    boolean grow(long moreBytes) {
      synchronized (AnswerMemory.this) {
        boolean grown = account.tryGrow(bytes, moreBytes);
        if (grown) {
          add(moreBytes);
        }
        return grown;
      }
    }

    /** Grows the reservation in any case, for memory that is already in use. */
    void mustGrow(long moreBytes) {
      synchronized (AnswerMemory.this) {
        account.reserve(moreBytes);
        add(moreBytes);
      }
    }

    @GuardedBy("AnswerMemory.this")
    private void add(long moreBytes) {
      bytes += moreBytes;
      reserved.merge(member, moreBytes, Long::sum);
    }

    /** Releases the reservation. */
    @Override
    public void close() {
      synchronized (AnswerMemory.this) {
        reserved.merge(member, -bytes, Long::sum);
        reserved.remove(member, 0L);
        account.release(bytes);
        bytes = 0;
        grantWaiting();
      }
    }
  }
}
