package io.cantle.store.disk;

import java.util.OptionalInt;

/**
 * The names of files of one kind, which differ by a number: {@code 000000001.log} and so on.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param suffix what the names of this kind end with
 */
public record NumberedFileNames(String suffix) {
  private static final int DIGITS = 9;

  /** The name of the file with a number, 0 or more. */
  public String nameOf(long number) {
    String digits = Long.toString(number);
    return "0".repeat(Math.max(0, DIGITS - digits.length())) + digits + suffix;
  }

  /** The number of a file by its name; empty if it is not of this kind. */
  public OptionalInt numberOf(String name) {
    if (name.length() != DIGITS + suffix.length() || !name.endsWith(suffix)) {
      return OptionalInt.empty();
    }
    String digits = name.substring(0, DIGITS);
    return digits.chars().allMatch(digit -> digit >= '0' && digit <= '9')
        ? OptionalInt.of(Integer.parseInt(digits))
        : OptionalInt.empty();
  }
}
