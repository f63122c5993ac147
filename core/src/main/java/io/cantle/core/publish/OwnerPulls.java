package io.cantle.core.publish;

import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries;
import io.cantle.core.replica.Expiring;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.Replicas;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers pulls from the replicas of this node: elements are written straight into the answer, in
 * blocks of {@value #BLOCK_BYTES} bytes or one element that is longer. Behind each but the last of
 * a segment stands where the next begins: who asked may drop blocks it has not read, and ask again.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class OwnerPulls {
  private static final int VISITS = 65_536;
  private static final int BLOCK_BYTES = 4 << 10;

  private final Replicas replicas;
  private final Tasks tasks;
  private final LongSupplier hashSeed;
  private final Scanned.Commitment commitment;
  private final Expiring expiring;

  OwnerPulls(
      Replicas replicas,
      Tasks tasks,
      LongSupplier hashSeed,
      Scanned.Commitment commitment,
      Expiring expiring) {
    this.expiring = expiring;
    this.replicas = replicas;
    this.tasks = tasks;
    this.hashSeed = hashSeed;
    this.commitment = commitment;
  }

  /** Writes the answer to a pull. */
  void answer(Pull pull, Turn turn, AnswerMemory.AnswerRoom room, Output out) {
    byte @Nullable [] task = pull.task();
    Tasks.Transformation transformation = task == null ? null : tasks.transformation(task);
    Budget budget = new Budget(pull, turn, room, out.position());
    for (Want want : pull.wants()) {
      Blocks blocks = new Blocks(want.segment(), budget, out);
      int outcome = Outcome.ABSENT;
      Cursor cursor = want.cursor();
      Replica replica = replicas.find(pull.cache(), want.segment());
      ReplicaState state = replica == null ? null : replica.state();
      if (replica != null && state != null && state.readable()) {
        expiring.settle(replica);
        Scanned scanned = new Scanned(replica, state, want, hashSeed.getAsLong());
        boolean takesValues =
            transformation == null ? pull.part() != Scans.Part.KEY : transformation.needsValues();
        Visitor visitor = new Visitor(pull.part(), takesValues, out, budget, blocks, scanned);
        if (!state.leads() && replica.aging().isDue()) {
          // As of a dirty entry, only the primary knows.
          visitor.asksPrimary = true;
        } else if (transformation == null) {
          visit(visitor, null);
        } else {
          transformation.run(out, feed -> visit(visitor, feed));
        }
        cursor = visitor.cursor;
        outcome = !state.same(replica.state()) ? Outcome.LOST : visitor.outcome();
      }
      if (outcome == Outcome.LOST && !pull.keepsRefused()) {
        blocks.discard();
        budget.tooLong = 0;
      }
      blocks.end(outcome);
      if (outcome == Outcome.LONG) {
        out.writeVarint(budget.tooLong);
      }
      if (outcome == Outcome.MORE || outcome == Outcome.DIRTY || outcome == Outcome.LONG) {
        cursor.write(out);
      }
      if (outcome == Outcome.MORE || outcome == Outcome.LONG || budget.used(out)) {
        break;
      }
    }
    out.writeVarint(0);
  }

  private void visit(Visitor visitor, Tasks.@Nullable Feed feed) {
    visitor.feed = feed;
    Scanned scanned = visitor.scanned;
    while (true) {
      visitor.dirty = null;
      visitor.cursor = scanned.scan(visitor.cursor, visitor.takesValues, visitor);
      Entry dirty = visitor.dirty;
      if (dirty == null
          || !scanned.state().leads()
          || !commitment.await(scanned.replica(), scanned.state().epoch(), dirty)) {
        return;
      }
      visitor.settled = dirty;
    }
  }

  /** The blocks of one segment. */
  private static final class Blocks {
    private final int segment;
    private final Budget budget;
    private final Output out;
    private final int firstAt;
    private final int elementsBefore;
    private int begin;
    private int elements;

    Blocks(int segment, Budget budget, Output out) {
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

    /** Begins another block if the present one has elements and cannot take so many bytes more. */
    void nextFor(long bytes, @Nullable Entry last) {
      if (last != null
          && budget.elements > elements
          && out.position() - begin + bytes > BLOCK_BYTES) {
        end(Outcome.BLOCK_ENDS);
        Cursor.writeAfter(last, out);
        open();
      }
    }

    /** Nothing of the segment is told. */
    void discard() {
      out.truncate(firstAt);
      budget.elements = elementsBefore;
      open();
    }

    void end(int outcome) {
      out.patchInt(begin - 2 * Integer.BYTES, budget.elements - elements);
      out.patchInt(begin - Integer.BYTES, out.position() - begin);
      out.writeByte(outcome);
    }
  }

  private static final class Budget {
    final int bytes;
    final boolean takesLong;
    final int maxElements;
    final Turn turn;
    final AnswerMemory.AnswerRoom room;
    final int begin;
    int elements;
    int visits;

    /** What was made of one entry at most, where making it again is dear. */
    int longestMade;

    /** What the entry takes that no pull of this size can bring, or 0. */
    int tooLong;

    Budget(Pull pull, Turn turn, AnswerMemory.AnswerRoom room, int begin) {
      this.bytes = pull.budgetBytes();
      this.takesLong = pull.takesLong();
      this.maxElements = pull.budgetElements();
      this.turn = turn;
      this.room = room;
      this.begin = begin;
    }

    /** Whether there is memory for an entry that takes more than all that was asked for. */
    boolean hasRoom(long length) {
      return !takesLong || elements > 0 || length <= bytes || room.growTo(length);
    }

    boolean used(Output out) {
      return elements >= maxElements
          || visits >= VISITS
          || out.position() - begin >= bytes
          || out.position() - begin > bytes - longestMade;
    }

    /** Whether what was written last, from here on, has to wait for another pull. */
    boolean exceededBy(int at, Output out) {
      boolean fits = out.position() - begin <= bytes || (takesLong && elements == 0);
      if (!fits && (elements == 0 || out.position() - at > bytes)) {
        tooLong = Math.max(bytes, out.position() - at);
      }
      return !fits;
    }
  }

  /** Writes what is wanted of each live entry. */
  private static final class Visitor implements SegmentEntries.Visitor {
    private final Scans.Part part;
    private final boolean takesValues;
    private final Output out;
    private final Budget budget;
    private final Blocks blocks;
    private final Scanned scanned;
    private Cursor cursor;

    /** What was consumed last. */
    private @Nullable Entry last;

    private Tasks.@Nullable Feed feed;
    private @Nullable Entry dirty;
    private @Nullable Entry settled;

    /** Whether the primary has to be asked, before anything is visited. */
    private boolean asksPrimary;

    Visitor(
        Scans.Part part,
        boolean takesValues,
        Output out,
        Budget budget,
        Blocks blocks,
        Scanned scanned) {
      this.part = part;
      this.takesValues = takesValues;
      this.cursor = scanned.want().cursor();
      this.out = out;
      this.budget = budget;
      this.blocks = blocks;
      this.scanned = scanned;
    }

    int outcome() {
      if (cursor.equals(Cursor.END)) {
        return Outcome.DONE;
      }
      if (budget.tooLong > 0) {
        return Outcome.LONG;
      }
      if (asksPrimary) {
        return Outcome.DIRTY;
      }
      return dirty == null ? Outcome.MORE : Outcome.DIRTY;
    }

    @Override
    public SegmentEntries.Visit visit(Entry newest) {
      Entry entry = scanned.told(newest, settled);
      if (entry == null) {
        dirty = newest;
        return SegmentEntries.Visit.STOP_BEFORE;
      }
      budget.visits++;
      if (!entry.tombstone()) {
        if (!budget.hasRoom(length(entry))) {
          return SegmentEntries.Visit.STOP_BEFORE;
        }
        blocks.nextFor(length(entry), last);
        int at = out.position();
        int made = write(entry);
        if (budget.exceededBy(at, out)) {
          // It would not fit where the elements are to wait; in another pull it may.
          out.truncate(at);
          return SegmentEntries.Visit.STOP_BEFORE;
        }
        budget.elements += made;
        if (feed != null) {
          budget.longestMade = Math.max(budget.longestMade, out.position() - at);
        }
      }
      last = entry;
      return budget.used(out) || budget.turn.over()
          ? SegmentEntries.Visit.STOP_AFTER
          : SegmentEntries.Visit.NEXT;
    }

    /** About how much is written of an entry, as far as that is known before. */
    private long length(Entry entry) {
      if (feed != null) {
        return budget.longestMade;
      }
      return (part == Scans.Part.VALUE ? 0L : entry.keyLength())
          + (part == Scans.Part.KEY ? 0L : entry.valueLength());
    }

    private int write(Entry entry) {
      Tasks.Feed wanted = feed;
      if (wanted != null) {
        return wanted.take(entry);
      }
      if (part != Scans.Part.VALUE) {
        out.writeBlob(entry.bytes(), 0, entry.keyLength());
      }
      if (part != Scans.Part.KEY) {
        out.writeBlob(entry.bytes(), entry.valueOffset(), entry.valueLength());
      }
      return 1;
    }
  }
}
