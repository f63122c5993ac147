package io.cantle.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.atIndex;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what docs/guide/modules-and-flags.md says: what is printed without {@code --add-opens}, and
 * what the module path needs.
 */
@Timeout(180)
final class FlagsTest {
  private static final String PROGRAM =
      """
      package shop;

      import io.cantle.Cache;
      import io.cantle.Grid;
      import java.util.List;
      import java.util.Map;
      import shop.closed.Hidden;

      public final class Main {
        record Order(String city, int cents) {}

        public static final class Basket {
          private int pears = 3;
          private List<Crate> crates = List.of(new Crate());
          private Crate[] more = {new Crate()};
          private Object any = Map.of("a", new Crate());

          @Override
          public String toString() {
            return "Basket of " + pears + more.length + crates.size() + any.toString().length();
          }
        }

        public static class Crate {
          private Object label = "C";

          @Override
          public String toString() {
            return "Crate " + label;
          }
        }

        public static void main(String[] arguments) {
          try (Grid grid = Grid.local()) {
            Cache<Integer, Object> cache = grid.cache("things");
            for (Object thing :
                List.of(
                    new Order("Rome", 4200), new Hidden(1), Map.of("apples", 5), new Basket())) {
              try {
                cache.put(1, thing);
                System.err.println(
                    cache.values().stream().filter(o -> o.hashCode() != 0).toList());
              } catch (IllegalArgumentException refused) {
                System.err.println(refused.getMessage());
              }
            }
          }
        }
      }
      """;

  /** Asks one question, of plain data. */
  private static final String QUESTION =
      """
      package shop;

      import io.cantle.*;
      import java.util.*;
      import java.util.stream.Collectors;

      public final class Question {
        public static void main(String[] arguments) {
          try (Grid grid = Grid.local()) {
            Cache<Integer, String> cache = grid.cache("cities");
            cache.put(1, "Rome");
            List<String> list = List.of("Oslo", "Rome");
            Set<String> set = Set.of("Oslo", "Rome");
            System.err.println(
                switch (arguments[0]) {
                  case "captured list" ->
                      cache.values().stream().filter(c -> list.contains(c)).toList();
                  case "captured set" ->
                      cache.values().stream().filter(c -> set.contains(c)).toList();
                  case "counts" ->
                      cache.values().stream()
                          .collect(
                              CacheCollectors.groupingBy(
                                  c -> c.length(), CacheCollectors.counting()));
                  case "sets" ->
                      cache.values().stream()
                          .collect(
                              CacheCollectors.groupingBy(
                                  c -> c.length(), CacheCollectors.toSet()));
                  default -> cache.keySet().stream().map(k -> Map.of(k, k)).toList();
                });
          }
        }
      }
      """;

  private static final String HIDDEN =
      """
      package shop.closed;

      public record Hidden(int value) {}
      """;

  private static final String MODULE =
      """
      module shop {
        requires io.cantle;

        opens shop to io.cantle.core;
      }
      """;

  /** What is said of a record on the module path whose package is not opened. */
  private static final String REFUSAL =
      "record shop.closed.Hidden cannot be accessed: add 'opens shop.closed to io.cantle.core;' to"
          + " the module-info of shop";

  /** What is read of a public class, which Fory's code may not access on the module path. */
  private static final String BASKET = "[Basket of 31111]";

  private static final String WHOLE_FLAG = "--add-opens java.base/java.lang.invoke=ALL-UNNAMED";

  /** Has what is logged in one line each, so that it can be left out. */
  private static final String LOG_LINES = "-Djava.util.logging.SimpleFormatter.format=%4$s: %5$s%n";

  @TempDir private Path folder = Path.of("");

  @Test
  void withoutTheFlagTheJvmWarnsOfObjectGraphsOnly() throws Exception {
    compileForClassPath();
    List<String> lines = linesOf(runOnClassPath());
    assertThat(lines).startsWith("[Order[city=Rome, cents=4200]]", "[Hidden[value=1]]");
    assertThat(lines).endsWith("[{apples=5}]", BASKET);
    assertWarnsAsThePageSays(lines);
  }

  @Test
  void whatFunctionsCaptureAndReturnMakesTheJvmWarnToo() throws Exception {
    new JavaProgram(folder)
        .compile(Map.of("shop.Question", QUESTION), "-cp", JavaProgram.classPath());
    List<String> warned = new ArrayList<>();
    for (String question :
        List.of("captured list", "captured set", "counts", "sets", "maps of entries")) {
      List<String> lines =
          linesOf(
              new JavaProgram(folder)
                  .run(
                      0,
                      List.of(
                          LOG_LINES,
                          "-cp",
                          folder + File.pathSeparator + JavaProgram.classPath(),
                          "shop.Question",
                          question)));
      if (lines.size() > 1) {
        warned.add(question);
      }
    }
    assertThat(warned).containsExactly("captured set", "counts", "sets", "maps of entries");
  }

  @Test
  void whereUnsafeIsDeniedTheErrorNamesTheFlag() throws Exception {
    compileForClassPath();
    JavaProgram.Printed printed = runOnClassPath("--sun-misc-unsafe-memory-access=deny");
    assertThat(linesOf(printed))
        .startsWith("[Order[city=Rome, cents=4200]]", "[Hidden[value=1]]")
        .hasSize(4)
        .satisfies(line -> assertThat(line).contains(WHOLE_FLAG), atIndex(2))
        .satisfies(line -> assertThat(line).contains(WHOLE_FLAG), atIndex(3));
    assertThat(printed.out()).isEmpty();

    assertThat(
            linesOf(
                runOnClassPath(
                    "--sun-misc-unsafe-memory-access=deny",
                    "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED")))
        .endsWith("[{apples=5}]", BASKET);
  }

  @Test
  void theModulePathHasAFlagOfItsOwnAndNeedsRecordsOpened() throws Exception {
    compileForModulePath();
    String flag = "--add-opens=java.base/java.lang.invoke=org.apache.fory.core";
    assertThat(linesOf(runOnModulePath(flag)))
        .containsExactly("[Order[city=Rome, cents=4200]]", REFUSAL, "[{apples=5}]", BASKET);
  }

  @Test
  void onTheModulePathTheJvmWarnsOfTheSameWithoutTheFlag() throws Exception {
    compileForModulePath();
    List<String> lines = linesOf(runOnModulePath());
    assertThat(lines).startsWith("[Order[city=Rome, cents=4200]]", REFUSAL);
    assertThat(lines).endsWith("[{apples=5}]", BASKET);
    assertWarnsAsThePageSays(lines);
  }

  private static void assertWarnsAsThePageSays(List<String> lines) throws Exception {
    GuideProgram page = new GuideProgram("", "", "", warningsOfPage());
    assertThat(page.describes(String.join("\n", lines.subList(2, lines.size() - 2))))
        .as(lines.toString())
        .isTrue();
  }

  private static List<String> linesOf(JavaProgram.Printed printed) {
    return printed.errors().lines().filter(line -> !line.startsWith("INFO: ")).toList();
  }

  private void compileForClassPath() {
    new JavaProgram(folder)
        .compile(
            Map.of("shop.Main", PROGRAM, "shop.closed.Hidden", HIDDEN),
            "-cp",
            JavaProgram.classPath());
  }

  private void compileForModulePath() {
    new JavaProgram(folder)
        .compile(
            Map.of("module-info", MODULE, "shop.Main", PROGRAM, "shop.closed.Hidden", HIDDEN),
            "-p",
            JavaProgram.modulePath());
  }

  private JavaProgram.Printed runOnModulePath(String... flags) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(flags));
    arguments.add(LOG_LINES);
    arguments.addAll(List.of("-p", folder + File.pathSeparator + JavaProgram.modulePath()));
    arguments.addAll(List.of("-m", "shop/shop.Main"));
    return new JavaProgram(folder).run(0, arguments);
  }

  private JavaProgram.Printed runOnClassPath(String... flags) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(flags));
    arguments.add(LOG_LINES);
    arguments.addAll(List.of("-cp", folder + File.pathSeparator + JavaProgram.classPath()));
    arguments.add("shop.Main");
    return new JavaProgram(folder).run(0, arguments);
  }

  /** The warnings as the page shows them. */
  private static String warningsOfPage() throws Exception {
    return Files.readAllLines(page()).stream()
        .dropWhile(line -> !line.startsWith("WARNING: "))
        .takeWhile(line -> !line.startsWith("```"))
        .collect(Collectors.joining("\n"));
  }

  private static Path page() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve("mvnw"))) {
        return at.resolve("docs").resolve("guide").resolve("modules-and-flags.md");
      }
    }
    throw new IllegalStateException("no folder above this one holds mvnw: run inside Cantle");
  }
}
