package io.cantle.core.node;

import io.cantle.GridException;
import io.cantle.PartialWriteException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a call has come that replaces the values of all keys, one by one. Once one is replaced it
 * must not end with an exception that calls another try safe: a value would be replaced twice.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ReplaceAllProgress {
  private final List<Object> doubtfulKeys = new ArrayList<>();
  private final List<Object> unwrittenKeys = new ArrayList<>();
  private long replacedCount;
  private long doubtfulCount;
  private @Nullable Throwable failure;

  synchronized void addReplaced() {
    replacedCount++;
  }

  /** The key was not replaced for certain. */
  synchronized void recordFailure(Object key, Throwable thrown) {
    boolean mayBe = thrown instanceof GridException grid && !grid.retrySafe();
    doubtfulCount += mayBe ? 1 : 0;
    List<Object> keys = mayBe ? doubtfulKeys : unwrittenKeys;
    if (keys.size() < PartialWriteException.MAX_KEYS) {
      keys.add(key);
    }
    recordFailure(thrown);
  }

  /** It went no further. */
  synchronized void recordFailure(Throwable thrown) {
    failure = failure == null ? thrown : failure;
  }

  synchronized boolean hasFailed() {
    return failure != null;
  }

  /** Throws what the caller has to know, if something failed. */
  synchronized void throwIfFailed() {
    switch (failure) {
      case null -> {}
      case GridException cause when replacedCount > 0 || doubtfulCount > 0 -> {
        List<Object> keys = new ArrayList<>(doubtfulKeys);
        keys.addAll(unwrittenKeys);
        throw new PartialWriteException(replacedCount, doubtfulCount, keys, cause);
      }
      case Error e -> throw e;
      case RuntimeException e -> throw e;
      case Throwable e -> throw new GridException("a value could not be replaced", e);
    }
  }
}
