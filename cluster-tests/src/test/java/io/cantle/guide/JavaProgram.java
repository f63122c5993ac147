package io.cantle.guide;

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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles sources as a user of Cantle does, and runs them in a process of their own.
 *
 * <p><b>Threading:</b> one thread, the test's.
 *
 * @param folder where the classes are, and what was printed
 */
record JavaProgram(Path folder) {
  private static final int DEADLINE_SECONDS = 120;

  /**
   * What a process printed.
   *
   * @param out to its standard output
   * @param errors to its standard error
   */
  record Printed(String out, String errors) {}

  /**
   * Compiles sources with all lints as errors, but for the one which wants that a grid is used.
   *
   * @param sources the sources by the names of their types
   */
  void compile(Map<String, String> sources, String... options) {
    StringWriter complaints = new StringWriter();
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("-d", folder.toString(), "-Xlint:all,-processing,-try", "-Werror"));
    Boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                complaints,
                null,
                null,
                all,
                null,
                sources.entrySet().stream()
                    .map(source -> new SourceText(source.getKey(), source.getValue()))
                    .toList())
            .call();
    assertThat(compiled).as(complaints.toString()).isTrue();
  }

  /** Runs a JVM with these arguments, which must end with the exit status. */
  Printed run(int status, List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m"));
    command.addAll(arguments);
    Path out = folder.resolve("out.txt");
    Path errors = folder.resolve("errors.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      // A program that waits for a line finds the end of its input.
      process.getOutputStream().close();
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      Printed printed = new Printed(read(out), read(errors));
      assertThat(ended).as("it ends; it printed %s", printed).isTrue();
      assertThat(process.exitValue()).as(printed.toString()).isEqualTo(status);
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }

  /**
   * The class path of this test, without the logging of the house checks, which would print that it
   * is not configured.
   */
  static String classPath() {
    return path(entry -> !Path.of(entry).getFileName().toString().startsWith("slf4j"));
  }

  /** The jars or folders of the class path that a user's program has on its module path. */
  static String modulePath() {
    return path(
        entry ->
            entry.matches(".*/(api|store|core|network|embedded)/target/(classes|[^/]*\\.jar)")
                || entry.matches(".*/(fory-core|netty|hash4j|jspecify|error_prone_anno)[^/]*jar"));
  }

  private static String path(Predicate<String> part) {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(part)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** A source file that exists only in memory. */
  private static final class SourceText extends SimpleJavaFileObject {
    private final String text;

    SourceText(String type, String text) {
      super(URI.create("string:///" + type.replace('.', '/') + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
