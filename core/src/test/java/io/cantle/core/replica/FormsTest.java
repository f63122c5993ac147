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

/** Commands, results, items and notices as bytes. */
final class FormsTest {
  private final Command command =
      new Command(new SessionId(new UUID(-7, 9), 1L << 33), 1L << 40, (1L << 40) - 8_191, 77, 3);

  @Test
  void aCommandComesBackAndNamesItsOrigin() {
    Output out = new Output(8);
    command.write(out);
    assertThat(Command.read(out.toInput())).isEqualTo(command);
    assertThat(command.origin().id()).isEqualTo(command.session().member());
  }

  @Test
  void aResultComesBackWithoutItsValueBeingCopied() {
    Output out = new Output(8);
    Result.TRUE.write(out);
    Result.FALSE.write(out);
    Result.ABSENT.write(out);
    Result.valueOf(HandReplica.entry("key", "value", 1, 1)).write(out);
    Input in = out.toInput();
    assertThat(Result.read(in)).isSameAs(Result.TRUE);
    assertThat(Result.read(in)).isSameAs(Result.FALSE);
    assertThat(Result.read(in)).isSameAs(Result.ABSENT);
    Result value = Result.read(in);
    assertThat(HandReplica.text(value)).isEqualTo("value");
    assertThat(value.bytes()).isSameAs(in.array());
    assertThat(in.remaining()).isZero();
  }

  @Test
  void onlyTruthIsTrueAndOnlyAValueIsOne() {
    Result empty = Result.valueOf(HandReplica.entry("key", "", 1, 1));
    assertThat(empty.hasValue()).isTrue();
    assertThat(empty.length()).isZero();
    assertThat(empty.isTrue()).isFalse();
    assertThat(Result.of(true).isTrue()).isTrue();
    assertThat(Result.of(false).isTrue()).isFalse();
    assertThat(Result.ABSENT.hasValue()).isFalse();
    assertThat(Result.valueOf(null)).isSameAs(Result.ABSENT);
    Entry tombstone = new Entry(1, HandReplica.bytes("key"), 3, 1, 1, true);
    assertThat(Result.valueOf(tombstone)).isSameAs(Result.ABSENT);
  }

  @Test
  void anUnknownResultIsMalformed() {
    assertMalformed(() -> Result.read(new Input(new byte[] {5})));
    assertMalformed(() -> Result.read(new Input(new byte[] {1, 3, 0, 0})));
  }

  @Test
  void anItemComesBackWithItsHashAndTheEpochOfItsMessage() {
    Item.Write item =
        new Item.Write(
            HandReplica.entry("key", "value", 9, 300),
            command,
            Result.valueOf(HandReplica.entry("key", "before", 1, 1)));
    Output out = new Output(8);
    item.write(out, false);
    assertThat(out.position()).isLessThanOrEqualTo(item.sizeBytes());
    Item.Read read = Item.read(out.toInput(), 9, HandReplica.SEED, Item.Notice.NONE);
    assertThat(read.resultIsPrevious()).isFalse();
    Item.Write back = (Item.Write) read.item();
    Entry entry = back.entry();
    assertThat(entry.hash()).isEqualTo(HandReplica.hash("key"));
    assertThat(entry.keyLength()).isEqualTo(3);
    assertThat(HandReplica.value(entry)).isEqualTo("value");
    assertThat(entry.epoch()).isEqualTo(9);
    assertThat(entry.index()).isEqualTo(300);
    assertThat(entry.tombstone()).isFalse();
    assertThat(back.command()).isEqualTo(command);
    assertThat(HandReplica.text(back.result())).isEqualTo("before");
  }

  @Test
  void aValueThatIsTheResultAsWellIsSentOnce() {
    Entry written = HandReplica.entry("key", "v".repeat(1_000), 9, 3);
    Item.Write item = new Item.Write(written, command, Result.valueOf(written));
    for (boolean backup : new boolean[] {false, true}) {
      Output out = new Output(8);
      item.write(out, backup);
      assertThat(out.position()).isLessThan(1_100);
      Item.Read read = Item.read(out.toInput(), 9, HandReplica.SEED, Item.Notice.NONE);
      assertThat(read.resultIsPrevious()).isFalse();
      assertThat(HandReplica.text(((Item.Write) read.item()).result()))
          .isEqualTo("v".repeat(1_000));
    }
  }

  @Test
  void theValueThatIsReplacedIsNotSentToWhoHasIt() {
    Item.Write item =
        new Item.Write(
            HandReplica.entry("key", "v", 9, 3),
            command,
            Result.valueOf(HandReplica.entry("key", "b".repeat(1_000), 1, 1)));
    Output spared = new Output(8);
    item.write(spared, true);
    assertThat(spared.position()).isLessThan(100);
    assertThat(Item.read(spared.toInput(), 9, 1, Item.Notice.NONE).resultIsPrevious()).isTrue();
    Output nothing = new Output(8);
    new Item.Write(item.entry(), command, Result.ABSENT).write(nothing, true);
    assertThat(Item.read(nothing.toInput(), 9, 1, Item.Notice.NONE).resultIsPrevious())
        .as("that there was nothing is told as it is")
        .isFalse();
  }

  @Test
  void aTombstoneComesBackAsOne() {
    Entry tombstone = new Entry(1, HandReplica.bytes("key"), 3, 2, 1, true);
    Output out = new Output(8);
    new Item.Write(tombstone, command, Result.TRUE).write(out, false);
    Entry read = ((Item.Write) Item.read(out.toInput(), 2, 1, Item.Notice.NONE).item()).entry();
    assertThat(read.tombstone()).isTrue();
    assertThat(read.keyLength()).isEqualTo(3);
    assertThat(read.valueLength()).isZero();
  }

  @Test
  void everyTruncatedItemIsMalformed() {
    Output out = new Output(8);
    new Item.Write(HandReplica.entry("key", "value", 9, 300), command, Result.TRUE)
        .write(out, false);
    for (int length = 0; length < out.position(); length++) {
      Input in = new Input(out.toByteArray(), 0, length);
      assertMalformed(() -> Item.read(in, 9, 1, Item.Notice.NONE));
    }
  }

  @Test
  void aNoticeComesBack() {
    List<Item.Notice> notices =
        List.of(
            Item.Notice.NONE,
            new Item.Notice(Item.Notice.Kind.HELD, 3, 5),
            new Item.Notice(Item.Notice.Kind.RESULT, 0, 1));
    for (Item.Notice notice : notices) {
      Output out = new Output(4);
      notice.write(out);
      assertThat(Item.Notice.read(out.toInput())).isEqualTo(notice);
    }
    assertMalformed(() -> Item.Notice.read(new Input(new byte[] {3})));
  }

  private static void assertMalformed(org.assertj.core.api.ThrowableAssert.ThrowingCallable read) {
    assertThatExceptionOfType(MalformedException.class).isThrownBy(read);
  }
}
