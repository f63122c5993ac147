package io.cantle.store.disk;

import java.util.OptionalInt;
import java.util.regex.Pattern;

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
    return name.matches("[0-9]{" + DIGITS + "}" + Pattern.quote(suffix))
        ? OptionalInt.of(Integer.parseInt(name, 0, DIGITS, 10))
        : OptionalInt.empty();
  }
}
