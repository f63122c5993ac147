package io.cantle.core.operation;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.transport.Response;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a bulk read: a result for each key, in the order of the request.
 *
 * <p><b>Threading:</b> immutable, and the list is not modified any more.
 *
 * @param results a value, {@link OperationResult#ABSENT}, or null for a key that is to be asked for
 *     again: it was refused, or there was no room for its value
 */
record BulkReadReply(List<@Nullable OperationResult> results) implements Response {
  @Override
  public int expectedBytes() {
    int bytes = 8;
    for (OperationResult result : results) {
      bytes += result == null ? 1 : 8 + result.length();
    }
    return bytes;
  }

  @Override
  public void write(Output out) {
    for (OperationResult result : results) {
      out.writeOptional(result, known -> known.write(out));
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param keyCount the number of keys in the request
   */
  static BulkReadReply read(Input in, int keyCount) {
    List<@Nullable OperationResult> results = new ArrayList<>(keyCount);
    for (int i = 0; i < keyCount; i++) {
      results.add(in.readOptional(OperationResult::read));
    }
    return in.requireEndAfter(new BulkReadReply(results));
  }
}
