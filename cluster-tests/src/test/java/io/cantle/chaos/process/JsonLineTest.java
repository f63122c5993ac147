package io.cantle.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonLineTest {
  @Test
  void roundTrips() {
    JsonLine line =
        JsonLine.empty()
            .with("a", "quoted \" and \\ and \n and \u00e9")
            .with("b", Long.MIN_VALUE)
            .with("c", "")
            .with("d", Long.MAX_VALUE);
    assertThat(JsonLine.parse(line.toString())).isEqualTo(line);
    assertThat(JsonLine.parse("{}")).isEqualTo(JsonLine.empty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "{", "{\"a\"", "{\"a\":}", "{\"a\":1", "{\"a\":1}x", "{\"a\":1.5}", "[1]"})
  void refusesAnythingButAFlatObject(String text) {
    assertThatThrownBy(() -> JsonLine.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a flat JSON object");
  }
}
