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
 * Answers pulls from the replicas of this node: elements are written straight into the answer.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class OwnerPulls {
  private static final int VISITS = 65_536;

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
  void answer(Pull pull, Turn turn, Output out) {
    byte @Nullable [] task = pull.task();
    Tasks.Transformation transformation = task == null ? null : tasks.transformation(task);
    Budget budget = new Budget(pull, turn, out.position());
    for (Want want : pull.wants()) {
      out.writeVarint(want.segment() + 1L);
      int countAt = out.position();
      out.writeInt(0);
      out.writeInt(0);
      int begin = out.position();
      int before = budget.elements;
      int outcome = Outcome.ABSENT;
      Cursor cursor = want.cursor();
      Replica replica = replicas.find(pull.cache(), want.segment());
      ReplicaState state = replica == null ? null : replica.state();
      if (replica != null && state != null && state.readable()) {
        expiring.settle(replica);
        Scanned scanned = new Scanned(replica, state, want, hashSeed.getAsLong());
        boolean takesValues =
            transformation == null ? pull.part() != Scans.Part.KEY : transformation.needsValues();
        Visitor visitor = new Visitor(pull.part(), takesValues, out, budget, scanned);
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
        out.truncate(begin);
        budget.elements = before;
        budget.tooLong = 0;
      }
      out.patchInt(countAt, budget.elements - before);
      out.patchInt(countAt + Integer.BYTES, out.position() - begin);
      out.writeByte(outcome);
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

  private static final class Budget {
    final int bytes;
    final boolean takesLong;
    final int maxElements;
    final Turn turn;
    final int begin;
    int elements;
    int visits;

    /** What was made of one entry at most, where making it again is dear. */
    int longestMade;

    /** What the entry takes that no pull of this size can bring, or 0. */
    int tooLong;

    Budget(Pull pull, Turn turn, int begin) {
      this.bytes = pull.budgetBytes();
      this.takesLong = pull.takesLong();
      this.maxElements = pull.budgetElements();
      this.turn = turn;
      this.begin = begin;
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
    private final Scanned scanned;
    private Cursor cursor;
    private Tasks.@Nullable Feed feed;
    private @Nullable Entry dirty;
    private @Nullable Entry settled;

    /** Whether the primary has to be asked, before anything is visited. */
    private boolean asksPrimary;

    Visitor(Scans.Part part, boolean takesValues, Output out, Budget budget, Scanned scanned) {
      this.part = part;
      this.takesValues = takesValues;
      this.cursor = scanned.want().cursor();
      this.out = out;
      this.budget = budget;
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
      return budget.used(out) || budget.turn.over()
          ? SegmentEntries.Visit.STOP_AFTER
          : SegmentEntries.Visit.NEXT;
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
