package io.cantle.simulation.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ProtocolScriptTest {
  private static final Path FOLDER = Path.of("src", "test", "protocol");

  /** Run with {@code -Dprotocol.scripts=write}, the test writes the outputs to the scripts. */
  private static final boolean WRITES = "write".equals(System.getProperty("protocol.scripts"));

  static List<String> scripts() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".txt"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void scriptProducesItsOutput(String name) throws IOException {
    Path file = FOLDER.resolve(name);
    String text = Files.readString(file);
    String played = ScriptPlayer.play(text);
    if (WRITES) {
      Files.writeString(file, played);
      return;
    }
    List<String> difference = LineDiff.between(text.lines().toList(), played.lines().toList());
    assertThat(difference)
        .as(
            "%s:%n%s%nif this is meant, write the outputs anew with -Dprotocol.scripts=write",
            name, String.join("\n", difference))
        .isEmpty();
  }

  @Test
  void unknownCommandIsRefusedWithItsLineAndTheCommands() {
    assertThatThrownBy(() -> ScriptPlayer.play("# Prose\n\n> grid a\n> putt k v from a\n"))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("line 4: putt k v from a: no command is written so; the commands")
        .hasMessageContaining("\n  put KEY VALUE from NODE\n")
        .hasMessageContaining("\n  show replicas");
  }

  @Test
  void wordThatNamesNothingIsRefusedWithWhatThereIs() {
    assertThatThrownBy(() -> ScriptPlayer.play("# Prose\n> grid a\n> crash z\n"))
        .isInstanceOf(AssertionError.class)
        .hasMessage("line 3: crash z: no node is called z; there are a");
    assertThatThrownBy(() -> ScriptPlayer.play("# Prose\n> settings colour=red\n"))
        .hasMessageContaining("line 2")
        .hasMessageContaining("they are owners, segments, durability, when-cut");
    assertThatThrownBy(() -> ScriptPlayer.play("# Prose\n> grid a\n> messages letters\n"))
        .hasMessageContaining("they are calls, replication, epochs");
  }

  @Test
  void lineThatIsNeitherProseNorCommandNorOutputIsRefused() {
    assertThatThrownBy(() -> ProtocolScript.parse("# Prose\nadvance 1s\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("line 2: begins with none of");
    assertThatThrownBy(() -> ProtocolScript.parse("> advance 1s\n"))
        .hasMessageStartingWith("line 1: a script opens with prose");
  }

  @Test
  void outputsInAScriptAreReplaced() {
    ProtocolScript parsed = ProtocolScript.parse("# Prose\n\n> one\n  old\n\n> two\n  old\n");
    assertThat(parsed.withOutputs(List.of(List.of("new", "newer"), List.of())))
        .isEqualTo("# Prose\n\n> one\n  new\n  newer\n\n> two\n");
  }

  @Test
  void differenceShowsOnlyTheLinesThatChanged() {
    assertThat(LineDiff.between(List.of("a", "b", "c", "d"), List.of("a", "x", "c", "d", "e")))
        .containsExactly("line 2 - b", "line 3 + x", "line 5 + e");
  }
}
