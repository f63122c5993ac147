package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * Writes or removes if the entry still has the version that the caller read. {@code compute},
 * {@code merge} and comparisons by {@code equals} are built on it.
 *
 * @param expected the version that was read, or {@link Version#NONE} if there was no entry
 * @param value the encoded value, or null to remove
 */
public record CompareVersionAndSet(Version expected, @Nullable ByteSlice value)
    implements Operation {
  @Override
  public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    boolean same =
        found == null ? expected.equals(Version.NONE) : found.compareVersion(expected) == 0;
    if (!same) {
      return CommandEffect.none(OperationResult.FALSE);
    }
    if (value != null) {
      return CommandEffect.put(key.concat(value), OperationResult.TRUE, false);
    }
    return found == null
        ? CommandEffect.none(OperationResult.TRUE)
        : CommandEffect.remove(key.toByteArray(), OperationResult.TRUE, false);
  }

  @Override
  public boolean ignoresValue() {
    return true;
  }
}
