package io.cantle;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call that writes many entries, such as {@code putAll} or {@code clear}, ended before all of
 * them were written. It says how many are, and names keys that may not be. Making the call again
 * writes all of them; that does harm where somebody else wrote meanwhile, and where what is written
 * depends on what was there, as with {@code replaceAll}.
 */
public final class PartialWriteException extends GridException {
  private static final long serialVersionUID = 1;

  /** The most keys that are named. */
  public static final int MAX_KEYS = 100;

  private final long written;
  private final long doubtful;
  private final transient @Nullable List<Object> keys;

  /**
   * Says what was written and what may not be.
   *
   * @param written how many entries were written for certain
   * @param doubtful how many were sent and got no answer
   * @param keys some of those that were not written for certain
   */
  public PartialWriteException(long written, long doubtful, List<?> keys, GridException cause) {
    super(
        written
            + " of many entries were written and "
            + doubtful
            + " more may have been; then the call ended: "
            + cause.getMessage()
            + "; not known to be written, among others: "
            + keys.subList(0, Math.min(keys.size(), 10))
            + "; write them again if that does no harm",
        cause);
    this.written = written;
    this.doubtful = doubtful;
    this.keys = List.copyOf(new ArrayList<>(keys.subList(0, Math.min(keys.size(), MAX_KEYS))));
  }

  /** How many entries were written for certain. */
  public long writtenCount() {
    return written;
  }

  /** How many entries were sent and got no answer: each may be written, now or later, or not. */
  public long doubtfulCount() {
    return doubtful;
  }

  /**
   * Keys of entries that were not written for certain: first those in doubt, at most {@link
   * #MAX_KEYS} in all. Empty once the exception was serialized.
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
