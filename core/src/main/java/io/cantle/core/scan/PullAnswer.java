package io.cantle.core.scan;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.container.SegmentCursor;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer to a pull, block by block.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class PullAnswer {
  private final Input in;

  /** Begins before the first block, after the status of the request. */
  PullAnswer(Input in) {
    this.in = in;
  }

  /**
   * How far the answer goes in a segment.
   *
   * @param status one of {@link ScanStatus}
   * @param nextBytes the size of the next entry if it was too long, else 0
   * @param cursor where to continue, if the status has a cursor
   */
  public record SegmentStatus(int status, int nextBytes, @Nullable SegmentCursor cursor) {
    static SegmentStatus read(Input in) {
      int status = in.readByte();
      int nextBytes = status == ScanStatus.OVERSIZED ? in.readCount() : 0;
      return new SegmentStatus(
          status, nextBytes, ScanStatus.hasCursor(status) ? SegmentCursor.read(in) : null);
    }
  }

  /**
   * Elements of one segment.
   *
   * @param count how many elements there are
   * @param elements their bytes
   * @param end what follows them
   */
  public record Block(int segment, int count, Input elements, SegmentStatus end) {}

  /**
   * Reads the answer to a pull of one segment in one block; null if it does not count.
   *
   * @throws MalformedException if it is of another segment, or no answer to a pull
   */
  public static @Nullable Block readSingle(Input answer, int segment) {
    if (answer.readByte() != ScanStatus.OK) {
      return null;
    }
    PullAnswer blocks = new PullAnswer(answer);
    Block block = blocks.next();
    if (block == null || blocks.next() != null) {
      return null;
    }
    if (block.segment != segment) {
      throw new MalformedException(
          "segment " + block.segment + " instead of the requested segment " + segment);
    }
    int status = block.end.status;
    return status == ScanStatus.DONE || status == ScanStatus.MORE ? block : null;
  }

  /**
   * Counts the elements of all blocks, and makes no objects of them.
   *
   * @throws MalformedException if it is no answer to a pull
   */
  static int countElements(Input in) {
    int total = 0;
    while (in.readVarint() != 0) {
      total += in.readInt();
      in.skip(in.readInt());
      int status = in.readByte();
      if (status == ScanStatus.OVERSIZED) {
        in.readCount();
      }
      if (ScanStatus.hasCursor(status)) {
        SegmentCursor.skip(in);
      }
    }
    return total;
  }

  /** Reads the next block; returns null after the last one. */
  @Nullable Block next() {
    long encodedSegment = in.readVarint();
    if (encodedSegment == 0) {
      in.requireEndOf("an answer");
      return null;
    }
    int count = in.readInt();
    if (count < 0) {
      throw new MalformedException("a block of " + count + " elements");
    }
    Input elements = in.slice(in.readInt());
    return new Block((int) encodedSegment - 1, count, elements, SegmentStatus.read(in));
  }
}
