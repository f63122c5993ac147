package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

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
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a reader copies out of the README first works as it stands: it compiles, runs, and prints
 * what its comments promise. A line that ends in {@code // -> words} promises these words.
 */
@Timeout(120)
final class ReadmeTest {
  private static final Pattern JAVA_BLOCK = Pattern.compile("(?ms)^```java\\R(.*?)^```");
  private static final Pattern PROMISE = Pattern.compile("// -> *(.+?) *$", Pattern.MULTILINE);
  private static final Pattern TYPE = Pattern.compile("(?m)^(?:public |final )*class (\\w+)");
  private static final int MOST_LINES = 25;

  @TempDir private Path folder = Path.of("");

  private static String example() throws IOException {
    Path readme = root().resolve("README.md");
    assertThat(readme).exists();
    Matcher block = JAVA_BLOCK.matcher(Files.readString(readme));
    assertThat(block.find()).as("README.md has a block that opens with ```java").isTrue();
    return block.group(1);
  }

  private static Path root() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve("mvnw"))) {
        return at;
      }
    }
    throw new IllegalStateException("no folder above this one holds mvnw: run inside Cantle");
  }

  @Test
  void firstExampleOfTheReadmeCompilesAndPrintsWhatItSays() throws Exception {
    String source = example();
    assertThat(source.lines().filter(line -> !line.isBlank()).count())
        .as("lines of the first example")
        .isLessThanOrEqualTo(MOST_LINES);
    Matcher declared = TYPE.matcher(source);
    String type = declared.find() ? declared.group(1) : "Example";
    compile(type, source);
    List<String> promises = new ArrayList<>();
    Matcher promise = PROMISE.matcher(source);
    while (promise.find()) {
      promises.add(promise.group(1));
    }
    assertThat(promises).as("lines of the example that end in // -> words").isNotEmpty();
    assertThat(run(type)).contains(promises);
  }

  private void compile(String type, String source) {
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
                    System.getProperty("java.class.path"),
                    "-Xlint:all,-processing",
                    "-Werror"),
                null,
                List.of(new Text(type, source)))
            .call();
    assertThat(compiled).as(complaints.toString()).isTrue();
  }

  /** Runs it in a process of its own, as its reader does, and returns what it printed. */
  private String run(String type) throws IOException, InterruptedException {
    String classPath =
        folder + System.getProperty("path.separator") + System.getProperty("java.class.path");
    Path printed = folder.resolve("printed.txt");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath,
                type)
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

  /** A source file that is in no folder. */
  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String type, String text) {
      super(URI.create("string:///" + type + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
