package io.cantle.core.persistence;

import io.cantle.core.base.MalformedException;

/**
 * Checks the format version, which is the first byte of stored data.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class FormatVersion {
  private FormatVersion() {}

  static void check(int found, int known) {
    if (found != known) {
      throw new MalformedException(
          "stored in format "
              + found
              + ", but this release reads format "
              + known
              + "; start a later release");
    }
  }
}
