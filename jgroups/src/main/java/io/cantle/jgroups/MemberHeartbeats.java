package io.cantle.jgroups;

import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_ALL3;

/**
 * An FD_ALL3 that keeps nothing of peers that are not members. FD_ALL3 itself remembers every
 * sender of a message until the next view, so peers with ever new addresses would fill the memory.
 *
 * <p><b>Threading:</b> any thread.
 */
final class MemberHeartbeats extends FD_ALL3 {
  MemberHeartbeats() {
    setId(ClassConfigurator.getProtocolId(FD_ALL3.class));
  }

  /** Called with {@code isMember} set for the members of a new view, and for every message. */
  @Override
  protected void update(Address sender, boolean log, boolean isMember) {
    if (isMember || timestamps.containsKey(sender)) {
      super.update(sender, log, isMember);
    }
  }
}
