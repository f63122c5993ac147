package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Result;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes or removes where there is an expected value. The same bytes are the same value; of others
 * only the {@code equals} of the objects knows, which {@link Functions} asks.
 *
 * @param expected the encoded value that must be there
 * @param value the encoded value to write, or null to remove
 */
public record Compare(Slice expected, @Nullable Slice value) implements Operation {
  @Override
  public @Nullable Effect decide(Slice key, @Nullable Entry found) {
    if (found == null) {
      return Effect.none(Result.FALSE);
    }
    boolean same =
        Arrays.equals(
            found.bytes(),
            found.valueOffset(),
            found.bytes().length,
            expected.bytes(),
            expected.offset(),
            expected.offset() + expected.length());
    return same ? decided(key, true) : null;
  }

  /** What happens once it is known whether the value is the expected one. */
  Effect decided(Slice key, boolean equal) {
    if (!equal) {
      return Effect.none(Result.FALSE);
    }
    return value == null
        ? Effect.remove(key.toByteArray(), Result.TRUE, false)
        : Effect.put(key.followedBy(value), Result.TRUE, false);
  }
}
