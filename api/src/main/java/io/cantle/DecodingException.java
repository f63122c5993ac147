package io.cantle;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when bytes cannot be turned into an object on the node that is to have it: mostly because
 * its class is missing there, is another version, or is not allowed ({@link GridConfig#allowing}).
 * The message names the class, the node, and what to do. The entry is as it was written; nodes that
 * have the class read it.
 *
 * <p>A write that returns the old value was made before that value is decoded. Then {@link
 * #isWritten} is true, and the message says so. A node without the class can write by {@code
 * putAll}, which returns no value, and ask by {@code containsKey}. After {@code computeIfAbsent}
 * the value may be of this call or of another; calling again writes nothing.
 */
public final class DecodingException extends GridException {
  private static final long serialVersionUID = 1;

  /** What a call had done when something could not be decoded. */
  public enum Effect {
    /** Nothing that calling again could do twice. */
    NONE,

    /** The write was made, and only its result is missing. */
    WRITTEN,

    /** A function that is run for what it does may have run for some elements. */
    FUNCTION_RAN
  }

  private final Effect effect;

  /**
   * Makes an exception whose message says what cannot be decoded, where, why, and what to do.
   *
   * @param effect what the call had done
   * @param cause what the user's own code threw while decoding, if it did
   */
  public DecodingException(String message, Effect effect, @Nullable Throwable cause) {
    super(message, cause);
    this.effect = effect;
  }

  /** What the call had done. */
  public Effect effect() {
    return effect;
  }

  /** Whether the call was a write and was made, so that only its result is missing. */
  public boolean isWritten() {
    return effect == Effect.WRITTEN;
  }

  /**
   * False if the write was made, which calling again would make twice, or if the action of {@code
   * forEachOnOwners} or {@code forEachWithCache} may have run for some elements.
   */
  @Override
  public boolean retrySafe() {
    return effect == Effect.NONE;
  }
}
