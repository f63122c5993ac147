package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.agreement.Ballot;
import io.cantle.core.agreement.RegisterMessage;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that kept bytes of a topology are used for that topology only. */
final class TopologyEncoderTest {
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Topology first = TopologyFixture.founded(a, b);
  private final Topology second = TopologyFixture.next(first, a, b);
  private final Ballot ballot = new Ballot(3, a.id());
  private final TopologyEncoder encoder = new TopologyEncoder();

  @Test
  void messagesAreWrittenAsTheyWriteThemselves() {
    for (Topology topology : List.of(first, first, second, first)) {
      assertWrittenAsByItself(topology);
      assertWrittenAsByItself(new RegisterMessage.Prepare(ballot, topology));
      assertWrittenAsByItself(new RegisterMessage.Accept(ballot, topology, 17));
      assertWrittenAsByItself(new RegisterMessage.Accepted(topology.number(), ballot));
    }
  }

  private void assertWrittenAsByItself(Message message) {
    Output expected = new Output(64, 4);
    message.write(expected);
    Output written = new Output(64, 4);
    encoder.write(message, written);
    assertThat(written.toByteArray()).isEqualTo(expected.toByteArray());
  }
}
