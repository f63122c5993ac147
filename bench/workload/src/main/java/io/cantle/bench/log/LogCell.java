package io.cantle.bench.log;

/**
 * One figure of a round: a variant with its settings.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param variant which variant
 * @param writers how many append at once
 * @param recordBytes the size of a record
 * @param limit for the logs of the 2013 mail that have one: the number of writers they are set for
 * @param waitMillis how long writers of {@link LogVariant#WAITING} wait for others
 */
public record LogCell(LogVariant variant, int writers, int recordBytes, int limit, int waitMillis) {

  /** The size of a record unless another is given. */
  public static final int RECORD_BYTES = 1024;

  /** The shortest wait of the 2013 mail, the best with the exact limit. */
  public static final int WAIT_MILLIS = 1;

  /** Returns a variant with records of a kibibyte, set for the writers it has. */
  public static LogCell of(LogVariant variant, int writers) {
    return new LogCell(variant, writers, RECORD_BYTES, writers, WAIT_MILLIS);
  }

  /** Returns the variant, and how it is set where that can differ. */
  public String label() {
    if (variant == LogVariant.WAITING) {
      return variant.label() + "(limit=" + limit + ", wait=" + waitMillis + " ms)";
    }
    return recordBytes == RECORD_BYTES
        ? variant.label()
        : variant.label() + ", " + recordBytes / 1024 + " KiB at once";
  }
}
