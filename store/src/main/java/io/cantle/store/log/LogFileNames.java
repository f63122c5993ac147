package io.cantle.store.log;

import io.cantle.store.disk.NumberedFileNames;
import java.util.OptionalInt;

/**
 * The names of a log's files: {@code 000000001.log} and so on, {@code 000000002.new} while a file
 * is being prepared, {@code catalog}, and {@code failed} after a failure.
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

  /** The id of a file by its name; empty if it is not a log file. */
  static OptionalInt fileId(String name) {
    return FILES.numberOf(name);
  }

  /** Whether a file of this name was left unfinished, so that nothing relies on it. */
  static boolean isUnfinished(String name) {
    return name.endsWith(NEW_FILES.suffix());
  }
}
