package io.cantle.core.publish;

import io.cantle.ScanFigures;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what scans take of a node. What an iterator holds that is forgotten, and not closed, is
 * taken off when the next one is made.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ScanMeter {
  private final Gauge elements = new Gauge();
  private final Gauge bytes = new Gauge();
  private final Gauge pulls = new Gauge();
  private final Gauge running = new Gauge();
  private final ReferenceQueue<Object> forgotten = new ReferenceQueue<>();
  private final Set<Forgotten> open = ConcurrentHashMap.newKeySet();

  /** Nothing counted yet. */
  public ScanMeter() {}

  private static final class Gauge {
    private final AtomicLong value = new AtomicLong();
    private final AtomicLong most = new AtomicLong();

    void add(long more) {
      long now = value.addAndGet(more);
      if (more > 0) {
        most.accumulateAndGet(now, Math::max);
      }
    }
  }

  /** What is counted so far. */
  public ScanFigures figures() {
    sweep();
    return new ScanFigures(
        elements.value.get(),
        bytes.value.get(),
        pulls.value.get(),
        running.value.get(),
        elements.most.get(),
        bytes.most.get(),
        pulls.most.get(),
        running.most.get());
  }

  void running(int more) {
    running.add(more);
  }

  /** An account for what somebody holds who may be forgotten. */
  Account account(Object holder) {
    sweep();
    Account account = new Account(holder);
    open.add(account.forgotten);
    return account;
  }

  private void sweep() {
    for (Reference<?> gone; (gone = forgotten.poll()) != null; ) {
      if (gone instanceof Forgotten one) {
        one.account.close();
      }
    }
  }

  private static final class Forgotten extends PhantomReference<Object> {
    private final Account account;

    Forgotten(Object holder, ReferenceQueue<Object> queue, Account account) {
      super(holder, queue);
      this.account = account;
    }
  }

  /**
   * What one scan holds at the node that asks.
   *
   * <p><b>Threading:</b> any thread: answers are counted by whoever brings them.
   */
  final class Account {
    private final Forgotten forgotten;
    private long itsElements;
    private long itsBytes;
    private int itsPulls;
    private boolean closed;

    private Account(Object holder) {
      forgotten = new Forgotten(holder, ScanMeter.this.forgotten, this);
    }

    /** So much more waits here, or less; nothing once it is closed. */
    synchronized void waiting(long moreElements, long moreBytes) {
      if (!closed) {
        add(moreElements, moreBytes, 0);
      }
    }

    /** So many more pulls have no answer yet, or fewer; nothing once it is closed. */
    synchronized void pulls(int more) {
      if (!closed) {
        add(0, 0, more);
      }
    }

    private void add(long moreElements, long moreBytes, int morePulls) {
      itsElements += moreElements;
      itsBytes += moreBytes;
      itsPulls += morePulls;
      elements.add(moreElements);
      bytes.add(moreBytes);
      pulls.add(morePulls);
    }

    /** It holds nothing any more. */
    synchronized void close() {
      add(-itsElements, -itsBytes, -itsPulls);
      closed = true;
      open.remove(forgotten);
    }
  }
}
