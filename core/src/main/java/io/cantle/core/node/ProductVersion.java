package io.cantle.core.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The version of Cantle that runs. The build writes it into a resource beside this class.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ProductVersion {
  /** The version, such as {@code 1.2.0}. */
  static final String TEXT = read();

  private ProductVersion() {}

  private static String read() {
    try (InputStream resource = ProductVersion.class.getResourceAsStream("version.txt")) {
      return resource == null
          ? "of an unknown version"
          : new String(resource.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("the version of Cantle cannot be read", e);
    }
  }
}
