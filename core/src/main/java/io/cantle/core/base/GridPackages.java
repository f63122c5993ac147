package io.cantle.core.base;

/**
 * The packages that are the grid itself, between the code of users and the network. Programs and
 * tests of Cantle in other packages are users like any other.
 *
 * <p><b>Threading:</b> pure functions.
 */
public final class GridPackages {
  private static final String ROOT = "io.cantle.";

  private GridPackages() {}

  /** Whether the class of this name belongs to the grid itself. */
  public static boolean contains(String className) {
    if (!className.startsWith(ROOT)) {
      return false;
    }
    int dot = className.indexOf('.', ROOT.length());
    return dot < 0
        || switch (className.substring(ROOT.length(), dot)) {
          case "core", "embedded", "function", "network", "spi", "store" -> true;
          default -> false;
        };
  }
}
