package io.cantle.core.transport;

import io.cantle.core.base.Input;
import java.util.List;

/**
 * Writes down what comes.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
record Recorder(List<String> events) implements Requests.Handler {
  @Override
  public void handle(Kind kind, Member from, long request, Input body) {
    events.add(kind + " from " + from + " #" + request + " of " + body.remaining());
  }

  @Override
  public void members(List<Member> members) {
    events.add("members " + members);
  }
}
