package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Result;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value where one was.
 *
 * @param value the encoded value
 */
public record Replace(Slice value) implements Operation {
  @Override
  public Effect decide(Slice key, @Nullable Entry found) {
    return found == null
        ? Effect.none(Result.ABSENT)
        : Effect.put(key.followedBy(value), Result.valueOf(found), true);
  }
}
