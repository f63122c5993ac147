package io.cantle.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which modules are checked; no module may drop out unnoticed. */
final class RepositoryTest {
  @TempDir private Path root = Path.of("");

  @Test
  void knowsEveryModuleOfTheBuild() throws IOException {
    Path here = Repository.here().root();
    assertThat(Stream.of(modulesOf(here.resolve("pom.xml"))))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(Repository.MODULES.stream(), Stream.of("bench", "cluster-tests"))
                .toList());
    assertThat(Stream.of(modulesOf(here.resolve("bench").resolve("pom.xml"))).map("bench/"::concat))
        .containsExactlyInAnyOrderElementsOf(Repository.BENCH_MODULES);
  }

  @Test
  void refusesModuleThatHasSourcesAndNoClasses() throws IOException {
    source("core");
    assertThatThrownBy(() -> new Repository(root).productionFolders())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("core is not built: no ");
    Path classes = classes("core");
    assertThat(new Repository(root).productionFolders()).containsExactly(classes);
  }

  @Test
  void readsBenchWhereItIsBuilt() throws IOException {
    source("bench/cantle");
    assertThat(new Repository(root).productionFolders()).isEmpty();
    Path classes = classes("bench/cantle");
    assertThat(new Repository(root).productionFolders()).containsExactly(classes);
  }

  private void source(String module) throws IOException {
    Path folder = Files.createDirectories(root.resolve(module).resolve("src/main/java/a"));
    Files.writeString(folder.resolve("A.java"), "package a;");
  }

  private Path classes(String module) throws IOException {
    return Files.createDirectories(root.resolve(module).resolve("target/classes"));
  }

  private static String[] modulesOf(Path pom) throws IOException {
    return Files.readString(pom)
        .lines()
        .map(String::strip)
        .filter(line -> line.startsWith("<module>"))
        .map(line -> line.substring("<module>".length(), line.indexOf("</")))
        .toArray(String[]::new);
  }
}
