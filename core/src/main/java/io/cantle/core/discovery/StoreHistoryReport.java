package io.cantle.core.discovery;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;

/**
 * Shows how far a node's store has come.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param isWhole whether the history has all incarnations, and not only the present one
 */
public record StoreHistoryReport(boolean isWhole, StoreHistory history) implements Message {
  @Override
  public MessageKind kind() {
    return MessageKind.HISTORY;
  }

  @Override
  public void write(Output out) {
    out.writeBoolean(isWhole);
    history.write(out);
  }

  /** Reads what {@link #write} wrote. */
  public static StoreHistoryReport read(Input in) {
    return in.requireEndAfter(new StoreHistoryReport(in.readBoolean(), StoreHistory.read(in)));
  }
}
