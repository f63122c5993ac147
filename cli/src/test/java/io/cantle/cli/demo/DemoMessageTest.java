package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DemoMessageTest {
  @Test
  void roundTrips() throws Exception {
    DemoMessage message =
        DemoMessage.of(DemoMessage.DONE).with("seen", 12).with("text", "a = b, ü");
    ByteArrayInputStream in =
        bytes(message.toLine() + "\n" + DemoMessage.of("stop").toLine() + "\n");
    assertThat(DemoMessage.read(in)).contains(message);
    assertThat(DemoMessage.read(in)).contains(DemoMessage.of("stop"));
    assertThat(DemoMessage.read(in)).isEmpty();
    assertThat(message.numberField("seen")).isEqualTo(12);
  }

  @Test
  void isAlwaysOneShortLine() throws Exception {
    DemoMessage message = DemoMessage.of("failed").with("text", "a\tb\r\nc" + "x".repeat(100_000));
    assertThat(message.textField("text")).startsWith("a b cxxx").hasSize(2_000);
    assertThat(DemoMessage.read(bytes(message.toLine() + "\n"))).contains(message);
  }

  @Test
  void isNotReadBeyondTheMaximumLine() {
    assertThatThrownBy(() -> DemoMessage.read(bytes("x".repeat(10_000))))
        .isInstanceOf(IOException.class)
        .hasMessage("a message is longer than 8192 bytes");
  }

  @Test
  void isAbsentWhenTheInputEndsEarly() throws Exception {
    assertThat(DemoMessage.read(bytes("loa"))).isEmpty();
  }

  @Test
  void namesAMissingField() {
    assertThatThrownBy(() -> DemoMessage.of("done").numberField("seen"))
        .hasMessage("\"done\" has no seen");
  }

  private static ByteArrayInputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
