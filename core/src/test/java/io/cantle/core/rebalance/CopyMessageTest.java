package io.cantle.core.rebalance;

import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.rebalance.CopyMessage.AppliedUpdate;
import io.cantle.core.rebalance.CopyMessage.CollectReply;
import io.cantle.core.rebalance.CopyMessage.CollectRequest;
import io.cantle.core.rebalance.CopyMessage.SegmentUpdate;
import io.cantle.core.rebalance.CopyMessage.UpdateReply;
import io.cantle.core.rebalance.CopyMessage.UpdateRequest;
import io.cantle.core.replica.CopyUpdate;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.MessageVectors;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The bytes of the messages about second copies. */
final class CopyMessageTest {
  private static final long SEED = 42;
  private static final SegmentEpoch SEGMENT = new SegmentEpoch(1, 300, 9);

  private static Entry entry(long index, boolean isTombstone, @Nullable ExpiryTime expiryTime) {
    byte[] bytes = (isTombstone ? "key" : "keyvalue").getBytes(StandardCharsets.UTF_8);
    long hash = KeyHash.hash(SEED, bytes, 0, 3);
    return Entry.of(hash, bytes, 3, 9, index, isTombstone, 0, expiryTime);
  }

  private static MessageVectors.Reader reader(MessageKind kind) {
    return switch (kind) {
      case COLLECT -> CollectRequest::read;
      case COLLECTED -> in -> CollectReply.read(in, SEED);
      case UPDATE_COPIES -> in -> UpdateRequest.read(in, SEED);
      case COPIES_UPDATED -> UpdateReply::read;
      default -> throw new IllegalArgumentException(kind.toString());
    };
  }

  @Test
  void messagesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    List<Entry> entries =
        List.of(entry(300, false, null), entry(301, true, null), entry(302, false, expiry()));
    byte[] metadata = {1, 2};
    MessageVectors.check(
        "copy-vectors.txt",
        List.of(
            new CollectRequest(SEGMENT, SegmentCursor.START),
            new CollectReply(SEGMENT, SegmentCursor.START, SegmentCursor.END, metadata, entries),
            new UpdateRequest(
                List.of(
                    new SegmentUpdate(SEGMENT, new CopyUpdate(7, entries, List.of(), metadata)))),
            new UpdateReply(List.of(new AppliedUpdate(SEGMENT, 7)))),
        CopyMessageTest::reader);
  }

  private static ExpiryTime expiry() {
    return new ExpiryTime(9_000, 1_000, 5_000);
  }
}
