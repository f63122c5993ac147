package io.cantle.store.log;

/**
 * The log sequence number (LSN) of a record, which is also its place: the file id in the upper
 * half, the offset in the lower. LSNs grow in the order of the log. Between two records there are
 * LSNs that name nothing. No LSN is given twice.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class Lsn {
  private Lsn() {}

  /** The LSN of this offset of this file. */
  public static long toLsn(long file, long offset) {
    return file << Integer.SIZE | offset;
  }

  /** The file id of an LSN. */
  public static long fileId(long lsn) {
    return lsn >>> Integer.SIZE;
  }

  /** The offset of an LSN in its file. */
  public static long offset(long lsn) {
    return lsn & 0xFFFF_FFFFL;
  }

  /** The name of the file that an LSN is in. */
  public static String fileName(long lsn) {
    return LogFileNames.fileName(fileId(lsn));
  }

  /** An LSN in readable form: the name of the file and the offset. */
  public static String describe(long lsn) {
    return fileName(lsn) + ":" + offset(lsn);
  }
}
