package io.cantle.core.persistence;

import io.cantle.core.base.MalformedException;

/**
 * The first byte of what is kept says how the rest is to be read.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class FormatVersion {
  private FormatVersion() {}

  static void check(int found, int known) {
    if (found != known) {
      throw new MalformedException(
          "kept in format " + found + ", and this release reads " + known + ": start a later one");
    }
  }
}
