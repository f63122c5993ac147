package io.cantle.house;

import java.util.List;

/**
 * One text file of the repository.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param path from the root, with forward slashes
 * @param text its whole content
 */
record SourceFile(String path, String text) {

  List<String> lines() {
    return text.lines().toList();
  }

  boolean isJava() {
    return path.endsWith(".java");
  }

  /** Whether this is a page of the documentation. */
  boolean isPage() {
    return path.endsWith(".md");
  }

  boolean isTest() {
    return path.contains("src/test/");
  }

  boolean isIn(String module) {
    return path.startsWith(module + "/");
  }
}
