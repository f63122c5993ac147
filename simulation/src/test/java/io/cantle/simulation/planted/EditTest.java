package io.cantle.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class EditTest {
  private final Edit edit = new Edit("a/A.java", "if (x > 1) { return $1; }", "done($1);");

  @Test
  void findsTextHoweverItsLinesAreBroken() {
    assertThat(edit.appliedTo("before\n  if (x > 1) {\n    return $1;\n  }\nafter"))
        .isEqualTo("before\n  done($1);\nafter");
    assertThat(edit.appliedTo("if (\n  x > 1) { return $1; }")).isEqualTo("done($1);");
  }

  @Test
  void refusesTextThatIsNotThereExactlyOnce() {
    String once = "if (x > 1) { return $1; }";
    assertThatThrownBy(() -> edit.appliedTo("if (x > 2) { return $1; }"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("0 times in a/A.java");
    assertThatThrownBy(() -> edit.appliedTo("if (x > 1) { return $ 2; }"))
        .hasMessageContaining("0 times");
    assertThatThrownBy(() -> edit.appliedTo(once + once)).hasMessageContaining("2 times");
  }
}
