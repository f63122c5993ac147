package io.cantle.simulation.planted;

import java.nio.file.Path;

/**
 * Plants a bug for other processes: its changed classes go into a folder, which those processes
 * find first on their class path.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class PlantedClassPath {
  private PlantedClassPath() {}

  /**
   * Compiles a bug's changed sources.
   *
   * @param folder where the classes go; it exists
   * @throws IllegalStateException if the sources of the project are not there, or are not as the
   *     bug expects them
   */
  public static void compile(PlantedBug bug, Path folder) {
    SourceCompiler.compileInto(SourceTree.findRoot().sourcesWith(bug), folder);
  }
}
