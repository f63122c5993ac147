package io.cantle.cli.demo;

import io.cantle.cli.console.UsageException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * The description of a demo whose nodes can be restarted, stored beside their folders.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param grid the name of the grid
 * @param nodes how many nodes it has
 * @param owners how many of them hold each entry
 * @param data the file of the flights in the grid
 * @param acked how many entries were acknowledged
 */
record SavedDemoGrid(String grid, int nodes, int owners, Path data, long acked) {
  private static final String FILE_NAME = "demo.properties";

  /** Whether a folder holds the nodes of a demo. */
  static boolean existsIn(Path folder) {
    return Files.exists(folder.resolve(FILE_NAME));
  }

  /** The folder of a node. */
  static Path nodeDirectory(Path folder, int node) {
    return folder.resolve(DemoSettings.nodeName(node));
  }

  /**
   * Creates the folder for a demo that has not run in it yet.
   *
   * @throws UsageException if that is impossible
   */
  static void prepareDirectory(Path folder) throws UsageException {
    if (existsIn(folder)) {
      throw new UsageException(
          "--store "
              + folder
              + " already holds the nodes of a demo: restart them with --restart, or choose"
              + " another folder");
    }
    if (Files.exists(nodeDirectory(folder, 1))) {
      throw new UsageException(
          "--store " + folder + " holds the remains of a demo that did not finish: delete it");
    }
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UsageException("--store " + folder + " cannot be created: " + e);
    }
  }

  void write(Path folder) throws DemoFailedException {
    Properties all = new Properties();
    all.setProperty("grid", grid);
    all.setProperty("nodes", Integer.toString(nodes));
    all.setProperty("owners", Integer.toString(owners));
    all.setProperty("data", data.toAbsolutePath().toString());
    all.setProperty("acked", Long.toString(acked));
    try (BufferedWriter out = Files.newBufferedWriter(folder.resolve(FILE_NAME))) {
      all.store(out, "what ./cantle demo --store needs to bring its nodes back");
    } catch (IOException e) {
      throw new DemoFailedException("--store " + folder + " cannot be written: " + e);
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws UsageException if there is none
   */
  static SavedDemoGrid read(Path folder) throws UsageException {
    if (!existsIn(folder)) {
      throw new UsageException(
          "there are no nodes of a demo in "
              + folder
              + ": run ./cantle demo --store "
              + folder
              + " first");
    }
    Properties all = new Properties();
    try (Reader in = Files.newBufferedReader(folder.resolve(FILE_NAME))) {
      all.load(in);
      return new SavedDemoGrid(
          all.getProperty("grid", ""),
          Integer.parseInt(all.getProperty("nodes", "")),
          Integer.parseInt(all.getProperty("owners", "")),
          Path.of(all.getProperty("data", "")),
          Long.parseLong(all.getProperty("acked", "")));
    } catch (IOException | IllegalArgumentException e) {
      throw new UsageException(folder.resolve(FILE_NAME) + " cannot be read: " + e.getMessage());
    }
  }
}
