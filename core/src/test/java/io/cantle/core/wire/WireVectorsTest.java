package io.cantle.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that messages keep their bytes. Nodes of two builds understand each other only as long as
 * the vectors of the earlier build pass in the later one. After a deliberate change of the format,
 * {@code -Dcantle.wire.vectors=write} writes them anew.
 */
final class WireVectorsTest {
  /** Kinds whose records are in other packages, which have their vectors. */
  private static final Set<MessageKind> ELSEWHERE =
      EnumSet.of(
          MessageKind.RESPONSE,
          MessageKind.WRITE,
          MessageKind.BULK_WRITE,
          MessageKind.REPLICATE,
          MessageKind.REPLICATE_COPY,
          MessageKind.COLLECT,
          MessageKind.COLLECTED,
          MessageKind.UPDATE_COPIES,
          MessageKind.COPIES_UPDATED,
          MessageKind.EPOCH_ENTERED,
          MessageKind.CATCH_UP,
          MessageKind.HELLO,
          MessageKind.JOIN,
          MessageKind.TOPOLOGY,
          MessageKind.PREPARE,
          MessageKind.PROMISED,
          MessageKind.ACCEPT,
          MessageKind.ACCEPTED,
          MessageKind.REJECTED,
          MessageKind.DECIDED,
          MessageKind.RENEW_LEASE,
          MessageKind.LEASE_RENEWED,
          MessageKind.REPORT,
          MessageKind.CUT_OFF,
          MessageKind.REFUSED,
          MessageKind.HISTORY);

  private static MessageVectors.Reader reader(MessageKind kind) {
    return switch (kind) {
      case PULL, REDUCE, COUNT, TRANSFER -> in -> ScanMessage.Request.read(kind, in);
      default -> in -> WireMessage.read(kind, in);
    };
  }

  @Test
  void messagesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    MessageVectors.check("vectors.txt", MessageExamples.ALL, WireVectorsTest::reader);
  }

  @Test
  void messagesOfTheBuildBeforeTheRecordsAreReadAndWrittenAgain() {
    MessageExamples.ALL.stream()
        .flatMap(message -> MessageVectors.captured(message.kind()).stream())
        .forEach(line -> MessageVectors.checkReadAndWritten(line, WireVectorsTest::reader));
  }

  @Test
  void everyKindHasVectors() {
    Set<MessageKind> kinds = EnumSet.allOf(MessageKind.class);
    assertThat(
            Stream.of(
                    "vectors.txt",
                    "write-vectors.txt",
                    "reply-vectors.txt",
                    "log-vectors.txt",
                    "recovery-vectors.txt",
                    "scattered-log-vectors.txt",
                    "copy-vectors.txt",
                    "discovery-vectors.txt",
                    "agreement-vectors.txt")
                .map(MessageVectors::lines)
                .map(WireVectorsTest::kinds)
                .flatMap(Set::stream))
        .containsAll(kinds);
    kinds.removeAll(ELSEWHERE);
    assertThat(MessageExamples.ALL).extracting(Message::kind).containsAll(kinds);
  }

  private static Set<MessageKind> kinds(List<String> lines) {
    return lines.stream()
        .map(line -> MessageKind.valueOf(line.split(" ", 2)[0]))
        .collect(Collectors.toSet());
  }

  @Test
  void countsBeyondTheMessageAreRefusedBeforeAnythingIsAllocated() {
    byte[] many = HexFormat.of().parseHex("ffffffff07");
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> WireMessage.read(MessageKind.COMMITTED, new Input(many)))
        .withMessageContaining("exceeds");
  }
}
