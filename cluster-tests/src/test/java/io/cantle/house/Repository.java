package io.cantle.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The files of this repository, and the classes built from them, which the checks examine.
 *
 * <p><b>Threading:</b> immutable.
 */
record Repository(Path root) {

  /** The modules with production code that are built before cluster-tests. */
  static final List<String> MODULES =
      List.of("api", "store", "core", "network", "embedded", "simulation", "cli", "races");

  /**
   * Checked only where they are built: cluster-tests does not need them, so a partial build has
   * none.
   */
  static final List<String> BENCH_MODULES =
      List.of(
          "bench/workload",
          "bench/cantle",
          "bench/infinispan",
          "bench/hazelcast",
          "bench/rocksdb",
          "bench/artemis");

  private static final List<String> PRODUCT_FOLDERS =
      Stream.of("api", "store", "core", "network", "embedded", "cli")
          .map(module -> "/" + module + "/target/classes/")
          .toList();

  private static final Set<String> TEXT_ENDINGS =
      Set.of("java", "xml", "md", "sh", "txt", "properties", "yml", "yaml", "script", "config");

  private static final Set<String> TEXT_FILES = Set.of("mvnw", "cantle", "run", ".editorconfig");

  private static final Set<String> DOT_FOLDERS_OF_OURS = Set.of(".ci", ".mvn");

  /** Returns the repository this test runs in. */
  static Repository here() {
    Path folder = Path.of("").toAbsolutePath();
    for (Path root = folder; root != null; root = root.getParent()) {
      if (Files.exists(root.resolve("mvnw"))) {
        return new Repository(root);
      }
    }
    throw new IllegalStateException("no folder above " + folder + " holds mvnw: run inside Cantle");
  }

  /** Returns every class of the production code. */
  JavaClasses productionClasses() {
    return new ClassFileImporter().importPaths(productionFolders());
  }

  /** Returns every class of the production code and of the tests that are built. */
  JavaClasses allClasses() {
    Stream<Path> tests =
        Stream.concat(MODULES.stream(), BENCH_MODULES.stream())
            .map(module -> root.resolve(module).resolve("target").resolve("test-classes"));
    Path own = root.resolve("cluster-tests").resolve("target");
    return new ClassFileImporter()
        .importPaths(
            Stream.of(
                    productionFolders().stream(),
                    tests,
                    Stream.of(own.resolve("classes"), own.resolve("test-classes")))
                .flatMap(folders -> folders)
                .filter(Files::isDirectory)
                .toList());
  }

  /** Returns the classes of the product among some, without its tools and tests. */
  static Stream<JavaClass> product(JavaClasses classes) {
    return classes.stream()
        .filter(
            type ->
                type.getSource()
                    .map(source -> source.getUri().getPath())
                    .filter(path -> PRODUCT_FOLDERS.stream().anyMatch(path::contains))
                    .isPresent());
  }

  /** Returns how many class files the production code has, counted without ArchUnit. */
  long productionClassCount() {
    long count = 0;
    for (Path folder : productionFolders()) {
      try (Stream<Path> files = Files.walk(folder)) {
        count +=
            files
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(".class") && !name.equals("module-info.class"))
                .count();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return count;
  }

  /** Returns every text file of ours, with its path from the root. */
  List<SourceFile> textFiles() {
    List<SourceFile> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
              String name = folder.getFileName().toString();
              boolean foreign =
                  name.equals("target")
                      || (name.startsWith(".") && !DOT_FOLDERS_OF_OURS.contains(name));
              return foreign && !folder.equals(root)
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              if (isText(file.getFileName().toString())) {
                String path = root.relativize(file).toString().replace('\\', '/');
                found.add(new SourceFile(path, Files.readString(file)));
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  /**
   * Returns where the classes of every module are.
   *
   * @throws IllegalStateException if a module has sources but no classes: what is not built is not
   *     checked
   */
  List<Path> productionFolders() {
    List<Path> folders = new ArrayList<>();
    for (String module : MODULES) {
      Path classes = classes(module);
      if (Files.isDirectory(classes)) {
        folders.add(classes);
      } else if (hasSources(module)) {
        throw new IllegalStateException(
            module + " is not built: no " + classes + "; run ./mvnw verify in " + root);
      }
    }
    BENCH_MODULES.stream().map(this::classes).filter(Files::isDirectory).forEach(folders::add);
    return folders;
  }

  private Path classes(String module) {
    return root.resolve(module).resolve("target").resolve("classes");
  }

  private boolean hasSources(String module) {
    Path sources = root.resolve(module).resolve("src").resolve("main").resolve("java");
    if (!Files.isDirectory(sources)) {
      return false;
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files.anyMatch(file -> file.getFileName().toString().endsWith(".java"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isText(String name) {
    return TEXT_FILES.contains(name)
        || TEXT_ENDINGS.contains(name.substring(name.lastIndexOf('.') + 1));
  }
}
