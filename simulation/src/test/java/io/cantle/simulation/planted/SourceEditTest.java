package io.cantle.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SourceEditTest {
  private final SourceEdit edit =
      new SourceEdit("a/A.java", "if (x > 1) { return $1; }", "done($1);");

  @Test
  void findsTextAcrossLineBreaks() {
    assertThat(edit.applyTo("before\n  if (x > 1) {\n    return $1;\n  }\nafter"))
        .isEqualTo("before\n  done($1);\nafter");
    assertThat(edit.applyTo("if (\n  x > 1) { return $1; }")).isEqualTo("done($1);");
  }

  @Test
  void refusesTextNotFoundExactlyOnce() {
    String once = "if (x > 1) { return $1; }";
    assertThatThrownBy(() -> edit.applyTo("if (x > 2) { return $1; }"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("0 times in a/A.java");
    assertThatThrownBy(() -> edit.applyTo("if (x > 1) { return $ 2; }"))
        .hasMessageContaining("0 times");
    assertThatThrownBy(() -> edit.applyTo(once + once)).hasMessageContaining("2 times");
  }
}
