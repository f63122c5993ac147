package io.cantle.simulation.planted;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sources of the core, and of the modules around it, in the folder of the project.
 *
 * <p><b>Threading:</b> immutable; files are read by any thread.
 *
 * @param root the project's folder
 */
record SourceTree(Path root) {
  private static final String ROOT_VARIABLE = "CANTLE_ROOT";
  private static final String PACKAGE = "io/cantle/core/";
  private static final String SOURCE_ROOT = "/src/main/java/";
  private static final Path CORE = Path.of("core", "src", "main", "java", "io", "cantle", "core");

  /**
   * Finds the sources of the project this process runs from: the project that {@code ./cantle}
   * names, or else the nearest around the working folder.
   *
   * @throws IllegalStateException if there is none
   */
  static SourceTree findRoot() {
    String named = System.getenv(ROOT_VARIABLE);
    Path begin = Path.of(named == null ? "" : named).toAbsolutePath().normalize();
    for (Path root = begin; root != null; root = root.getParent()) {
      if (Files.isDirectory(root.resolve(CORE))) {
        return new SourceTree(root);
      }
    }
    throw new IllegalStateException(
        "no sources of Cantle at or above " + begin + ": planting needs " + CORE);
  }

  /**
   * Returns the changed files of a bug: their new text under their name below the source root.
   *
   * @throws IllegalStateException if a text to be changed is not there exactly once
   */
  Map<String, String> sourcesWith(PlantedBug bug) {
    Map<String, String> changed = new TreeMap<>();
    bug.edits().forEach(edit -> applyEdit(changed, edit));
    bug.helperEdits().forEach(edit -> applyEdit(changed, edit));
    return changed;
  }

  private void applyEdit(Map<String, String> changed, SourceEdit edit) {
    Path file = sourceFile(edit.file());
    String name = nameOf(edit.file());
    String source = changed.computeIfAbsent(name, _ -> read(file));
    changed.put(name, edit.applyTo(source));
  }

  private Path sourceFile(String name) {
    return name.startsWith("/")
        ? root.resolve(name.substring(1))
        : root.resolve(CORE).resolve(name);
  }

  /**
   * Returns the name of the file for the compiler: its name below the source root of its module.
   */
  private static String nameOf(String name) {
    if (!name.startsWith("/")) {
      return PACKAGE + name;
    }
    int below = name.indexOf(SOURCE_ROOT);
    if (below < 0) {
      throw new IllegalStateException(name + " is not below a folder " + SOURCE_ROOT);
    }
    return name.substring(below + SOURCE_ROOT.length());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }
}
