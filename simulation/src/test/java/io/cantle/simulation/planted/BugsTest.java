package io.cantle.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BugsTest {

  /** Who changes a place where a bug is planted moves the bug along, or takes it out. */
  @Test
  void everyBugCanBePlantedInTheSourcesAsTheyAre(@TempDir Path folder) throws Exception {
    Sources sources = Sources.find();
    Map<String, String> failures = new TreeMap<>();
    for (Bug bug : Bugs.all()) {
      try {
        Compilation.compile(sources.with(bug), Files.createDirectory(folder.resolve(bug.name())));
      } catch (IllegalStateException e) {
        failures.put(bug.name(), String.valueOf(e.getMessage()));
      }
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void thereAreAtLeastTwenty() {
    assertThat(Bugs.all()).hasSizeGreaterThanOrEqualTo(20);
  }

  @Test
  void namesAreWordsAndUnique() {
    List<String> names = Bugs.all().stream().map(Bug::name).toList();
    assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z]+(-[a-z]+)+"));
  }

  @Test
  void unknownNameIsAnsweredWithThoseNearItAndHowToSeeAll() {
    assertThat(Bugs.named("no-dedup").plants()).isNotEmpty();
    assertThatThrownBy(() -> Bugs.named("no-dedupe"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "there is no planted bug no-dedupe; near it are no-dedup, [a-z-]+, [a-z-]+;"
                + " ./cantle simulate --plant names all [0-9]+");
    assertThat(Bugs.names().lines().skip(1)).hasSize(Bugs.all().size()).contains("  no-dedup");
  }

  @Test
  void changeThatDoesNotCompileIsRefused(@TempDir Path folder) {
    assertThatThrownBy(
            () ->
                Compilation.compile(
                    Map.of("a/A.java", "package a; class A { int x = y; }"), folder))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("does not compile");
  }
}
