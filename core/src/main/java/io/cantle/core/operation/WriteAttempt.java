package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandDecision;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.Replica;
import io.cantle.core.transport.Member;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a command at its primary. As a decision it gives the effect of the operation,
 * unless user code is needed.
 *
 * <p><b>Threading:</b> one thread at a time, the one that executes the command.
 */
final class WriteAttempt implements CommandDecision {
  /** The member that waits for the answer. */
  final Member origin;

  /** The call on this node that waits for the answer; null if the attempt came in a message. */
  final @Nullable InFlightWrite caller;

  final Replica replica;
  final int epoch;
  final CommandId command;
  final ByteSlice key;
  final Operation operation;

  /** Whether user code has to decide. */
  boolean needsUserCode;

  WriteAttempt(
      Member origin,
      @Nullable InFlightWrite caller,
      Replica replica,
      int epoch,
      CommandId command,
      ByteSlice key,
      Operation operation) {
    this.origin = origin;
    this.caller = caller;
    this.replica = replica;
    this.epoch = epoch;
    this.command = command;
    this.key = key;
    this.operation = operation;
  }

  /** Refuses the attempt for good. */
  CommandOutcome refuse() {
    return replica.refuse(epoch, command);
  }

  @Override
  public CommandEffect decide(@Nullable Entry found) {
    CommandEffect effect = operation.decide(key, found);
    needsUserCode = effect == null;
    return effect == null ? CommandEffect.undecided() : effect;
  }

  @Override
  public @Nullable Object writtenObject() {
    return caller == null ? null : caller.writtenObject();
  }

  @Override
  public boolean ignoresValue() {
    return operation.ignoresValue();
  }
}
