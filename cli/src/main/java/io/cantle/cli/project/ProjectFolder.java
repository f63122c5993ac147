package io.cantle.cli.project;

import io.cantle.cli.console.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The folder of a new project. Its files are resources of this package, except for the two scripts
 * that find JDK 25: these are the checkout's own.
 *
 * <p><b>Threading:</b> the main thread.
 *
 * @param root the folder, absolute
 */
record ProjectFolder(Path root) {
  /** The script that builds and starts the project. */
  static final String RUN = "run";

  private static final String WRAPPER = "mvnw";
  private static final String JDK_FINDER = "build/jdk.sh";
  private static final Set<String> SCRIPTS = Set.of(RUN, WRAPPER);

  /** Files of the project, and the resource of each. */
  private static final Map<String, String> RESOURCES = resources();

  private static Map<String, String> resources() {
    Map<String, String> files = new LinkedHashMap<>();
    files.put("README.md", "readme.md");
    files.put("pom.xml", "pom.xml");
    files.put("src/main/java/hello/Hello.java", "Hello.java");
    files.put("src/main/java/hello/Greeting.java", "Greeting.java");
    files.put(RUN, "run");
    files.put(".gitignore", "gitignore");
    return files;
  }

  /**
   * Creates the folder, unless it is there and empty.
   *
   * @throws UsageException if it cannot be created, or is something else
   */
  static ProjectFolder create(Path root) throws UsageException {
    if (Files.exists(root) && !Files.isDirectory(root)) {
      throw new UsageException(root + " is a file: name a folder that is empty, or not there yet");
    }
    try {
      Files.createDirectories(root);
      try (Stream<Path> present = Files.list(root)) {
        Optional<Path> first = present.findFirst();
        if (first.isPresent()) {
          throw new UsageException(
              root
                  + " is not empty, it has "
                  + first.get().getFileName()
                  + ": name a folder that is empty, or not there yet");
        }
      }
    } catch (IOException exception) {
      throw new UsageException(
          root + " cannot be created or read (" + exception + "): name a folder elsewhere");
    }
    if (!Files.isWritable(root)) {
      throw new UsageException(root + " cannot be written: name a folder elsewhere");
    }
    return new ProjectFolder(root);
  }

  /**
   * Writes all files.
   *
   * @return their paths in the folder
   */
  List<String> write(Checkout checkout) throws IOException {
    List<String> written = new ArrayList<>();
    for (Map.Entry<String, String> file : RESOURCES.entrySet()) {
      write(file.getKey(), fill(readResource(file.getValue()), checkout), written);
    }
    write(WRAPPER, checkout.read(WRAPPER), written);
    write(JDK_FINDER, checkout.read(JDK_FINDER), written);
    return written;
  }

  private String fill(String text, Checkout checkout) {
    return text.replace("@artifact@", artifact())
        .replace("@version@", checkout.version())
        .replace("@checkout@", checkout.root().toString());
  }

  /** The folder's name, as far as Maven allows it in the name of an artifact. */
  private String artifact() {
    String name = String.valueOf(root.getFileName()).replaceAll("[^A-Za-z0-9_.-]+", "-");
    return name.matches("[.-]*") ? "hello" : name;
  }

  private void write(String path, String text, List<String> written) throws IOException {
    Path file = root.resolve(path);
    Path parent = file.getParent();
    Files.createDirectories(parent == null ? root : parent);
    Files.writeString(file, text);
    if (SCRIPTS.contains(path) && !file.toFile().setExecutable(true, false)) {
      throw new IOException(file + " cannot be made executable: name a folder on another disk");
    }
    written.add(path);
  }

  private static String readResource(String name) throws IOException {
    try (InputStream resource = ProjectFolder.class.getResourceAsStream(name)) {
      if (resource == null) {
        throw new IOException("the jar of the command line lacks its resource " + name);
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
