package io.cantle.simulation;

import io.cantle.core.transport.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A message that has arrived at a node of a {@link Stage} and was not handed to it yet.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param from who sent it
 * @param to whom it has come to
 * @param kind what it is
 * @param answers of an answer, what was asked; else null
 */
// Public to its subpackage; nobody can require what is only there for tests.
@SuppressWarnings("exports")
public record Letter(Actor from, Actor to, Kind kind, @Nullable Kind answers) {

  /** Whether it is a message of one of these kinds. */
  public boolean is(Kind... kinds) {
    for (Kind one : kinds) {
      if (kind == one) {
        return true;
      }
    }
    return false;
  }

  /** Whether it is the answer to a question of this kind. */
  public boolean answers(Kind asked) {
    return answers == asked;
  }

  @Override
  public String toString() {
    return from + " to " + to + ": " + kind + (answers == null ? "" : " to " + answers);
  }
}
