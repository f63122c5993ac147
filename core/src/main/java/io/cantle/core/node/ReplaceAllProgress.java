package io.cantle.core.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.CacheDestroyedException;
import io.cantle.GridException;
import io.cantle.PartialWriteException;
import io.cantle.core.base.CallerFrames;
import io.cantle.core.call.ClosedNodeGuard;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a call that replaces the values of all keys, one by one. Once a value is
 * replaced, the call must not end with an exception that says a retry is safe: a retry would
 * replace that value twice.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ReplaceAllProgress {
  private final ClosedNodeGuard guard;

  @GuardedBy("this")
  private final List<Object> doubtfulKeys = new ArrayList<>();

  @GuardedBy("this")
  private final List<Object> unwrittenKeys = new ArrayList<>();

  @GuardedBy("this")
  private long replacedCount;

  @GuardedBy("this")
  private long doubtfulCount;

  @GuardedBy("this")
  private @Nullable Throwable failure;

  ReplaceAllProgress(ClosedNodeGuard guard) {
    this.guard = guard;
  }

  synchronized void addReplaced() {
    replacedCount++;
  }

  /** Records a key that was not replaced, or may not have been. */
  synchronized void recordFailure(Object key, Throwable thrown) {
    boolean mayHaveHappened = thrown instanceof GridException grid && !grid.retrySafe();
    doubtfulCount += mayHaveHappened ? 1 : 0;
    List<Object> keys = mayHaveHappened ? doubtfulKeys : unwrittenKeys;
    if (keys.size() < PartialWriteException.MAX_KEYS) {
      keys.add(key);
    }
    recordFailure(thrown);
  }

  /** Records why the call stopped. */
  synchronized void recordFailure(Throwable thrown) {
    failure = failure == null ? thrown : failure;
  }

  synchronized boolean hasFailed() {
    return failure != null;
  }

  /** Throws the exception for the caller, if something failed. */
  synchronized void throwIfFailed() {
    Throwable thrown = failure;
    boolean wroteSome = replacedCount > 0 || doubtfulCount > 0;
    // Of a cache that was destroyed nothing is left, whatever was written.
    boolean isPartial = wroteSome && !(thrown instanceof CacheDestroyedException);
    GridException cause = thrown == null || !isPartial ? null : guard.explainExpected(thrown);
    if (cause != null) {
      throw partialWrite(cause);
    }
    switch (thrown) {
      case null -> {}
      case Error e -> throw e;
      case RuntimeException e -> throw CallerFrames.addTo(e);
      case Throwable e -> throw new GridException("a value could not be replaced", e);
    }
  }

  @GuardedBy("this")
  private PartialWriteException partialWrite(GridException cause) {
    List<Object> keys = new ArrayList<>(doubtfulKeys);
    keys.addAll(unwrittenKeys);
    return new PartialWriteException(replacedCount, doubtfulCount, keys, cause);
  }
}
