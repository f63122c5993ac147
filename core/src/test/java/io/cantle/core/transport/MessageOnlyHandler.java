package io.cantle.core.transport;

import java.util.List;

/**
 * A handler of messages that ignores member changes, for tests.
 *
 * <p><b>Threading:</b> as the test says.
 */
@FunctionalInterface
public interface MessageOnlyHandler extends MessagingService.Handler {
  @Override
  default void onMembersChanged(List<Member> members) {}
}
