package io.cantle.core.transport;

import io.cantle.core.base.Input;
import java.util.List;

/**
 * Records messages and member changes.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
record EventRecorder(List<String> events) implements MessagingService.Handler {
  @Override
  public void handle(MessageKind kind, Member from, long request, Input body) {
    events.add(kind + " from " + from + " #" + request + " of " + body.remaining());
  }

  @Override
  public void onMembersChanged(List<Member> members) {
    events.add("members " + members);
  }
}
