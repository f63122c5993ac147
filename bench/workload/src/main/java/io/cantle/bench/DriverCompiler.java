package io.cantle.bench;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles a driver against the jars of a checkout.
 *
 * <p><b>Threading:</b> one thread.
 *
 * @param compiler of the JDK
 */
record DriverCompiler(JavaCompiler compiler) {

  /**
   * Returns the compiler of the JDK this program runs on; empty if it runs on a Java without one.
   */
  static Optional<DriverCompiler> ofThisJava() {
    return Optional.ofNullable(ToolProvider.getSystemJavaCompiler()).map(DriverCompiler::new);
  }

  /**
   * Compiles one source file.
   *
   * @param source the driver
   * @param classPath what it is compiled against
   * @param folder where the class files go
   * @return the errors of the compiler, empty if it compiled
   */
  Optional<String> compile(Path source, List<Path> classPath, Path folder) throws IOException {
    if (!Files.isRegularFile(source)) {
      return Optional.of("there is no " + source);
    }
    String entries =
        classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    List<String> options =
        List.of("-d", folder.toString(), "-classpath", entries, "-proc:none", "-nowarn");
    DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(said, Locale.ROOT, StandardCharsets.UTF_8)) {
      StringWriter more = new StringWriter();
      Iterable<? extends JavaFileObject> units = files.getJavaFileObjects(source);
      if (compiler.getTask(more, files, said, options, null, units).call()) {
        return Optional.empty();
      }
      return Optional.of(
          said.getDiagnostics().stream()
              .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
              .findFirst()
              .map(diagnostic -> text(source, diagnostic))
              .orElse(more.toString().strip()));
    }
  }

  private static String text(Path source, Diagnostic<? extends JavaFileObject> diagnostic) {
    String message =
        diagnostic
            .getMessage(Locale.ROOT)
            .lines()
            .map(String::strip)
            .collect(Collectors.joining(", "));
    return source.getFileName() + ":" + diagnostic.getLineNumber() + ": " + message;
  }
}
