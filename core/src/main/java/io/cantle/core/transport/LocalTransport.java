package io.cantle.core.transport;

import io.cantle.core.base.Output;
import java.util.List;

/**
 * The transport of a node without a network, which is its only member.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class LocalTransport implements Transport {
  private final Member self;

  /** Creates the transport of its only member. */
  public LocalTransport(Member self) {
    this.self = self;
  }

  @Override
  public void start(Receiver receiver) {
    receiver.onMembersChanged(List.of(self));
  }

  @Override
  public Member self() {
    return self;
  }

  @Override
  public void send(Member to, Output message) {
    if (to.isSameNode(self) && !to.equals(self)) {
      // A former incarnation of this node. It may be asked whether it is still running, and it is
      // not.
      return;
    }
    throw new IllegalStateException("a node without a network cannot send to " + to);
  }

  @Override
  public void close() {}
}
