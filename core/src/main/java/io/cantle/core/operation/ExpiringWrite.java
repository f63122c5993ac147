package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.CommandEffect;
import org.jspecify.annotations.Nullable;

/**
 * An operation whose value, if it writes one, does not live for ever. The primary makes a deadline
 * of it when it writes.
 *
 * @param operation what is to be done; not one of these itself
 * @param lifetime how long the value may live
 */
public record ExpiringWrite(Operation operation, Lifetime lifetime) implements Operation {
  /** The same operation, limited if that matters to it. */
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
