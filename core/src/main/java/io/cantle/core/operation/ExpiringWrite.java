package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.CommandEffect;
import org.jspecify.annotations.Nullable;

/**
 * An operation whose value, if it writes one, has a limited lifetime. The primary converts the
 * lifetime to a deadline when it writes.
 *
 * @param operation the operation; never an {@code ExpiringWrite} itself
 * @param lifetime how long the value may live
 */
public record ExpiringWrite(Operation operation, Lifetime lifetime) implements Operation {
  /** Limits the lifetime of an operation, if that matters to it. */
  public static Operation of(Operation operation, Lifetime lifetime) {
    return lifetime.isUnlimited() || operation instanceof Remove
        ? operation
        : new ExpiringWrite(operation, lifetime);
  }

  @Override
  public @Nullable CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    CommandEffect effect = operation.decide(key, found);
    return effect == null ? null : effect.withLifetime(lifetime);
  }

  @Override
  public boolean ignoresValue() {
    return operation.ignoresValue();
  }

  @Override
  public Operation unwrap() {
    return operation;
  }
}
