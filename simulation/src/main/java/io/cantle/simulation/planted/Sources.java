package io.cantle.simulation.planted;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sources of the core, as they lie in the project.
 *
 * <p><b>Threading:</b> immutable; files are read by any thread.
 *
 * @param core the folder of the core's package
 */
record Sources(Path core) {
  private static final String ROOT = "CANTLE_ROOT";
  private static final String PACKAGE = "io/cantle/core/";
  private static final Path CORE = Path.of("core", "src", "main", "java", "io", "cantle", "core");

  /**
   * The sources of the project this process runs from: the one {@code ./cantle} names, else the
   * nearest around the working folder.
   *
   * @throws IllegalStateException if there is none
   */
  static Sources find() {
    String named = System.getenv(ROOT);
    Path begin = Path.of(named == null ? "" : named).toAbsolutePath().normalize();
    for (Path root = begin; root != null; root = root.getParent()) {
      Path core = root.resolve(CORE);
      if (Files.isDirectory(core)) {
        return new Sources(core);
      }
    }
    throw new IllegalStateException(
        "no sources of Cantle at or above " + begin + ": planting needs " + CORE);
  }

  /**
   * The files a bug changes, changed: their text under their name below the source root.
   *
   * @throws IllegalStateException if a text to be changed is not there exactly once
   */
  Map<String, String> with(Bug bug) {
    Map<String, String> changed = new TreeMap<>();
    bug.edits().forEach(edit -> change(changed, edit));
    bug.aids().forEach(edit -> change(changed, edit));
    return changed;
  }

  private void change(Map<String, String> changed, Edit edit) {
    String name = PACKAGE + edit.file();
    String source = changed.computeIfAbsent(name, file -> read(edit.file()));
    changed.put(name, edit.appliedTo(source));
  }

  private String read(String file) {
    try {
      return Files.readString(core.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + core.resolve(file), e);
    }
  }
}
