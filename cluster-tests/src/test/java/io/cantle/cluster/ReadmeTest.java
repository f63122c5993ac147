package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the first example of the README works as it stands. It compiles, runs with the options
 * the README names, and prints exactly what the README says.
 */
@Timeout(180)
final class ReadmeTest {
  private static final Pattern EXAMPLE = Pattern.compile("(?ms)^```java\\R(.*?)^```\\R(.*?)^```");
  private static final Pattern PRINTS = Pattern.compile("prints `([^`]+)`");
  private static final Pattern OPTION = Pattern.compile("`(--add-opens [^`]+)`");
  private static final String TYPE = "Example";
  private static final int MAX_LINES = 10;

  @TempDir private Path folder = Path.of("");

  @Test
  void firstReadmeExamplePrintsItsOutput() throws Exception {
    Matcher example = EXAMPLE.matcher(Files.readString(root().resolve("README.md")));
    assertThat(example.find()).as("README.md has a block that opens with ```java").isTrue();
    String source = example.group(1);
    String explanation = example.group(2);
    assertThat(source.lines().filter(line -> !line.isBlank()).count())
        .as("lines of the first example")
        .isLessThanOrEqualTo(MAX_LINES);
    compile(source);
    assertThat(run(all(OPTION, explanation))).isEqualToIgnoringNewLines(requireMatch(explanation));
  }

  private static Path root() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve("mvnw"))) {
        return at;
      }
    }
    throw new IllegalStateException("no folder above this one holds mvnw: run inside Cantle");
  }

  private static String requireMatch(String explanation) {
    List<String> promises = all(PRINTS, explanation);
    assertThat(promises).as("what the README says the example prints").hasSize(1);
    return promises.getFirst();
  }

  private static List<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(found -> found.group(1)).toList();
  }

  private void compile(String source) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter complaints = new StringWriter();
    Boolean compiled =
        compiler
            .getTask(
                complaints,
                null,
                null,
                List.of(
                    "-d",
                    folder.toString(),
                    "-cp",
                    classPathOfReader(),
                    "-Xlint:all,-processing",
                    "-Werror"),
                null,
                List.of(new Text(source)))
            .call();
    assertThat(compiled).as(complaints.toString()).isTrue();
  }

  /**
   * Returns the class path without the logging of the house checks, which would print that it is
   * not configured.
   */
  private static String classPathOfReader() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("slf4j"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Runs it in a process of its own, as a reader does, and returns what it printed. */
  private String run(List<String> options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    options.forEach(option -> command.addAll(List.of(option.split(" ", -1))));
    command.add("-cp");
    command.add(folder + File.pathSeparator + classPathOfReader());
    command.add(TYPE);
    Path printed = folder.resolve("printed.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      boolean ended = process.waitFor(60, TimeUnit.SECONDS);
      String output = Files.readString(printed, StandardCharsets.UTF_8);
      assertThat(ended).as("the example ends; it printed " + output).isTrue();
      assertThat(process.exitValue()).as(output).isZero();
      return output;
    } finally {
      process.destroyForcibly();
    }
  }

  /** A source file that exists only in memory. */
  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String text) {
      super(URI.create("string:///" + TYPE + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
