package io.cantle.core.publish;

import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.core.base.World;
import java.util.function.Supplier;

/** Stub until the real one is merged. */
public final class IteratorPublisher {
  private IteratorPublisher() {}

  /** Stub. */
  @SuppressWarnings({"NullAway", "ConstantConditions"})
  public static <T> CachePublisher<T> over(World world, Supplier<CloseableIterator<T>> open) {
    if (world != null) {
      throw new UnsupportedOperationException(world + " " + open);
    }
    return null;
  }
}
