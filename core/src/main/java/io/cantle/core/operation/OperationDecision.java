package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandDecision;
import io.cantle.core.replica.CommandEffect;
import org.jspecify.annotations.Nullable;

/**
 * Decides the effect of an operation on an entry, unless user code is needed.
 *
 * <p><b>Threading:</b> one thread, the one that executes the command.
 */
final class OperationDecision implements CommandDecision {
  private final Operation operation;
  private final ByteSlice key;

  /** Whether user code has to decide. */
  boolean needsUserCode;

  OperationDecision(Operation operation, ByteSlice key) {
    this.operation = operation;
    this.key = key;
  }

  @Override
  public CommandEffect decide(@Nullable Entry found) {
    CommandEffect effect = operation.decide(key, found);
    needsUserCode = effect == null;
    return effect == null ? CommandEffect.undecided() : effect;
  }

  @Override
  public boolean ignoresValue() {
    return operation.ignoresValue();
  }
}
