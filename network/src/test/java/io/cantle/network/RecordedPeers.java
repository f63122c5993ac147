package io.cantle.network;

import io.cantle.core.transport.Member;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A table of peers on a clock that the test moves, and what it has reported.
 *
 * <p><b>Threading:</b> the test's thread.
 */
final class RecordedPeers implements PeerTable.PresenceListener {
  private static final long MAX_PENDING_BYTES = 1 << 20;

  final EmbeddedChannel clock = new EmbeddedChannel();
  final List<List<Member>> views = new ArrayList<>();
  final PeerTable table;
  private final Consumer<PeerLink> onLost;

  /** Creates a table that has only this node, and hands on the links that are lost. */
  RecordedPeers(Member self, Consumer<PeerLink> onLost) {
    this.onLost = onLost;
    ControlThread control =
        new ControlThread(
            clock.eventLoop(),
            thrown -> {
              throw new AssertionError(thrown);
            });
    table = new PeerTable(self, MAX_PENDING_BYTES, control, this);
  }

  @Override
  public void onPresentChanged(List<Member> members) {
    views.add(members);
  }

  @Override
  public void onUp(PeerLink link) {}

  @Override
  public void onLost(PeerLink link) {
    onLost.accept(link);
  }
}
