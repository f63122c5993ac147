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

final class PlantedBugCatalogTest {

  /** A change of code in which a bug is planted must adapt the bug, or remove it. */
  @Test
  void everyBugAppliesToTheCurrentSources(@TempDir Path folder) throws Exception {
    SourceTree sources = SourceTree.findRoot();
    Map<String, String> failures = new TreeMap<>();
    for (PlantedBug bug : PlantedBugCatalog.all()) {
      try {
        SourceCompiler.compileInto(
            sources.sourcesWith(bug), Files.createDirectory(folder.resolve(bug.name())));
      } catch (IllegalStateException e) {
        failures.put(bug.name(), String.valueOf(e.getMessage()));
      }
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void thereAreAtLeastTwenty() {
    assertThat(PlantedBugCatalog.all()).hasSizeGreaterThanOrEqualTo(20);
  }

  @Test
  void namesAreWordsAndUnique() {
    List<String> names = PlantedBugCatalog.all().stream().map(PlantedBug::name).toList();
    assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z]+(-[a-z]+)+"));
  }

  @Test
  void unknownNameSuggestsSimilarNames() {
    assertThat(PlantedBugCatalog.find("no-dedup").description()).isNotEmpty();
    assertThatThrownBy(() -> PlantedBugCatalog.find("no-dedupe"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "there is no planted bug no-dedupe; near it are no-dedup, [a-z-]+, [a-z-]+;"
                + " ./cantle simulate --plant names all [0-9]+");
    assertThat(PlantedBugCatalog.names().lines().skip(1))
        .hasSize(PlantedBugCatalog.all().size())
        .contains("  no-dedup");
  }

  @Test
  void aidsOfABugHaveANameOfTheirOwn() {
    PlantedBug bug = PlantedBugCatalog.find("partial-transfer");
    PlantedBug aids = PlantedBugCatalog.find("partial-transfer-aids");
    assertThat(aids.edits()).isEmpty();
    assertThat(aids.helperEdits()).isEqualTo(bug.helperEdits());
    assertThat(aids.extraWords()).isEqualTo(bug.extraWords());
    assertThatThrownBy(() -> PlantedBugCatalog.find("no-dedup-aids"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the planted bug no-dedup has no aids");
  }

  @Test
  void editThatDoesNotCompileIsRefused(@TempDir Path folder) {
    assertThatThrownBy(
            () ->
                SourceCompiler.compileInto(
                    Map.of("a/A.java", "package a; class A { int x = y; }"), folder))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("does not compile");
  }
}
