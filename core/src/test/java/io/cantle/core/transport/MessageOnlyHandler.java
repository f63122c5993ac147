package io.cantle.core.transport;

import java.util.List;

/**
 * Handles messages as a test says, and lets views pass.
 *
 * <p><b>Threading:</b> as the test says.
 */
@FunctionalInterface
public interface MessageOnlyHandler extends MessagingService.Handler {
  @Override
  default void onMembersChanged(List<Member> members) {}
}
