package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Decision;
import io.cantle.core.replica.Effect;
import org.jspecify.annotations.Nullable;

/**
 * What an operation does to what is there, unless that takes code of the user's.
 *
 * <p><b>Threading:</b> one thread, which has the command carried out.
 */
final class Deciding implements Decision {
  private final Operation operation;
  private final Slice key;

  /** Whether code of the user's has to decide. */
  boolean open;

  Deciding(Operation operation, Slice key) {
    this.operation = operation;
    this.key = key;
  }

  @Override
  public Effect on(@Nullable Entry found) {
    Effect effect = operation.decide(key, found);
    open = effect == null;
    return effect == null ? Effect.undecided() : effect;
  }

  @Override
  public boolean ignoresValue() {
    return operation.ignoresValue();
  }
}
