package io.cantle.bench.log;

/**
 * One figure of a round: a variant at work.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param variant which
 * @param writers how many append at once
 * @param recordBytes the size of a record
 * @param limit of the mail's logs that have one: the number of writers they are set for
 * @param waitMillis how long writers of {@link LogVariant#WAITING} wait for others
 */
public record LogCell(LogVariant variant, int writers, int recordBytes, int limit, int waitMillis) {

  /** The size of a record where nothing else is said. */
  public static final int RECORD_BYTES = 1024;

  /** The mail's shortest wait, the best with the exact limit. */
  public static final int WAIT_MILLIS = 1;

  /** A variant with records of a kibibyte, set for the writers it has. */
  public static LogCell of(LogVariant variant, int writers) {
    return new LogCell(variant, writers, RECORD_BYTES, writers, WAIT_MILLIS);
  }

  /** The variant, and how it is set where that can differ. */
  public String label() {
    if (variant == LogVariant.WAITING) {
      return variant.label() + "(limit=" + limit + ", wait=" + waitMillis + " ms)";
    }
    return recordBytes == RECORD_BYTES
        ? variant.label()
        : variant.label() + ", " + recordBytes / 1024 + " KiB at once";
  }
}
