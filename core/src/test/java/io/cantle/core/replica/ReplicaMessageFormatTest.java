package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests the byte format of commands, results, writes and notices. */
final class ReplicaMessageFormatTest {
  private final CommandId command =
      new CommandId(new SessionId(new UUID(-7, 9), 1L << 33), 1L << 40, (1L << 40) - 8_191, 77, 3);

  @Test
  void commandIdRoundTripsAndNamesItsOrigin() {
    Output out = new Output(8);
    command.write(out);
    assertThat(CommandId.read(out.toInput())).isEqualTo(command);
    assertThat(command.origin().id()).isEqualTo(command.session().member());
  }

  @Test
  void resultRoundTripsWithoutCopyingItsValue() {
    Output out = new Output(8);
    OperationResult.TRUE.write(out);
    OperationResult.FALSE.write(out);
    OperationResult.ABSENT.write(out);
    OperationResult.valueOf(ManualReplica.entry("key", "value", 1, 1)).write(out);
    Input in = out.toInput();
    assertThat(OperationResult.read(in)).isSameAs(OperationResult.TRUE);
    assertThat(OperationResult.read(in)).isSameAs(OperationResult.FALSE);
    assertThat(OperationResult.read(in)).isSameAs(OperationResult.ABSENT);
    OperationResult value = OperationResult.read(in);
    assertThat(ManualReplica.text(value)).isEqualTo("value");
    assertThat(value.bytes()).isSameAs(in.array());
    assertThat(in.remaining()).isZero();
  }

  @Test
  void onlyTrueIsTrueAndOnlyAValueHasAValue() {
    OperationResult empty = OperationResult.valueOf(ManualReplica.entry("key", "", 1, 1));
    assertThat(empty.hasValue()).isTrue();
    assertThat(empty.length()).isZero();
    assertThat(empty.isTrue()).isFalse();
    assertThat(OperationResult.of(true).isTrue()).isTrue();
    assertThat(OperationResult.of(false).isTrue()).isFalse();
    assertThat(OperationResult.ABSENT.hasValue()).isFalse();
    assertThat(OperationResult.valueOf(null)).isSameAs(OperationResult.ABSENT);
    Entry tombstone = Entry.of(1, ManualReplica.bytes("key"), 3, 1, 1, true, 0, null);
    assertThat(OperationResult.valueOf(tombstone)).isSameAs(OperationResult.ABSENT);
  }

  @Test
  void unknownResultCodeIsMalformed() {
    assertMalformed(() -> OperationResult.read(new Input(new byte[] {5})));
    assertMalformed(() -> OperationResult.read(new Input(new byte[] {1, 3, 0, 0})));
  }

  private static OrderedWrite.CommandWrite readCommand(Output out, long seed) {
    return (OrderedWrite.CommandWrite) OrderedWrite.read(out.toInput(), 9, seed);
  }

  @Test
  void writeRoundTripsWithItsHashAndTheEpochOfItsMessage() {
    OrderedWrite.CommandWrite item =
        new OrderedWrite.CommandWrite(
            ManualReplica.entry("key", "value", 9, 300),
            command,
            OperationResult.valueOf(ManualReplica.entry("key", "before", 1, 1)));
    Output out = new Output(8);
    item.write(out, false);
    assertThat(out.position()).isLessThanOrEqualTo(item.maxSizeBytes());
    OrderedWrite.CommandWrite read = readCommand(out, ManualReplica.SEED);
    assertThat(read.result().isOmitted()).isFalse();
    Entry entry = read.entry();
    assertThat(entry.hash()).isEqualTo(ManualReplica.hash("key"));
    assertThat(entry.keyLength()).isEqualTo(3);
    assertThat(ManualReplica.value(entry)).isEqualTo("value");
    assertThat(entry.epoch()).isEqualTo(9);
    assertThat(entry.index()).isEqualTo(300);
    assertThat(entry.isTombstone()).isFalse();
    assertThat(read.command()).isEqualTo(command);
    assertThat(ManualReplica.text(read.result())).isEqualTo("before");
  }

  @Test
  void valueThatIsAlsoTheResultIsSentOnce() {
    Entry written = ManualReplica.entry("key", "v".repeat(1_000), 9, 3);
    OrderedWrite.CommandWrite item =
        new OrderedWrite.CommandWrite(written, command, OperationResult.valueOf(written));
    for (boolean backup : new boolean[] {false, true}) {
      Output out = new Output(8);
      item.write(out, backup);
      assertThat(out.position()).isLessThan(1_100);
      OrderedWrite.CommandWrite read = readCommand(out, ManualReplica.SEED);
      assertThat(ManualReplica.text(read.result())).isEqualTo("v".repeat(1_000));
    }
  }

  @Test
  void previousValueIsNotSentToReplicasThatHoldIt() {
    OrderedWrite.CommandWrite item =
        new OrderedWrite.CommandWrite(
            ManualReplica.entry("key", "v", 9, 3),
            command,
            OperationResult.valueOf(ManualReplica.entry("key", "b".repeat(1_000), 1, 1)));
    Output spared = new Output(8);
    item.write(spared, true);
    assertThat(spared.position()).isLessThan(100);
    assertThat(readCommand(spared, 1).result().isOmitted()).isTrue();
    Output nothing = new Output(8);
    new OrderedWrite.CommandWrite(item.entry(), command, OperationResult.ABSENT)
        .write(nothing, true);
    assertThat(readCommand(nothing, 1).result().isOmitted())
        .as("an absent result is sent as it is")
        .isFalse();
  }

  @Test
  void tombstoneRoundTrips() {
    Entry tombstone = Entry.of(1, ManualReplica.bytes("key"), 3, 2, 1, true, 0, null);
    Output out = new Output(8);
    new OrderedWrite.CommandWrite(tombstone, command, OperationResult.TRUE).write(out, false);
    Entry read = ((OrderedWrite.CommandWrite) OrderedWrite.read(out.toInput(), 2, 1)).entry();
    assertThat(read.isTombstone()).isTrue();
    assertThat(read.keyLength()).isEqualTo(3);
    assertThat(read.valueLength()).isZero();
  }

  @Test
  void everyTruncatedWriteIsMalformed() {
    Output out = new Output(8);
    new OrderedWrite.CommandWrite(
            ManualReplica.entry("key", "value", 9, 300), command, OperationResult.TRUE)
        .write(out, false);
    for (int length = 0; length < out.position(); length++) {
      Input in = new Input(out.toByteArray(), 0, length);
      assertMalformed(() -> OrderedWrite.read(in, 9, 1));
    }
  }

  @Test
  void noticeRoundTrips() {
    List<OrderedWrite.OriginNotice> notices =
        List.of(
            OrderedWrite.OriginNotice.NONE,
            new OrderedWrite.OriginNotice(OrderedWrite.OriginNotice.NoticeKind.ACKNOWLEDGE, 3, 5),
            new OrderedWrite.OriginNotice(
                OrderedWrite.OriginNotice.NoticeKind.ACKNOWLEDGE_WITH_RESULT, 0, 1));
    for (OrderedWrite.OriginNotice notice : notices) {
      Output out = new Output(4);
      notice.write(out);
      assertThat(OrderedWrite.OriginNotice.read(out.toInput())).isEqualTo(notice);
    }
    assertMalformed(() -> OrderedWrite.OriginNotice.read(new Input(new byte[] {3})));
  }

  private static void assertMalformed(org.assertj.core.api.ThrowableAssert.ThrowingCallable read) {
    assertThatExceptionOfType(MalformedException.class).isThrownBy(read);
  }
}
