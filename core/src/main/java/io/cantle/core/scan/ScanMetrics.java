package io.cantle.core.scan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.ScanFigures;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what scans hold at this node. What a forgotten iterator holds that was never closed is
 * subtracted when the next one is created, or when the figures are read.
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

  /** Creates metrics that have counted nothing yet. */
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

  /** The current counts and their highest values. */
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

  /** Opens an account for what a holder has, which may become unreachable without being closed. */
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
   * What one scan holds at the calling node.
   *
   * <p><b>Threading:</b> any thread: an answer is counted by the thread that brings it.
   */
  final class ScanAccount {
    private final HolderReference holderReference;

    @GuardedBy("this")
    private long heldElements;

    @GuardedBy("this")
    private long heldBytes;

    @GuardedBy("this")
    private int heldPulls;

    @GuardedBy("this")
    private boolean closed;

    private ScanAccount(Object holder) {
      holderReference = new HolderReference(holder, ScanMetrics.this.forgottenHolders, this);
    }

    /**
     * Changes how much is buffered, and how many pulls have no answer yet; no effect once it is
     * closed.
     */
    synchronized void add(long elementChange, long byteChange, int pullChange) {
      if (!closed) {
        heldElements += elementChange;
        heldBytes += byteChange;
        heldPulls += pullChange;
        elements.add(elementChange);
        bytes.add(byteChange);
        pulls.add(pullChange);
      }
    }

    /** Subtracts everything it holds. */
    synchronized void close() {
      add(-heldElements, -heldBytes, -heldPulls);
      closed = true;
      openAccounts.remove(holderReference);
    }
  }
}
