package io.cantle.store.log;

import io.cantle.store.disk.Disk;

/**
 * The settings of a log.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param fileBytes the length of each file, a multiple of {@link Disk#BLOCK_BYTES}, 16 KiB to 1
 *     GiB. Existing files keep the length they were made with. Default: 64 MiB
 * @param batchBytes the most bytes written at once if there is more than one record; beyond 256 KiB
 *     a sync takes longer in proportion. Default: 1 MiB
 * @param recordBytes the longest record, its header of {@link LogRecord#HEADER_BYTES} included; it
 *     must fit into a file. Default: 8 MiB, or what fits into a file
 * @param queueBytes how many bytes may wait to be written before appends wait for room. Default: 32
 *     MiB
 * @param spareFiles how many dropped files are kept to be used again, 0 to 1,024. Default: 4
 * @param strategy which threads write and what they write together. Default: group commit
 * @param flushing whether an append ends only when its record is durable. If not, it ends when the
 *     operating system has the record. Then the end of the process loses nothing, but a power
 *     failure may lose all of the last file after the last {@link AppendLog#sync}. Default: true
 */
public record LogOptions(
    int fileBytes,
    int batchBytes,
    int recordBytes,
    long queueBytes,
    int spareFiles,
    LogStrategy strategy,
    boolean flushing) {

  /** The defaults. */
  public static final LogOptions DEFAULT =
      new LogOptions(64 << 20, 1 << 20, 8 << 20, 32L << 20, 4, new LogStrategy.GroupCommit(), true);

  /** The longest file there may be. */
  public static final int MAX_FILE_BYTES = 1 << 30;

  private static final int MIN_FILE_BYTES = 4 * Disk.BLOCK_BYTES;
  private static final int MAX_SPARE_FILES = 1024;

  /** Checks that every setting is in its range. */
  public LogOptions {
    requireWithin("fileBytes", fileBytes, MIN_FILE_BYTES, MAX_FILE_BYTES);
    if (fileBytes % Disk.BLOCK_BYTES != 0) {
      throw new IllegalArgumentException(
          "fileBytes " + fileBytes + " is not a multiple of " + Disk.BLOCK_BYTES);
    }
    requireWithin("batchBytes", batchBytes, Disk.BLOCK_BYTES, fileBytes);
    requireWithin(
        "recordBytes", recordBytes, LogRecord.HEADER_BYTES, LogFrame.maxRecordBytes(fileBytes));
    requireWithin("queueBytes", queueBytes, recordBytes, Long.MAX_VALUE);
    requireWithin("spareFiles", spareFiles, 0, MAX_SPARE_FILES);
  }

  /** A copy with another file length; batches and records shrink where they would not fit. */
  public LogOptions withFileBytes(int bytes) {
    requireWithin("fileBytes", bytes, MIN_FILE_BYTES, MAX_FILE_BYTES);
    return new LogOptions(
        bytes,
        Math.min(batchBytes, bytes),
        Math.min(recordBytes, LogFrame.maxRecordBytes(bytes)),
        queueBytes,
        spareFiles,
        strategy,
        flushing);
  }

  /** A copy with another strategy. */
  public LogOptions withStrategy(LogStrategy other) {
    return new LogOptions(
        fileBytes, batchBytes, recordBytes, queueBytes, spareFiles, other, flushing);
  }

  /** A copy whose log syncs before an append ends, or does not. */
  public LogOptions withFlushing(boolean other) {
    return new LogOptions(
        fileBytes, batchBytes, recordBytes, queueBytes, spareFiles, strategy, other);
  }

  /**
   * Checks a setting.
   *
   * @throws IllegalArgumentException if it is not within the two bounds
   */
  public static void requireWithin(String setting, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          setting + " " + value + " is not within " + min + ".." + max);
    }
  }
}
