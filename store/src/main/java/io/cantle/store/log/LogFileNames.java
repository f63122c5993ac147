package io.cantle.store.log;

import io.cantle.store.disk.NumberedFileNames;
import java.util.OptionalInt;

/**
 * How the files of a log are called: {@code 000000001.log} and so on, {@code 000000002.new} while
 * one is prepared, {@code catalog}, and {@code failed} after a failure.
 *
 * <p><b>Threading:</b> immutable.
 */
final class LogFileNames {
  static final String CATALOG = "catalog";
  static final String NEW_CATALOG = "catalog.new";
  static final String FAILED = "failed";

  private static final NumberedFileNames FILES = new NumberedFileNames(".log");
  private static final NumberedFileNames NEW_FILES = new NumberedFileNames(".new");

  private LogFileNames() {}

  static String fileName(long id) {
    return FILES.nameOf(id);
  }

  static String newFileName(long id) {
    return NEW_FILES.nameOf(id);
  }

  /** The number of a file by its name; empty if it is none of a log's files. */
  static OptionalInt fileId(String name) {
    return FILES.numberOf(name);
  }

  /** Whether a file of this name was left unfinished, and nobody relies on it. */
  static boolean isUnfinished(String name) {
    return name.endsWith(NEW_FILES.suffix());
  }
}
