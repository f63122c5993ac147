package io.cantle.core.scan;

import io.cantle.core.base.Output;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanTarget;
import org.jspecify.annotations.Nullable;

/**
 * Answers pulls from the replicas of this node: visits entries after the cursor of each segment, as
 * many as the pull allows, and has a {@link Projection} write what it takes of them. Elements are
 * written straight into the answer, in blocks of {@value #BLOCK_BYTES} bytes or of one longer
 * element. Each block of a segment but the last is followed by the cursor of the next block, so
 * that the caller can drop blocks it has not read and request them again.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class PullServer {
  static final int BLOCK_BYTES = 4 << 10;
  private static final int MAX_VISITS = 65_536;

  private final LocalReplicas replicas;

  PullServer(LocalReplicas replicas) {
    this.replicas = replicas;
  }

  /** Writes the answer to a pull. */
  void answer(
      PullRequest pull,
      Projection projection,
      TimeSlice timeSlice,
      AnswerMemory.AnswerRoom room,
      Output out) {
    PullBudget budget = new PullBudget(pull, projection, timeSlice, room, out);
    for (ScanTarget target : pull.targets()) {
      if (!answer(pull, target, budget)) {
        break;
      }
    }
    out.writeVarint(0);
  }

  /** Writes what there is of a segment; returns whether the next one may be begun. */
  private boolean answer(PullRequest pull, ScanTarget target, PullBudget budget) {
    Projection projection = budget.projection;
    Output out = budget.out;
    Blocks blocks = new Blocks(target.segment(), budget);
    int status = ScanStatus.ABSENT;
    SegmentCursor cursor = target.cursor();
    SegmentScan segmentScan = replicas.open(pull.cache(), target, projection::admits);
    if (segmentScan != null) {
      SegmentPull visitor = new SegmentPull(budget, blocks, segmentScan);
      if (visitor.needsPrimary) {
        status = ScanStatus.DIRTY;
      } else {
        projection.run(out, () -> visit(visitor));
        cursor = visitor.cursor;
        boolean counts = finish(visitor) && segmentScan.isValid();
        status = counts ? visitor.status() : ScanStatus.LOST;
      }
    }
    if (status == ScanStatus.LOST && !pull.keepsAfterMove()) {
      blocks.discard();
      budget.oversizedBytes = 0;
    }
    blocks.end(status);
    if (status == ScanStatus.OVERSIZED) {
      out.writeVarint(budget.oversizedBytes);
    }
    if (ScanStatus.hasCursor(status)) {
      cursor.write(out);
    }
    return status != ScanStatus.MORE && status != ScanStatus.OVERSIZED && !budget.isExhausted();
  }

  private void visit(SegmentPull visitor) {
    SegmentScan segmentScan = visitor.segmentScan;
    while (true) {
      visitor.dirty = null;
      visitor.cursor = segmentScan.scan(visitor.cursor, visitor::needsValue, visitor);
      Entry dirty = visitor.dirty;
      if (dirty == null
          || !segmentScan.state().isActivePrimary()
          || !replicas.awaitCommitted(segmentScan.replica(), segmentScan.state().epoch(), dirty)) {
        return;
      }
      visitor.awaited = dirty;
    }
  }

  private static boolean finish(SegmentPull visitor) {
    PullBudget budget = visitor.budget;
    budget.out.growIf(budget.room::grow);
    boolean counts =
        budget.projection.finish(
            visitor.segmentScan.replica(), visitor.cursor, budget.out, visitor.blocks.begin);
    budget.out.growIf(moreBytes -> true);
    return counts;
  }

  /** Writes the blocks of one segment. */
  private static final class Blocks {
    private final int segment;
    private final PullBudget budget;
    private final Output out;
    private final int firstAt;
    private final int elementsBefore;
    private int begin;
    private int elements;

    Blocks(int segment, PullBudget budget) {
      this.segment = segment;
      this.budget = budget;
      this.out = budget.out;
      this.firstAt = out.position();
      this.elementsBefore = budget.elements;
      open();
    }

    private void open() {
      out.writeVarint(segment + 1L);
      out.writeInt(0);
      out.writeInt(0);
      begin = out.position();
      elements = budget.elements;
    }

    /**
     * Begins another block if the current one has elements and cannot take this many more bytes.
     */
    void nextFor(long bytes, @Nullable Entry last) {
      if (last != null
          && budget.elements > elements
          && out.position() - begin + bytes > budget.projection.blockBytes()) {
        end(ScanStatus.BLOCK_ENDS);
        SegmentCursor.writeAfter(last, out);
        open();
      }
    }

    /** Removes everything written of the segment. */
    void discard() {
      out.truncate(firstAt);
      budget.elements = elementsBefore;
      open();
    }

    void end(int status) {
      out.patchInt(begin - 2 * Integer.BYTES, budget.elements - elements);
      out.patchInt(begin - Integer.BYTES, out.position() - begin);
      out.writeByte(status);
    }
  }

  /** What an answer may still take. */
  private static final class PullBudget {
    final int maxBytes;
    final boolean acceptsOversized;
    final int maxElements;
    final Projection projection;
    final TimeSlice timeSlice;
    final AnswerMemory.AnswerRoom room;
    final Output out;
    final int begin;
    int elements;
    int visits;

    /** The size of the entry that no pull of this size can carry, or 0. */
    int oversizedBytes;

    PullBudget(
        PullRequest pull,
        Projection projection,
        TimeSlice timeSlice,
        AnswerMemory.AnswerRoom room,
        Output out) {
      this.maxBytes = pull.maxBytes();
      this.acceptsOversized = pull.acceptsOversized();
      this.maxElements = pull.maxElements();
      this.projection = projection;
      this.timeSlice = timeSlice;
      this.room = room;
      this.out = out;
      this.begin = out.position();
    }

    /** Whether there is memory for an entry that is longer than everything the pull asked for. */
    boolean hasRoom(long length) {
      return !acceptsOversized || elements > 0 || length <= maxBytes || room.growTo(length);
    }

    boolean isExhausted() {
      int written = out.position() - begin;
      return elements >= maxElements
          || visits >= MAX_VISITS
          || written >= maxBytes
          || written > maxBytes - projection.minRoomBytes();
    }

    /** Whether what was written from {@code elementStart} on must wait for another pull. */
    boolean isExceeded(int elementStart) {
      boolean fits = out.position() - begin <= maxBytes || (acceptsOversized && elements == 0);
      if (!fits && (elements == 0 || out.position() - elementStart > maxBytes)) {
        oversizedBytes = Math.max(maxBytes, out.position() - elementStart);
      }
      return !fits;
    }
  }

  /** Writes what the projection takes of one segment. */
  private static final class SegmentPull implements Container.Visitor {
    private final Projection projection;
    private final boolean takesUncommitted;
    private final PullBudget budget;
    private final Blocks blocks;
    private final SegmentScan segmentScan;
    private SegmentCursor cursor;

    /** The entry visited last. */
    private @Nullable Entry last;

    private @Nullable Entry dirty;
    private @Nullable Entry awaited;

    /**
     * Whether the primary must be asked before anything is visited: as with a dirty entry, only the
     * primary can tell whether an entry has expired.
     */
    private final boolean needsPrimary;

    SegmentPull(PullBudget budget, Blocks blocks, SegmentScan segmentScan) {
      this.projection = budget.projection;
      this.takesUncommitted = projection.takesUncommitted();
      this.budget = budget;
      this.blocks = blocks;
      this.segmentScan = segmentScan;
      this.cursor = segmentScan.target().cursor();
      this.needsPrimary =
          !segmentScan.state().isActivePrimary() && segmentScan.replica().expiry().mayBeDue();
    }

    int status() {
      if (cursor.equals(SegmentCursor.END)) {
        return ScanStatus.DONE;
      }
      if (budget.oversizedBytes > 0) {
        return ScanStatus.OVERSIZED;
      }
      return dirty == null ? ScanStatus.MORE : ScanStatus.DIRTY;
    }

    boolean needsValue(Entry entry) {
      return projection.needsValue(segmentScan.replica(), entry);
    }

    @Override
    public Container.VisitResult visit(Entry newest) {
      Entry entry = takesUncommitted ? newest : segmentScan.visibleVersion(newest, awaited);
      if (entry == null) {
        dirty = newest;
        return Container.VisitResult.STOP_BEFORE;
      }
      budget.visits++;
      if (projection.includes(segmentScan.replica(), entry)) {
        long length = projection.expectedBytes(entry);
        if (!budget.hasRoom(length)) {
          return Container.VisitResult.STOP_BEFORE;
        }
        blocks.nextFor(length, last);
        int elementStart = budget.out.position();
        int elementCount = projection.write(entry, budget.out);
        if (budget.isExceeded(elementStart)) {
          // The caller has no room for it now. It may fit into another pull.
          budget.out.truncate(elementStart);
          return Container.VisitResult.STOP_BEFORE;
        }
        budget.elements += elementCount;
      }
      last = entry;
      return budget.isExhausted() || budget.timeSlice.isOver()
          ? Container.VisitResult.STOP_AFTER
          : Container.VisitResult.CONTINUE;
    }
  }
}
