package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.Effect;
import org.jspecify.annotations.Nullable;

/**
 * An operation whose value, if it writes one, does not live for ever. The primary makes a deadline
 * of it when it writes.
 *
 * @param operation what is to be done; not one of these itself
 * @param lifetime how long the value may live
 */
public record Limited(Operation operation, Lifetime lifetime) implements Operation {
  /** The same operation, limited if that matters to it. */
  public static Operation of(Operation operation, Lifetime lifetime) {
    return lifetime.unlimited() || operation instanceof Remove
        ? operation
        : new Limited(operation, lifetime);
  }

  @Override
  public @Nullable Effect decide(Slice key, @Nullable Entry found) {
    Effect effect = operation.decide(key, found);
    return effect == null ? null : effect.lasting(lifetime);
  }

  @Override
  public boolean ignoresValue() {
    return operation.ignoresValue();
  }

  @Override
  public Operation bare() {
    return operation;
  }
}
