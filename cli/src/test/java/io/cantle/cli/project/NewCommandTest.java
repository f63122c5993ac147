package io.cantle.cli.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests which folders are refused, and what is written into one that is not. */
final class NewCommandTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @TempDir private Path folder = Path.of("");

  @Test
  void anUnusableFolderIsRefusedWithWhatToDo() throws IOException {
    Path file = Files.writeString(folder.resolve("a-file"), "");
    assertRefused(file, "is a file: name a folder that is empty, or not there yet");
    assertRefused(file.resolve("below"), "cannot be created or read");
    assertRefused(folder, "is not empty, it has a-file: name a folder that is empty");
  }

  @Test
  void withoutACheckoutItSaysHowToBeStarted() {
    assertRefused(folder.resolve("new"), "CANTLE_ROOT is not set: start this by ./cantle");
  }

  @Test
  void writesFilesThatNameTheProjectAndTheVersion() throws Exception {
    Path root = Files.createDirectories(folder.resolve("checkout").resolve("build"));
    Files.writeString(root.resolve("jdk.sh"), "finds a JDK");
    Checkout checkout = new Checkout(folder.resolve("checkout"), "1.2.3");
    Files.writeString(checkout.root().resolve("mvnw"), "starts Maven");

    ProjectFolder project = ProjectFolder.create(folder.resolve("my first shop"));
    assertThat(project.write(checkout))
        .allSatisfy(
            file ->
                assertThat(Files.readString(project.root().resolve(file)))
                    .doesNotContainPattern("@\\w+@"));
    assertThat(Files.readString(project.root().resolve("pom.xml")))
        .contains("<artifactId>my-first-shop</artifactId>", "<version>1.2.3</version>");
    assertThat(project.root().resolve("run")).isExecutable();
    assertThat(project.root().resolve("mvnw")).isExecutable().hasContent("starts Maven");
    assertThat(project.root().resolve("build").resolve("jdk.sh")).hasContent("finds a JDK");
  }

  @Test
  void failedInstallationSaysThatTheProjectHasNoFiles() throws Exception {
    Path maven =
        Files.writeString(folder.resolve("mvnw"), "#!/bin/sh\necho mvnw: broken\nexit 1\n");
    assertThat(maven.toFile().setExecutable(true)).isTrue();
    Checkout checkout = new Checkout(folder, "1.2.3");
    assertThatThrownBy(() -> checkout.install(artifact -> {}))
        .hasMessageContaining("the project has no files yet")
        .hasMessageContaining("mvnw: broken");
  }

  private void assertRefused(Path path, String why) {
    said.reset();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    assertThat(new CommandLine(new NewCommand(out, out)).execute(path.toString())).isEqualTo(2);
    assertThat(said.toString(StandardCharsets.UTF_8))
        .startsWith("cantle new: ")
        .contains(why)
        .hasLineCount(1);
  }
}
