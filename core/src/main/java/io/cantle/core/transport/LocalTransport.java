package io.cantle.core.transport;

import io.cantle.core.base.Output;
import java.util.List;

/**
 * The network of a node that has none: it is its only member.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class LocalTransport implements Transport {
  private final Member self;

  /** The only member will be {@code self}. */
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
      // A former life of this node, which may be asked whether it is still there, and is not.
      return;
    }
    throw new IllegalStateException("a node without a network has nobody to send to, not " + to);
  }

  @Override
  public void close() {}
}
