package io.cantle.jgroups;

import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FRAG4;

/**
 * A FRAG4 that keeps no fragments of peers that are not in a new view. FRAG4 itself only forgets
 * those of peers that leave with it. A peer on the other side of a cut goes on with the message it
 * had begun after it has left, and what it leaves incomplete would be kept for ever.
 *
 * <p><b>Threading:</b> any thread.
 */
final class MemberFragments extends FRAG4 {
  MemberFragments() {
    setId(ClassConfigurator.getProtocolId(FRAG4.class));
  }

  @Override
  protected void handleViewChange(View view) {
    super.handleViewChange(view);
    fragment_list.keySet().retainAll(view.getMembers());
  }
}
