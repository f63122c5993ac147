package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.FragHeader;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemberFragmentsTest {
  private final Protocol fragments = new MemberFragments();
  private final List<Message> delivered = new ArrayList<>();
  private final Address self = address(1);
  private final Address peer = address(2);
  private int views;

  @BeforeEach
  void start() {
    fragments.setUpProtocol(
        new Protocol() {
          @Override
          public @Nullable Object up(Event event) {
            return null;
          }

          @Override
          public @Nullable Object up(Message message) {
            delivered.add(message);
            return null;
          }
        });
    install(self, peer);
  }

  private static Address address(int port) {
    return new IpAddress(InetAddress.getLoopbackAddress(), port);
  }

  private void install(Address... members) {
    fragments.up(new Event(Event.VIEW_CHANGE, View.create(self, ++views, members)));
  }

  /** Receives one of two fragments of a message of the peer. */
  private void receive(int index) {
    short id = ClassConfigurator.getProtocolId(FRAG4.class);
    fragments.up(
        new BytesMessage(self, new byte[10])
            .setSrc(peer)
            .putHeader(id, new FragHeader(1, index, 2)));
  }

  @Test
  void messageOfAMemberIsPutTogetherAcrossViews() {
    receive(0);
    install(self, peer, address(3));
    receive(1);
    assertThat(delivered).singleElement().returns(20, Message::getLength);
  }

  @Test
  void messageOfAFormerMemberIsPutTogether() {
    install(self);
    receive(0);
    receive(1);
    assertThat(delivered).hasSize(1);
  }

  @Test
  void fragmentsOfAFormerMemberAreForgottenAtTheNextView() {
    install(self);
    receive(0);
    install(self, address(3));
    receive(1);
    assertThat(delivered).isEmpty();
  }
}
