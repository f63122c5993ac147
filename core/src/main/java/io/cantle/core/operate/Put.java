package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Result;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value whatever was there.
 *
 * @param value the encoded value
 * @param quiet whether nobody wants the value that was there
 */
public record Put(Slice value, boolean quiet) implements Operation {
  @Override
  public Effect decide(Slice key, @Nullable Entry found) {
    Result result = quiet ? Result.ABSENT : Result.valueOf(found);
    return Effect.put(key.followedBy(value), result, !quiet);
  }

  @Override
  public boolean ignoresValue() {
    return quiet;
  }
}
