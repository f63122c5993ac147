package io.cantle;

/**
 * Where a scan goes on: text that can be kept, sent and used on any node, after any change of the
 * grid's members and any restart of the caller.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param token opaque; letters, digits, {@code -} and {@code _}
 */
public record ScanCursor(String token) {
  /** Before the first entry. */
  public static final ScanCursor START = new ScanCursor("0");

  /** After the last entry. */
  public static final ScanCursor END = new ScanCursor("1");

  /** Whether there is nothing behind it. */
  public boolean atEnd() {
    return equals(END);
  }
}
