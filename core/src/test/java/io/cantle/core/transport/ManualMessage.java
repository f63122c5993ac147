package io.cantle.core.transport;

import io.cantle.core.base.Output;
import java.util.function.Consumer;

/**
 * A message of any kind with any body.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
record ManualMessage(MessageKind kind, Consumer<Output> body) implements Message {
  @Override
  public int expectedBytes() {
    return 8;
  }

  @Override
  public void write(Output out) {
    body.accept(out);
  }
}
