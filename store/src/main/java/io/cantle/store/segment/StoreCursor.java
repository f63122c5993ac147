package io.cantle.store.segment;

/**
 * A place between two entries of a segment, in the order of hash and key, where a scan continues.
 * It names the last key that was shown, so it stays valid whatever happens to the files.
 *
 * <p><b>Threading:</b> immutable; the array must not be changed.
 *
 * @param kind before all entries, after one of them, or after all
 * @param hash the hash of the last key shown; 0 at the start and the end
 * @param key the last key shown; empty at the start and the end
 */
@SuppressWarnings("ArrayRecordComponent") // Cursors are never compared.
public record StoreCursor(StoreCursorKind kind, long hash, byte[] key) {

  /** Before the first entry. */
  public static final StoreCursor START = new StoreCursor(StoreCursorKind.START, 0, new byte[0]);

  /** After the last entry. */
  public static final StoreCursor END = new StoreCursor(StoreCursorKind.END, 0, new byte[0]);

  /** The kind of place. */
  public enum StoreCursorKind {
    /** Before the first entry. */
    START,
    /** After a key, whether it still exists or not. */
    AFTER,
    /** After the last entry. */
    END
  }

  /** The place right after a key. */
  static StoreCursor after(long hash, byte[] key) {
    return new StoreCursor(StoreCursorKind.AFTER, hash, key);
  }

  boolean precedes(StoredEntry entry) {
    return switch (kind) {
      case START -> true;
      case AFTER -> entry.compareOrder(hash, key) > 0;
      case END -> false;
    };
  }
}
