package io.cantle.simulation;

import io.cantle.core.transport.MessageKind;
import org.jspecify.annotations.Nullable;

/**
 * A message that has arrived at a node of a {@link ScriptedStage} and was not handed to it yet.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param from who sent it
 * @param to whom it has come to
 * @param kind what it is
 * @param answeredKind of an answer, what was asked; else null
 */
// Public to its subpackage; nobody can require what is only there for tests.
@SuppressWarnings("exports")
public record StageMessage(
    StageNode from, StageNode to, MessageKind kind, @Nullable MessageKind answeredKind) {

  /** Whether it is a message of one of these kinds. */
  public boolean isOneOf(MessageKind... kinds) {
    for (MessageKind one : kinds) {
      if (kind == one) {
        return true;
      }
    }
    return false;
  }

  /** Whether it is the answer to a question of this kind. */
  public boolean isAnswerTo(MessageKind asked) {
    return answeredKind == asked;
  }

  @Override
  public String toString() {
    return from + " to " + to + ": " + kind + (answeredKind == null ? "" : " to " + answeredKind);
  }
}
