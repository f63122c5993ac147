package io.cantle.store.log;

/**
 * The number of a record in the log (log sequence number) and its place at once: the file in the
 * upper half, the offset in the lower. Numbers grow in the order of the log; between two records
 * there are others that name nothing. No number is given twice.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class Lsn {
  private Lsn() {}

  /** The number of what is at this offset of this file. */
  public static long toLsn(long file, long offset) {
    return file << Integer.SIZE | offset;
  }

  /** The file a number is in. */
  public static long fileId(long lsn) {
    return lsn >>> Integer.SIZE;
  }

  /** The offset a number has in its file. */
  public static long offset(long lsn) {
    return lsn & 0xFFFF_FFFFL;
  }

  /** The name of the file a number is in. */
  public static String fileName(long lsn) {
    return LogFileNames.fileName(fileId(lsn));
  }

  /** A number as people read it: the name of the file and the offset. */
  public static String describe(long lsn) {
    return fileName(lsn) + ":" + offset(lsn);
  }
}
