package io.cantle.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheStatistics;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that each program of README.md and of docs/guide compiles without a warning, runs with the
 * option that the README names, and prints what its page says.
 */
@Timeout(180)
final class GuideTest {
  private static final Pattern OPTION = Pattern.compile("`(--add-opens [^`]+=ALL-UNNAMED)`");
  private static final int MAX_README_LINES = 10;
  private static final String FRAME =
      """
      import io.cantle.*;

      void main() {
        try (Grid grid = Grid.local()) {
          // the code of a page
        }
      }
      """;

  @TempDir private Path folder = Path.of("");

  @Test
  void everyProgramPrintsWhatItsPageSays() throws Exception {
    Path root = root();
    String readme = Files.readString(root.resolve("README.md"));
    List<GuideProgram> programs = readPrograms(root, readme);
    assertThat(programs.getFirst().source().lines().filter(line -> !line.isBlank()).count())
        .as("lines of the first example")
        .isLessThanOrEqualTo(MAX_README_LINES);
    assertThat(programs).hasSizeGreaterThan(10);

    JavaProgram java = new JavaProgram(folder);
    java.compile(
        programs.stream().collect(Collectors.toMap(GuideProgram::type, GuideProgram::source)),
        "-cp",
        JavaProgram.classPath());
    List<String> arguments = new ArrayList<>(options(readme));
    arguments.addAll(List.of("-cp", folder + File.pathSeparator + JavaProgram.classPath()));
    arguments.add(GuideRun.class.getName());
    programs.stream().filter(GuideProgram::hasMain).map(GuideProgram::type).forEach(arguments::add);
    JavaProgram.Printed printed = java.run(0, arguments);
    Map<String, String> outputs = split(printed.out());
    assertThat(
            programs.stream()
                .filter(program -> !program.describes(outputs.getOrDefault(program.type(), "")))
                .map(
                    program ->
                        "%s says%n%s%nbut its program prints%n%s%nand logs%n%s"
                            .formatted(
                                program.page(),
                                program.prints(),
                                outputs.get(program.type()),
                                printed.errors())))
        .isEmpty();
  }

  @Test
  void theProjectOfOnesOwnIsBuiltAsThatOfNew() throws IOException {
    String template =
        Files.readString(root().resolve("cli/src/main/resources/io/cantle/cli/project/pom.xml"));
    String project =
        template.replace("@artifact@", "my-project").replace("@version@", "0.1.0-SNAPSHOT");

    assertThat(Files.readString(root().resolve("docs/guide/first-steps.md")))
        .contains("```xml\n" + project.strip() + "\n```");
  }

  @Test
  void thePageOnStatisticsNamesEveryFigure() throws IOException {
    String page = Files.readString(root().resolve("docs/guide/statistics.md"));
    assertThat(CacheStatistics.class.getRecordComponents())
        .extracting(RecordComponent::getName)
        .isNotEmpty()
        .allSatisfy(figure -> assertThat(page).contains("`" + figure + "`"));
  }

  @Test
  void comparesWhatIsPrintedWithCommentsAndTextBlocks() {
    String page =
        """
        ```java
        IO.println(1 + 1);  // 2
        IO.println("node " + name);  // node ...
        ```
        And then:
        ```java
        printMore();
        ```
        ```text
        more
        and more
        ```
        """;
    GuideProgram program = GuideProgram.of("docs/guide/a-page.md", page, FRAME).getFirst();
    assertThat(program.type()).isEqualTo("APage");
    assertThat(program.source())
        .startsWith("import io.cantle.*;")
        .containsSubsequence("IO.println(1 + 1);", "printMore();");
    assertThat(program.describes("2\nnode x-17\nmore and more\n")).isTrue();
    assertThat(program.describes("3\nnode x-17\nmore and more\n")).isFalse();
    assertThat(program.describes("2\nnode x-17\nmore and most\n")).isFalse();
    assertThat(program.describes("")).isFalse();
  }

  @Test
  void blocksWithImportsAreProgramsOfTheirOwn() {
    String page =
        """
        ```java
        import java.util.List;

        void main() {
          IO.println("a");  // a
        }
        ```
        ```java
        IO.println("b");  // b
        ```
        """;
    List<GuideProgram> programs = GuideProgram.of("page.md", page, FRAME);
    assertThat(programs).extracting(GuideProgram::type).containsExactly("Page1", "Page");
    assertThat(programs).allMatch(GuideProgram::hasMain);
    assertThat(programs).extracting(GuideProgram::prints).containsExactly("a\n", "b\n");
  }

  private static List<GuideProgram> readPrograms(Path root, String readme) throws IOException {
    Path guide = root.resolve("docs").resolve("guide");
    String frame = GuideProgram.frame(Files.readString(guide.resolve("README.md")));
    List<GuideProgram> programs = new ArrayList<>(GuideProgram.of("README.md", readme, frame));
    try (Stream<Path> files = Files.list(guide)) {
      for (Path page : files.filter(file -> file.toString().endsWith(".md")).sorted().toList()) {
        String path = root.relativize(page).toString().replace('\\', '/');
        programs.addAll(GuideProgram.of(path, Files.readString(page), frame));
      }
    }
    return programs;
  }

  private static List<String> options(String readme) {
    return OPTION
        .matcher(readme)
        .results()
        .map(found -> found.group(1))
        .distinct()
        .flatMap(option -> Stream.of(option.split(" ", -1)))
        .toList();
  }

  /** What each program has printed, by its type. */
  private static Map<String, String> split(String output) {
    return Stream.of(output.split("(?m)^" + GuideRun.HEADING, -1))
        .map(part -> part.split("\\R", 2))
        .filter(part -> part.length == 2)
        .collect(Collectors.toMap(part -> part[0], part -> part[1]));
  }

  private static Path root() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve("mvnw"))) {
        return at;
      }
    }
    throw new IllegalStateException("no folder above this one holds mvnw: run inside Cantle");
  }
}
