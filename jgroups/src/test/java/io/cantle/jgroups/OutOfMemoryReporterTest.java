package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.transport.RateLimitedLog;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.protocols.FRAG4;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.junit.jupiter.api.Test;

class OutOfMemoryReporterTest {

  /** Stands for a protocol that cannot put a long message together. */
  private static final class Exhausted extends FRAG4 {
    @Override
    public Object up(Message message) {
      throw new OutOfMemoryError("a test of the guard");
    }

    @Override
    public void up(MessageBatch batch) {
      throw new OutOfMemoryError("a test of the guard");
    }
  }

  @Test
  void tellsOfWantOfMemoryAboveIt() {
    List<OutOfMemoryError> told = new ArrayList<>();
    Protocol guard = new OutOfMemoryReporter(told::add);
    guard.setUpProtocol(new Exhausted());
    assertThatThrownBy(() -> guard.up(new EmptyMessage())).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> guard.up(new MessageBatch(1))).isInstanceOf(OutOfMemoryError.class);
    assertThat(told).hasSize(2);
  }

  /** Directly above each protocol that would log the error and go on. */
  @Test
  void standsAboveTheTransportAndTheReliableProtocols() {
    JGroupsSettings settings = Node.settings("guarded", "node");
    List<Protocol> protocols =
        ProtocolStack.protocols(
            settings,
            new BackpressureTcp(
                settings, new RateLimitedLog(System.getLogger("test"), System::nanoTime)));
    List<String> names = protocols.stream().map(each -> each.getClass().getSimpleName()).toList();
    assertThat(names)
        .containsSubsequence("BackpressureTcp", "OutOfMemoryReporter", "SeedDiscovery");
    assertThat(names)
        .containsSubsequence(
            "NAKACK2", "BoundedUnicast", "OutOfMemoryReporter", "STABLE", "MemberFragments");
  }
}
