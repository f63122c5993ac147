package io.cantle.core.scan;

import io.cantle.core.base.Output;
import io.cantle.core.base.OutputFullException;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanTarget;
import org.jspecify.annotations.Nullable;

/**
 * Answers one pull from the replicas of this node: visits entries after the cursor of each segment,
 * as many as the pull allows, and has a {@link Projection} write what it takes of them. Elements
 * are written straight into the answer, in blocks of {@value #BLOCK_BYTES} bytes or of one longer
 * element. Each block of a segment but the last is followed by the cursor of the next block, so
 * that the caller can drop blocks it has not read and request them again.
 *
 * <p><b>Threading:</b> one thread, which may wait.
 */
final class PullServer implements Runnable {
  static final int BLOCK_BYTES = 4 << 10;
  private static final int MAX_VISITS = 65_536;

  private final LocalReplicas replicas;
  private final PullRequest pull;
  private final Projection projection;
  private final TimeSlice timeSlice;
  private final AnswerMemory.AnswerRoom room;
  private final Output out;
  private final int answerBegin;
  private int elements;
  private int visits;

  /** The size of the entry that no pull of this size can carry, or 0. */
  private int oversizedBytes;

  PullServer(
      LocalReplicas replicas,
      PullRequest pull,
      Projection projection,
      TimeSlice timeSlice,
      AnswerMemory.AnswerRoom room,
      Output out) {
    this.replicas = replicas;
    this.pull = pull;
    this.projection = projection;
    this.timeSlice = timeSlice;
    this.room = room;
    this.out = out;
    this.answerBegin = out.position();
  }

  /** Writes the answer. */
  @Override
  public void run() {
    for (ScanTarget target : pull.targets()) {
      if (!answer(target)) {
        break;
      }
    }
    out.writeVarint(0);
  }

  /** Writes what there is of a segment; returns whether the next one may be begun. */
  private boolean answer(ScanTarget target) {
    BlockWriter blockWriter = new BlockWriter(target.segment());
    int status = ScanStatus.ABSENT;
    SegmentCursor cursor = target.cursor();
    SegmentScan segmentScan = replicas.open(pull.cache(), target, projection::admits);
    if (segmentScan != null) {
      SegmentPull visitor = new SegmentPull(blockWriter, segmentScan);
      if (visitor.needsPrimary) {
        status = ScanStatus.DIRTY;
      } else {
        projection.run(out, visitor::visitAll);
        cursor = segmentScan.cursor();
        boolean counts = visitor.finish() && segmentScan.isValid();
        status = counts ? visitor.status() : ScanStatus.LOST;
      }
    }
    if (status == ScanStatus.LOST && !pull.keepsAfterMove()) {
      blockWriter.discard();
      oversizedBytes = 0;
    }
    blockWriter.end(status);
    if (status == ScanStatus.OVERSIZED) {
      out.writeVarint(oversizedBytes);
    }
    if (ScanStatus.hasCursor(status)) {
      cursor.write(out);
    }
    return status != ScanStatus.MORE && status != ScanStatus.OVERSIZED && !isExhausted();
  }

  /** Whether there is memory for an entry that is longer than everything the pull asked for. */
  private boolean hasRoom(long length) {
    return !pull.acceptsOversized()
        || elements > 0
        || length <= pull.maxBytes()
        || room.growTo(length);
  }

  private boolean isExhausted() {
    int written = out.position() - answerBegin;
    return elements >= pull.maxElements()
        || visits >= MAX_VISITS
        || written >= pull.maxBytes()
        || written > pull.maxBytes() - projection.minRoomBytes();
  }

  /** Whether what was written from {@code elementStart} on must wait for another pull. */
  private boolean isExceeded(int elementStart) {
    int maxBytes = pull.maxBytes();
    boolean fits =
        out.position() - answerBegin <= maxBytes || (pull.acceptsOversized() && elements == 0);
    if (!fits && (elements == 0 || out.position() - elementStart > maxBytes)) {
      oversizedBytes = Math.max(maxBytes, out.position() - elementStart);
    }
    return !fits;
  }

  /** Writes the blocks of one segment. */
  private final class BlockWriter {
    private final int segment;
    private final int firstAt;
    private final int elementsBefore;
    private int begin;
    private int elementsBeforeBlock;

    BlockWriter(int segment) {
      this.segment = segment;
      this.firstAt = out.position();
      this.elementsBefore = elements;
      open();
    }

    private void open() {
      out.writeVarint(segment + 1L);
      out.writeInt(0);
      out.writeInt(0);
      begin = out.position();
      elementsBeforeBlock = elements;
    }

    /**
     * Begins another block if the current one has elements and cannot take this many more bytes.
     */
    void nextFor(long bytes, @Nullable Entry last) {
      if (last != null
          && elements > elementsBeforeBlock
          && out.position() - begin + bytes > projection.blockBytes()) {
        end(ScanStatus.BLOCK_ENDS);
        SegmentCursor.writeAfter(last, out);
        open();
      }
    }

    /** Removes everything written of the segment. */
    void discard() {
      out.truncate(firstAt);
      elements = elementsBefore;
      open();
    }

    void end(int status) {
      out.patchInt(begin - 2 * Integer.BYTES, elements - elementsBeforeBlock);
      out.patchInt(begin - Integer.BYTES, out.position() - begin);
      out.writeByte(status);
    }
  }

  /** Writes what the projection takes of one segment. */
  private final class SegmentPull implements Container.EntryVisitor {
    private final BlockWriter blockWriter;
    private final SegmentScan segmentScan;

    /** The entry visited last. */
    private @Nullable Entry last;

    /**
     * Whether the primary must be asked before anything is visited: as with a dirty entry, only the
     * primary can tell whether an entry has expired.
     */
    private final boolean needsPrimary;

    SegmentPull(BlockWriter blockWriter, SegmentScan segmentScan) {
      this.blockWriter = blockWriter;
      this.segmentScan = segmentScan;
      this.needsPrimary =
          !segmentScan.state.isActivePrimary() && segmentScan.replica.expiry().mayBeDue();
    }

    /** Visits all entries that the pull may take. */
    void visitAll() {
      do {
        segmentScan.advance(
            projection.takesUncommitted(),
            projection.needsValues() ? this::needsValue : null,
            this);
      } while (segmentScan.state.isActivePrimary() && segmentScan.awaitDirty());
    }

    /** Writes what follows the elements; returns false if what was written does not count. */
    boolean finish() {
      out.growIf(room::grow);
      try {
        return projection.finish(segmentScan.replica, segmentScan.cursor(), out, blockWriter.begin);
      } catch (OutputFullException e) {
        return false;
      } finally {
        out.growIf(moreBytes -> true);
      }
    }

    int status() {
      if (segmentScan.cursor().equals(SegmentCursor.END)) {
        return ScanStatus.DONE;
      }
      if (oversizedBytes > 0) {
        return ScanStatus.OVERSIZED;
      }
      return segmentScan.isDirty() ? ScanStatus.DIRTY : ScanStatus.MORE;
    }

    private boolean needsValue(Entry entry) {
      return projection.needsValue(segmentScan.replica, entry);
    }

    @Override
    public Container.VisitResult visit(Entry entry) {
      visits++;
      if (projection.includes(segmentScan.replica, entry)) {
        long length = projection.expectedBytes(entry);
        if (!hasRoom(length)) {
          return Container.VisitResult.STOP_BEFORE;
        }
        blockWriter.nextFor(length, last);
        int elementStart = out.position();
        int elementCount = projection.write(entry, out);
        if (isExceeded(elementStart)) {
          // The caller has no room for it now. It may fit into another pull.
          out.truncate(elementStart);
          return Container.VisitResult.STOP_BEFORE;
        }
        elements += elementCount;
      }
      last = entry;
      return isExhausted() || timeSlice.isOver()
          ? Container.VisitResult.STOP_AFTER
          : Container.VisitResult.CONTINUE;
    }
  }
}
