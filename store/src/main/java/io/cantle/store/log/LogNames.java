package io.cantle.store.log;

import io.cantle.store.disk.NumberedNames;
import java.util.OptionalInt;

/**
 * How the files of a log are called: {@code 000000001.log} and so on, {@code 000000002.new} while
 * one is prepared, {@code catalog}, and {@code failed} after a failure.
 *
 * <p><b>Threading:</b> immutable.
 */
final class LogNames {
  static final String CATALOG = "catalog";
  static final String NEW_CATALOG = "catalog.new";
  static final String FAILED = "failed";

  private static final NumberedNames FILES = new NumberedNames(".log");
  private static final NumberedNames NEW_FILES = new NumberedNames(".new");

  private LogNames() {}

  static String file(long id) {
    return FILES.of(id);
  }

  static String newFile(long id) {
    return NEW_FILES.of(id);
  }

  /** The number of a file by its name; empty if it is none of a log's files. */
  static OptionalInt id(String name) {
    return FILES.number(name);
  }

  /** Whether a file of this name was left unfinished, and nobody relies on it. */
  static boolean isUnfinished(String name) {
    return name.endsWith(NEW_FILES.suffix());
  }
}
