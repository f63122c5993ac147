package io.cantle.simulation.planted;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles changed sources against the class path of this process.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class SourceCompiler {
  private SourceCompiler() {}

  /**
   * Compiles these sources, by their names below the source root, into a folder.
   *
   * @throws IllegalStateException with the compiler's messages if they do not compile
   */
  static void compileInto(Map<String, String> sources, Path folder) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new IllegalStateException("planting needs a JDK: this Java has no compiler");
    }
    DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
    List<JavaFileObject> units = new ArrayList<>();
    sources.forEach((name, text) -> units.add(new Source(name, text)));
    // The project compiles its code with all warnings elsewhere. A planted bug may well leave
    // something unused.
    List<String> options =
        List.of(
            "-d",
            folder.toString(),
            "-classpath",
            System.getProperty("java.class.path", ""),
            "-proc:none",
            "-implicit:none",
            "-nowarn");
    StringWriter more = new StringWriter();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(said, null, StandardCharsets.UTF_8)) {
      if (!compiler.getTask(more, files, said, options, null, units).call()) {
        throw new IllegalStateException(
            "does not compile: " + said.getDiagnostics() + " " + more.toString().strip());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("changed:///" + name), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
