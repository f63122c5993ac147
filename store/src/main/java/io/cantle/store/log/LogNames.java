package io.cantle.store.log;

import java.util.OptionalLong;

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

  private static final String FILE = ".log";
  private static final String NEW_FILE = ".new";
  private static final int DIGITS = 9;

  private LogNames() {}

  static String file(long id) {
    return digits(id) + FILE;
  }

  static String newFile(long id) {
    return digits(id) + NEW_FILE;
  }

  /** The number of a file by its name; empty if it is none of a log's files. */
  static OptionalLong id(String name) {
    if (name.length() != DIGITS + FILE.length() || !name.endsWith(FILE)) {
      return OptionalLong.empty();
    }
    String number = name.substring(0, DIGITS);
    return number.chars().allMatch(digit -> digit >= '0' && digit <= '9')
        ? OptionalLong.of(Long.parseLong(number))
        : OptionalLong.empty();
  }

  /** Whether a file of this name was left unfinished, and nobody relies on it. */
  static boolean isUnfinished(String name) {
    return name.endsWith(NEW_FILE);
  }

  private static String digits(long id) {
    String text = Long.toString(id);
    return "0".repeat(Math.max(0, DIGITS - text.length())) + text;
  }
}
