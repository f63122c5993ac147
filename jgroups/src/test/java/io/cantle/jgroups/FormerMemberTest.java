package io.cantle.jgroups;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.Member;
import io.cantle.core.transport.RateLimitedLog;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.pbcast.GMS;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * After a cut, the members on the other side go on with the messages they had begun, and the
 * messages that merge the views come after these. So neither former members nor nodes that joined
 * the other side during the cut may be held up for ever.
 */
@Timeout(120)
class FormerMemberTest {
  private static final String GRID = "former";
  private static final int LONG_BYTES = 2 * ProtocolStack.FRAGMENT_BYTES;
  private static final int MESSAGES = 64;

  private final Semaphore delivered = new Semaphore(0);
  private final JChannel first = channel("first");
  private JChannel second = first;

  @AfterEach
  void stop() {
    second.close();
    first.close();
  }

  @Test
  void longMessagesOfAFormerMemberAreDelivered() throws Exception {
    first.setReceiver(
        new Receiver() {
          @Override
          public void receive(Message message) {
            delivered.release();
          }
        });
    second = channel("second", first);
    exclude(second, first);
    for (int i = 0; i < MESSAGES; i++) {
      second.send(new BytesMessage(first.getAddress(), new byte[LONG_BYTES]));
    }
    assertThat(delivered.tryAcquire(MESSAGES, 30, TimeUnit.SECONDS)).isTrue();
  }

  /** The second node joined the other side, where the view with it did not arrive here. */
  @Test
  void viewsMergeThoughANodeNeverSeenHadBegunWithALongMessage() throws Exception {
    second = channel("second");
    View joint =
        View.create(
            second.getAddress(),
            second.getView().getViewId().getId() + 1,
            second.getAddress(),
            first.getAddress());
    second.getProtocolStack().<GMS>findProtocol(GMS.class).installView(joint);
    Semaphore merged = new Semaphore(0);
    first.setReceiver(
        new Receiver() {
          @Override
          public void viewAccepted(View view) {
            if (view.size() == 2) {
              merged.release();
            }
          }
        });
    second.send(new BytesMessage(first.getAddress(), new byte[LONG_BYTES]));
    assertThat(merged.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
  }

  /** Installs a view at one node that no longer contains the other. */
  private static void exclude(JChannel excluded, JChannel by) {
    View next = View.create(by.getAddress(), by.getView().getViewId().getId() + 1, by.getAddress());
    by.getProtocolStack().<GMS>findProtocol(GMS.class).installView(next);
    assertThat(by.getView().containsMember(excluded.getAddress())).isFalse();
  }

  private static JChannel channel(String name, JChannel... seeds) {
    List<Integer> ports =
        Stream.of(seeds)
            .map(
                seed ->
                    requireNonNull(MemberAddress.listeningAddressOf(seed.getAddress())).getPort())
            .toList();
    JGroupsSettings settings = Node.settings(GRID, name, ports);
    RateLimitedLog log =
        new RateLimitedLog(System.getLogger(FormerMemberTest.class.getName()), System::nanoTime);
    try {
      JChannel channel =
          new JChannel(ProtocolStack.protocols(settings, new BackpressureTcp(settings, log)));
      UUID id = UUID.randomUUID();
      channel.addAddressGenerator(() -> MemberAddress.of(new Member(id, id, name)));
      return channel.connect(GRID);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
