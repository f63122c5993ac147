package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Result;
import org.jspecify.annotations.Nullable;

/**
 * Writes or removes if the entry is still the version somebody read: what {@code compute}, {@code
 * merge} and comparisons by {@code equals} are made of.
 *
 * @param epoch the epoch of the version, 0 if there was no entry
 * @param index the index of the version, 0 if there was no entry
 * @param value the encoded value, or null to remove
 */
public record Swap(int epoch, long index, @Nullable Slice value) implements Operation {
  @Override
  public Effect decide(Slice key, @Nullable Entry found) {
    boolean same =
        found == null ? epoch == 0 && index == 0 : found.compareVersion(epoch, index) == 0;
    if (!same) {
      return Effect.none(Result.FALSE);
    }
    if (value != null) {
      return Effect.put(key.followedBy(value), Result.TRUE, false);
    }
    return found == null
        ? Effect.none(Result.TRUE)
        : Effect.remove(key.toByteArray(), Result.TRUE, false);
  }

  @Override
  public boolean ignoresValue() {
    return true;
  }
}
