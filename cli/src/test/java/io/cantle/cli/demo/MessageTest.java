package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MessageTest {
  @Test
  void comesBackAsItWasSent() throws Exception {
    Message message = Message.of(Message.DONE).with("seen", 12).with("text", "a = b, ü");
    ByteArrayInputStream in = bytes(message.line() + "\n" + Message.of("stop").line() + "\n");
    assertThat(Message.read(in)).contains(message);
    assertThat(Message.read(in)).contains(Message.of("stop"));
    assertThat(Message.read(in)).isEmpty();
    assertThat(message.number("seen")).isEqualTo(12);
  }

  @Test
  void staysOneShortLineWhateverItCarries() throws Exception {
    Message message = Message.of("failed").with("text", "a\tb\r\nc" + "x".repeat(100_000));
    assertThat(message.text("text")).startsWith("a b cxxx").hasSize(2_000);
    assertThat(Message.read(bytes(message.line() + "\n"))).contains(message);
  }

  @Test
  void isNotReadBeyondTheLongestLine() {
    assertThatThrownBy(() -> Message.read(bytes("x".repeat(10_000))))
        .isInstanceOf(IOException.class)
        .hasMessage("a message is longer than 8192 bytes");
  }

  @Test
  void isNothingWhenTheInputEndsInTheMiddle() throws Exception {
    assertThat(Message.read(bytes("loa"))).isEmpty();
  }

  @Test
  void namesAFieldItLacks() {
    assertThatThrownBy(() -> Message.of("done").number("seen")).hasMessage("\"done\" has no seen");
  }

  private static ByteArrayInputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
