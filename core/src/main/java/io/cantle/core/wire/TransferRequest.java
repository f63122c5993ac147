package io.cantle.core.wire;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.segment.SegmentEpoch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A joiner's request for what it lacks of a segment: a pull for the next entries of earlier epochs,
 * with what belongs to them.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param segment the segment, and the epoch that the joiner has entered
 * @param cursor the entries after it are wanted
 */
public record TransferRequest(SegmentEpoch segment, SegmentCursor cursor)
    implements ScanMessage.EntryRequest {
  private static final int MAX_BYTES = 256 << 10;

  /** The pull that it is: it covers one segment, and takes a longer entry alone. */
  public PullRequest asPull() {
    return new PullRequest(
        segment.cache(),
        PullRequest.EntryPart.ENTRY,
        null,
        MAX_BYTES,
        true,
        Integer.MAX_VALUE,
        false,
        List.of(new ScanTarget(segment.segment(), cursor)));
  }

  @Override
  public byte @Nullable [] task() {
    return null;
  }

  @Override
  public boolean keepsAfterMove() {
    return false;
  }

  @Override
  public void write(Output out) {
    segment.write(out);
    cursor.write(out);
  }

  static TransferRequest read(Input in) {
    return new TransferRequest(SegmentEpoch.read(in), SegmentCursor.read(in));
  }
}
