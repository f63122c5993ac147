package io.cantle.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the page about messages names every kind and, in their order, the fields of each. */
final class WireFormatPageTest {
  @Test
  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  void pageNamesEveryKindWithItsNumber() {
    List<String> all = new ArrayList<>();
    for (MessageKind kind : MessageKind.values()) {
      all.add(kind.ordinal() + " " + kind);
    }
    assertThat(WireFormatPage.kinds().keySet()).containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void pageListsTheFieldsOfEachRecord() {
    Set<MessageKind> checked = EnumSet.noneOf(MessageKind.class);
    for (Message message : MessageExamples.ALL) {
      // The first example of a kind has everything.
      if (checked.add(message.kind())) {
        WireFormatPage.checkFields(message);
      }
    }
  }
}
