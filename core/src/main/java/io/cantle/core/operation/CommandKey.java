package io.cantle.core.operation;

import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.SessionId;

/**
 * Identifies a command at this node through all of its attempts.
 *
 * <p><b>Threading:</b> immutable.
 */
record CommandKey(SessionId session, int cache, int segment, long sequence) {
  static CommandKey of(Replica replica, CommandId command) {
    return new CommandKey(
        command.session(), replica.cache(), replica.segment(), command.sequence());
  }
}
