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
public final class ScanMetrics {
  private final Gauge elements = new Gauge();
  private final Gauge bytes = new Gauge();
  private final Gauge pulls = new Gauge();
  private final Gauge running = new Gauge();
  private final ReferenceQueue<Object> forgottenHolders = new ReferenceQueue<>();
  private final Set<HolderReference> openAccounts = ConcurrentHashMap.newKeySet();

  /** Nothing counted yet. */
  public ScanMetrics() {}

  private static final class Gauge {
    private final AtomicLong value = new AtomicLong();
    private final AtomicLong max = new AtomicLong();

    void add(long change) {
      long current = value.addAndGet(change);
      if (change > 0) {
        max.accumulateAndGet(current, Math::max);
      }
    }
  }

  /** What is counted so far. */
  public ScanFigures figures() {
    closeForgotten();
    return new ScanFigures(
        elements.value.get(),
        bytes.value.get(),
        pulls.value.get(),
        running.value.get(),
        elements.max.get(),
        bytes.max.get(),
        pulls.max.get(),
        running.max.get());
  }

  void addRunning(int change) {
    running.add(change);
  }

  /** An account for what somebody holds who may be forgotten. */
  ScanAccount openAccount(Object holder) {
    closeForgotten();
    ScanAccount account = new ScanAccount(holder);
    openAccounts.add(account.holderReference);
    return account;
  }

  private void closeForgotten() {
    for (Reference<?> reference; (reference = forgottenHolders.poll()) != null; ) {
      if (reference instanceof HolderReference holder) {
        holder.account.close();
      }
    }
  }

  private static final class HolderReference extends PhantomReference<Object> {
    private final ScanAccount account;

    HolderReference(Object holder, ReferenceQueue<Object> queue, ScanAccount account) {
      super(holder, queue);
      this.account = account;
    }
  }

  /**
   * What one scan holds at the node that asks.
   *
   * <p><b>Threading:</b> any thread: answers are counted by whoever brings them.
   */
  final class ScanAccount {
    private final HolderReference holderReference;
    private long heldElements;
    private long heldBytes;
    private int heldPulls;
    private boolean closed;

    private ScanAccount(Object holder) {
      holderReference = new HolderReference(holder, ScanMetrics.this.forgottenHolders, this);
    }

    /** So much more waits here, or less; nothing once it is closed. */
    synchronized void addBuffered(long elementChange, long byteChange) {
      if (!closed) {
        add(elementChange, byteChange, 0);
      }
    }

    /** So many more pulls have no answer yet, or fewer; nothing once it is closed. */
    synchronized void addPulls(int change) {
      if (!closed) {
        add(0, 0, change);
      }
    }

    private void add(long elementChange, long byteChange, int pullChange) {
      heldElements += elementChange;
      heldBytes += byteChange;
      heldPulls += pullChange;
      elements.add(elementChange);
      bytes.add(byteChange);
      pulls.add(pullChange);
    }

    /** It holds nothing any more. */
    synchronized void close() {
      add(-heldElements, -heldBytes, -heldPulls);
      closed = true;
      openAccounts.remove(holderReference);
    }
  }
}
