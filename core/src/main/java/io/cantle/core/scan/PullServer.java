package io.cantle.core.scan;

import io.cantle.core.base.Output;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanTarget;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers pulls from the replicas of this node. Elements are written straight into the answer, in
 * blocks of {@value #BLOCK_BYTES} bytes or of one longer element. Each block of a segment but the
 * last is followed by the cursor of the next block, so that the caller can drop blocks it has not
 * read and request them again.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class PullServer {
  private static final int MAX_VISITS = 65_536;
  private static final int BLOCK_BYTES = 4 << 10;

  private final ReplicaTable replicas;
  private final TaskInterpreter taskInterpreter;
  private final LongSupplier hashSeed;
  private final SegmentScan.CommitWaiter commitWaiter;
  private final ExpiryTrigger expiryTrigger;

  PullServer(
      ReplicaTable replicas,
      TaskInterpreter taskInterpreter,
      LongSupplier hashSeed,
      SegmentScan.CommitWaiter commitWaiter,
      ExpiryTrigger expiryTrigger) {
    this.expiryTrigger = expiryTrigger;
    this.replicas = replicas;
    this.taskInterpreter = taskInterpreter;
    this.hashSeed = hashSeed;
    this.commitWaiter = commitWaiter;
  }

  /** Writes the answer to a pull. */
  void answer(PullRequest pull, TimeSlice timeSlice, AnswerMemory.AnswerRoom room, Output out) {
    byte @Nullable [] task = pull.task();
    TaskInterpreter.Transformation transformation =
        task == null ? null : taskInterpreter.readTransformation(task);
    PullBudget budget = new PullBudget(pull, timeSlice, room, out.position());
    for (ScanTarget target : pull.targets()) {
      Blocks blocks = new Blocks(target.segment(), budget, out);
      int status = ScanStatus.ABSENT;
      SegmentCursor cursor = target.cursor();
      Replica replica = replicas.find(pull.cache(), target.segment());
      ReplicaState state = replica == null ? null : replica.state();
      if (replica != null && state != null && state.isReadable()) {
        expiryTrigger.expireDue(replica);
        SegmentScan segmentScan = new SegmentScan(replica, state, target, hashSeed.getAsLong());
        boolean takesValues =
            transformation == null
                ? pull.part() != PullRequest.Part.KEY
                : transformation.needsValues();
        ElementWriter visitor =
            new ElementWriter(pull.part(), takesValues, out, budget, blocks, segmentScan);
        if (!state.isActivePrimary() && replica.expiry().isExpiryDue()) {
          // As with a dirty entry, only the primary can tell whether the entry has expired.
          visitor.needsPrimary = true;
        } else if (transformation == null) {
          visit(visitor, null);
        } else {
          transformation.run(out, consumer -> visit(visitor, consumer));
        }
        cursor = visitor.cursor;
        status = !state.isSameAs(replica.state()) ? ScanStatus.LOST : visitor.status();
      }
      if (status == ScanStatus.LOST && !pull.keepsAfterMove()) {
        blocks.discard();
        budget.oversizedBytes = 0;
      }
      blocks.end(status);
      if (status == ScanStatus.OVERSIZED) {
        out.writeVarint(budget.oversizedBytes);
      }
      if (status == ScanStatus.MORE
          || status == ScanStatus.DIRTY
          || status == ScanStatus.OVERSIZED) {
        cursor.write(out);
      }
      if (status == ScanStatus.MORE || status == ScanStatus.OVERSIZED || budget.isExhausted(out)) {
        break;
      }
    }
    out.writeVarint(0);
  }

  private void visit(ElementWriter visitor, TaskInterpreter.@Nullable EntryConsumer consumer) {
    visitor.consumer = consumer;
    SegmentScan segmentScan = visitor.segmentScan;
    while (true) {
      visitor.dirty = null;
      visitor.cursor = segmentScan.scan(visitor.cursor, visitor.needsValues, visitor);
      Entry dirty = visitor.dirty;
      if (dirty == null
          || !segmentScan.state().isActivePrimary()
          || !commitWaiter.awaitCommit(segmentScan.replica(), segmentScan.state().epoch(), dirty)) {
        return;
      }
      visitor.awaited = dirty;
    }
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

    Blocks(int segment, PullBudget budget, Output out) {
      this.segment = segment;
      this.budget = budget;
      this.out = out;
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
          && out.position() - begin + bytes > BLOCK_BYTES) {
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

  private static final class PullBudget {
    final int maxBytes;
    final boolean acceptsOversized;
    final int maxElements;
    final TimeSlice timeSlice;
    final AnswerMemory.AnswerRoom room;
    final int begin;
    int elements;
    int visits;

    /** The longest result for one entry, where making it again is expensive. */
    int longestElementBytes;

    /** The size of the entry that no pull of this size can carry, or 0. */
    int oversizedBytes;

    PullBudget(
        PullRequest pull, TimeSlice timeSlice, AnswerMemory.AnswerRoom room, int startPosition) {
      this.maxBytes = pull.maxBytes();
      this.acceptsOversized = pull.acceptsOversized();
      this.maxElements = pull.maxElements();
      this.timeSlice = timeSlice;
      this.room = room;
      this.begin = startPosition;
    }

    /** Whether there is memory for an entry that is longer than everything the pull asked for. */
    boolean hasRoom(long length) {
      return !acceptsOversized || elements > 0 || length <= maxBytes || room.growTo(length);
    }

    boolean isExhausted(Output out) {
      return elements >= maxElements
          || visits >= MAX_VISITS
          || out.position() - begin >= maxBytes
          || out.position() - begin > maxBytes - longestElementBytes;
    }

    /** Whether what was written from {@code elementStart} on must wait for another pull. */
    boolean isExceeded(int elementStart, Output out) {
      boolean fits = out.position() - begin <= maxBytes || (acceptsOversized && elements == 0);
      if (!fits && (elements == 0 || out.position() - elementStart > maxBytes)) {
        oversizedBytes = Math.max(maxBytes, out.position() - elementStart);
      }
      return !fits;
    }
  }

  /** Writes the wanted part of each live entry. */
  private static final class ElementWriter implements Container.Visitor {
    private final PullRequest.Part part;
    private final boolean needsValues;
    private final Output out;
    private final PullBudget budget;
    private final Blocks blocks;
    private final SegmentScan segmentScan;
    private SegmentCursor cursor;

    /** The entry visited last. */
    private @Nullable Entry last;

    private TaskInterpreter.@Nullable EntryConsumer consumer;
    private @Nullable Entry dirty;
    private @Nullable Entry awaited;

    /** Whether the primary must be asked before anything is visited. */
    private boolean needsPrimary;

    ElementWriter(
        PullRequest.Part part,
        boolean needsValues,
        Output out,
        PullBudget budget,
        Blocks blocks,
        SegmentScan segmentScan) {
      this.part = part;
      this.needsValues = needsValues;
      this.cursor = segmentScan.target().cursor();
      this.out = out;
      this.budget = budget;
      this.blocks = blocks;
      this.segmentScan = segmentScan;
    }

    int status() {
      if (cursor.equals(SegmentCursor.END)) {
        return ScanStatus.DONE;
      }
      if (budget.oversizedBytes > 0) {
        return ScanStatus.OVERSIZED;
      }
      if (needsPrimary) {
        return ScanStatus.DIRTY;
      }
      return dirty == null ? ScanStatus.MORE : ScanStatus.DIRTY;
    }

    @Override
    public Container.VisitResult visit(Entry newest) {
      Entry entry = segmentScan.visibleVersion(newest, awaited);
      if (entry == null) {
        dirty = newest;
        return Container.VisitResult.STOP_BEFORE;
      }
      budget.visits++;
      if (!entry.isTombstone()) {
        if (!budget.hasRoom(length(entry))) {
          return Container.VisitResult.STOP_BEFORE;
        }
        blocks.nextFor(length(entry), last);
        int elementStart = out.position();
        int elementCount = writeElements(entry);
        if (budget.isExceeded(elementStart, out)) {
          // The caller has no room for it now. It may fit into another pull.
          out.truncate(elementStart);
          return Container.VisitResult.STOP_BEFORE;
        }
        budget.elements += elementCount;
        if (consumer != null) {
          budget.longestElementBytes =
              Math.max(budget.longestElementBytes, out.position() - elementStart);
        }
      }
      last = entry;
      return budget.isExhausted(out) || budget.timeSlice.isOver()
          ? Container.VisitResult.STOP_AFTER
          : Container.VisitResult.CONTINUE;
    }

    /** The approximate size of what is written of an entry, as far as it is known in advance. */
    private long length(Entry entry) {
      if (consumer != null) {
        return budget.longestElementBytes;
      }
      return (part == PullRequest.Part.VALUE ? 0L : entry.keyLength())
          + (part == PullRequest.Part.KEY ? 0L : entry.valueLength());
    }

    private int writeElements(Entry entry) {
      TaskInterpreter.EntryConsumer entryConsumer = consumer;
      if (entryConsumer != null) {
        return entryConsumer.writeElements(entry);
      }
      if (part != PullRequest.Part.VALUE) {
        out.writeBlob(entry.bytes(), 0, entry.keyLength());
      }
      if (part != PullRequest.Part.KEY) {
        out.writeBlob(entry.bytes(), entry.valueOffset(), entry.valueLength());
      }
      return 1;
    }
  }
}
