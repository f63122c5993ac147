package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Result;
import org.jspecify.annotations.Nullable;

/**
 * Removes the entry, if there is one.
 *
 * @param quiet whether nobody wants the value that was there
 */
public record Remove(boolean quiet) implements Operation {
  @Override
  public Effect decide(Slice key, @Nullable Entry found) {
    if (found == null) {
      return Effect.none(Result.ABSENT);
    }
    Result result = quiet ? Result.ABSENT : Result.valueOf(found);
    return Effect.remove(key.toByteArray(), result, !quiet);
  }

  @Override
  public boolean ignoresValue() {
    return quiet;
  }
}
