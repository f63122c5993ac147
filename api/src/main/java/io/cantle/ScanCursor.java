package io.cantle;

/**
 * The place where a scan goes on. It is text that can be stored, sent and used on any node, after
 * any change of the grid's members and any restart of the caller.
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

  /** Whether no entries follow this cursor. */
  public boolean atEnd() {
    return equals(END);
  }
}
