package io.cantle.simulation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.transport.MessageKind;
import org.jspecify.annotations.Nullable;

/**
 * A message that has arrived at a node of a {@link ScriptedStage} but has not been delivered yet.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param from the sender
 * @param to the receiver
 * @param kind the kind of message
 * @param answeredKind the kind of request that an answer answers; else null
 * @param body what follows the envelope
 */
// Public for its subpackage; no other module can require test code.
@SuppressWarnings("exports")
public record StageMessage(
    StageNode from,
    StageNode to,
    MessageKind kind,
    @Nullable MessageKind answeredKind,
    ByteSlice body) {

  /** Returns whether it is a message of one of these kinds. */
  public boolean isOneOf(MessageKind... kinds) {
    for (MessageKind one : kinds) {
      if (kind == one) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether it is the answer to a request of this kind. */
  public boolean isAnswerTo(MessageKind asked) {
    return answeredKind == asked;
  }

  @Override
  public String toString() {
    return from + " to " + to + ": " + kind + (answeredKind == null ? "" : " to " + answeredKind);
  }
}
