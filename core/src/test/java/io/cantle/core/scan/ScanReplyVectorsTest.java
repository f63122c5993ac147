package io.cantle.core.scan;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Message;
import io.cantle.core.wire.MessageVectors;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the answers to counts, and to requests that brought nothing, keep their bytes. */
final class ScanReplyVectorsTest {
  @Test
  void answersHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    MessageVectors.check(
        "scan-reply-vectors.txt",
        List.of(
            new CountReply(300, null),
            new CountReply(300, SegmentSet.of(0, 1, 2, 300)),
            new ScanFailure.ScanRefused(),
            new ScanFailure.FunctionThrew("node", ByteSlice.of(new byte[] {0})),
            new ScanFailure.ResultTooLong("node", 64 << 20),
            new ScanFailure.UnreadableRequest("node", "reason")),
        kind -> ScanReplyVectorsTest::read);
  }

  private static Message read(Input in) {
    int status = in.readByte();
    return status == ScanStatus.OK ? CountReply.read(in) : ScanFailure.read(status, in);
  }
}
