package io.cantle.core.operation;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.List;

/**
 * Writes of many keys, all of them at their primary.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param topologyNumber the topology that the caller went by
 * @param cache the index of the cache in that topology
 * @param admissionNumber the topology that admitted the caller, which identifies its session
 */
record BulkWriteRequest(
    long topologyNumber, int cache, long admissionNumber, List<BulkWriteItem> items)
    implements Message {
  /** The most keys in one message. */
  static final int MAX_ITEMS = 1_024;

  @Override
  public MessageKind kind() {
    return MessageKind.BULK_WRITE;
  }

  @Override
  public int expectedBytes() {
    return 256;
  }

  @Override
  public void write(Output out) {
    out.writeLong(topologyNumber);
    out.writeVarint(cache);
    out.writeVarint(admissionNumber);
    out.writeList(items, item -> item.write(out));
  }

  static BulkWriteRequest read(Input in) {
    return in.requireEndAfter(
        new BulkWriteRequest(
            in.readLong(),
            in.readCount(),
            in.readVarint(),
            in.readList(MAX_ITEMS, BulkWriteItem::read)));
  }
}
