package io.cantle.simulation.planted;

import java.nio.file.Path;

/**
 * Plants a bug for other processes. It compiles the changed classes into a folder that stands first
 * on the class path of those processes.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class PlantedClassPath {
  private PlantedClassPath() {}

  /**
   * Compiles the changed sources of a bug.
   *
   * @param folder where the classes go; it exists
   * @throws IllegalStateException if the sources of the project are missing, or are not as the bug
   *     expects them
   */
  public static void compile(PlantedBug bug, Path folder) {
    SourceCompiler.compileInto(SourceTree.findRoot().sourcesWith(bug), folder);
  }
}
