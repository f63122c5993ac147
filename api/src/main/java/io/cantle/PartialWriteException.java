package io.cantle;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call that writes many entries, such as {@code putAll} or {@code clear}, ended
 * before all of them were written. It counts the written entries, and names keys that may not be
 * written. Calling again writes all of them. That does harm where another caller wrote meanwhile,
 * and where the new value depends on the old one, as with {@code replaceAll}.
 */
public final class PartialWriteException extends GridException {
  private static final long serialVersionUID = 1;

  /** The most keys that are named. */
  public static final int MAX_KEYS = 100;

  private static final int MAX_KEY_CHARS = 100;

  private final long written;
  private final long doubtful;
  private final transient @Nullable List<Object> keys;

  /**
   * Makes an exception whose message says what was written and what may not be.
   *
   * @param written how many entries are known to be written
   * @param doubtful how many entries were sent and got no answer
   * @param keys some of the keys that are not known to be written
   */
  public PartialWriteException(long written, long doubtful, List<?> keys, GridException cause) {
    super(
        ("%s of many entries were written and %s more may have been; then the call ended: %s; not"
                + " known to be written, among others: %s; write them again if that does no harm")
            .formatted(written, doubtful, cause.getMessage(), describe(keys)),
        cause);
    this.written = written;
    this.doubtful = doubtful;
    this.keys = List.copyOf(new ArrayList<>(keys.subList(0, Math.min(keys.size(), MAX_KEYS))));
  }

  private static String describe(List<?> keys) {
    return keys.stream()
        .limit(10)
        .map(PartialWriteException::describeKey)
        .collect(Collectors.joining(", ", "[", "]"));
  }

  /** A key as it may stand in a message: on one line, and cut if it is long. */
  private static String describeKey(Object key) {
    String text;
    try {
      text = String.valueOf(key);
    } catch (RuntimeException | StackOverflowError e) {
      // The key is the user's, and so is its toString.
      text = "a key of " + key.getClass().getName();
    }
    String line = text.replaceAll("\\p{C}", "?");
    return line.length() <= MAX_KEY_CHARS ? line : line.substring(0, MAX_KEY_CHARS) + "...";
  }

  /** How many entries are known to be written. */
  public long writtenCount() {
    return written;
  }

  /**
   * How many entries were sent and got no answer: each of them may be written now, later or never.
   */
  public long doubtfulCount() {
    return doubtful;
  }

  /**
   * Keys of entries that are not known to be written, those in doubt first, at most {@link
   * #MAX_KEYS} in all. In the place of a key that this node cannot decode is an object whose text
   * says why. Empty after the exception was serialized.
   */
  public List<Object> keys() {
    List<Object> known = keys;
    return known == null ? List.of() : known;
  }

  /** False: some entries are written, or may be. */
  @Override
  public boolean retrySafe() {
    return false;
  }
}
