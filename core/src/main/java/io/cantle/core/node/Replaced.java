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
final class Replaced {
  private final List<Object> doubtfulKeys = new ArrayList<>();
  private final List<Object> unwrittenKeys = new ArrayList<>();
  private long written;
  private long doubtful;
  private @Nullable Throwable failure;

  synchronized void written() {
    written++;
  }

  /** The key was not replaced for certain. */
  synchronized void failed(Object key, Throwable thrown) {
    boolean mayBe = thrown instanceof GridException grid && !grid.retrySafe();
    doubtful += mayBe ? 1 : 0;
    List<Object> keys = mayBe ? doubtfulKeys : unwrittenKeys;
    if (keys.size() < PartialWriteException.MAX_KEYS) {
      keys.add(key);
    }
    failed(thrown);
  }

  /** It went no further. */
  synchronized void failed(Throwable thrown) {
    failure = failure == null ? thrown : failure;
  }

  synchronized boolean hasFailed() {
    return failure != null;
  }

  /** Throws what the caller has to know, if something failed. */
  synchronized void check() {
    switch (failure) {
      case null -> {}
      case GridException cause when written > 0 || doubtful > 0 -> {
        List<Object> keys = new ArrayList<>(doubtfulKeys);
        keys.addAll(unwrittenKeys);
        throw new PartialWriteException(written, doubtful, keys, cause);
      }
      case Error e -> throw e;
      case RuntimeException e -> throw e;
      case Throwable e -> throw new GridException("a value could not be replaced", e);
    }
  }
}
