package io.cantle.core.rebalance;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.CopiedEntry;
import io.cantle.core.replica.CopyUpdate;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages between the primary and the holders of a scattered segment, besides writes.
 *
 * <p><b>Threading:</b> immutable.
 */
sealed interface CopyMessage extends Message {

  /** A new primary asks what a member holds, from a cursor on. */
  record CollectRequest(SegmentEpoch segment, SegmentCursor cursor) implements CopyMessage {
    @Override
    public MessageKind kind() {
      return MessageKind.COLLECT;
    }

    @Override
    public void write(Output out) {
      segment.write(out);
      cursor.write(out);
    }

    static CollectRequest read(Input in) {
      return in.requireEndAfter(new CollectRequest(SegmentEpoch.read(in), SegmentCursor.read(in)));
    }
  }

  /**
   * Some of what a member holds.
   *
   * @param cursor the cursor that was asked for
   * @param next where the next request begins
   * @param metadata the results of commands and the time of the segment, with the first entries;
   *     empty otherwise
   */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record CollectReply(
      SegmentEpoch segment,
      SegmentCursor cursor,
      SegmentCursor next,
      byte[] metadata,
      List<Entry> entries)
      implements CopyMessage {
    @Override
    public MessageKind kind() {
      return MessageKind.COLLECTED;
    }

    @Override
    public void write(Output out) {
      Output body = new Output(1_024);
      segment.write(body);
      cursor.write(body);
      next.write(body);
      body.writeBlob(metadata);
      body.writeList(entries, entry -> CopiedEntry.write(body, entry));
      out.writeInt(TransferProjection.checksum(body.array(), 0, body.position()));
      out.writeBlob(body.array(), 0, body.position());
    }

    static CollectReply read(Input in, long hashSeed) {
      int checksum = in.readInt();
      byte[] bytes = in.requireEndAfter(in.readBlob());
      if (TransferProjection.checksum(bytes, 0, bytes.length) != checksum) {
        throw new MalformedException("collected copies arrived with a wrong checksum");
      }
      Input body = new Input(bytes, 0, bytes.length);
      return body.requireEndAfter(
          new CollectReply(
              SegmentEpoch.read(body),
              SegmentCursor.read(body),
              SegmentCursor.read(body),
              body.readBlob(),
              body.readList(one -> CopiedEntry.read(one, hashSeed))));
    }
  }

  /** An update to the holder of a segment. */
  record SegmentUpdate(SegmentEpoch segment, CopyUpdate update) {}

  /** Updates to a holder, of several segments. */
  record UpdateRequest(List<SegmentUpdate> updates) implements CopyMessage {
    @Override
    public MessageKind kind() {
      return MessageKind.UPDATE_COPIES;
    }

    @Override
    public void write(Output out) {
      for (SegmentUpdate one : updates) {
        one.segment.write(out);
        one.update.write(out);
      }
    }

    static UpdateRequest read(Input in, long hashSeed) {
      return new UpdateRequest(
          in.readRest(
              one -> new SegmentUpdate(SegmentEpoch.read(one), CopyUpdate.read(one, hashSeed))));
    }
  }

  /** The number of an update that a holder has applied. */
  record AppliedUpdate(SegmentEpoch segment, long number) {}

  /** The updates that a holder has applied. */
  record UpdateReply(List<AppliedUpdate> applied) implements CopyMessage {
    @Override
    public MessageKind kind() {
      return MessageKind.COPIES_UPDATED;
    }

    @Override
    public void write(Output out) {
      for (AppliedUpdate one : applied) {
        one.segment.write(out);
        out.writeVarint(one.number);
      }
    }

    static UpdateReply read(Input in) {
      return new UpdateReply(
          in.readRest(one -> new AppliedUpdate(SegmentEpoch.read(one), one.readVarint())));
    }
  }

  /** No metadata. */
  byte[] NO_METADATA = {};

  /** The metadata as it is read; null for none. */
  static @Nullable Input metadataOf(byte[] metadata) {
    return metadata.length == 0 ? null : new Input(metadata, 0, metadata.length);
  }
}
