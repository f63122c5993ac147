package io.cantle.core.publish;

import io.cantle.core.base.NoRoomException;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.replica.Expiring;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.Replicas;
import io.cantle.core.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes partial results of the live entries of this node, by one thread or several. A result counts
 * with all that went into it or not at all: if a segment moved on before the last entry was read,
 * it is left out and its segments are told to be lost. One that is longer than a message is made
 * again of fewer entries.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class OwnerShares {
  /** What a result takes at most: the places that follow it have room in the message too. */
  static final int RESULT_BYTES = Transport.MAX_MESSAGE_BYTES - (4 << 20);

  private static final Tasks.Reduction COUNT =
      new Tasks.Reduction() {
        @Override
        public void reduce(Tasks.Entries live, Output partial) {
          long count = 0;
          for (; live.hasNext(); live.next()) {
            count++;
          }
          partial.writeVarint(count);
        }

        @Override
        public boolean needsValues() {
          return false;
        }
      };

  private final World world;
  private final Turns turns;
  private final Replicas replicas;
  private final Tasks tasks;
  private final LongSupplier hashSeed;
  private final Scanned.Commitment commitment;
  private final Expiring expiring;

  OwnerShares(
      World world,
      Turns turns,
      Replicas replicas,
      Tasks tasks,
      LongSupplier hashSeed,
      Scanned.Commitment commitment,
      Expiring expiring) {
    this.expiring = expiring;
    this.world = world;
    this.turns = turns;
    this.replicas = replicas;
    this.tasks = tasks;
    this.hashSeed = hashSeed;
    this.commitment = commitment;
  }

  /** What is made of a single entry is longer than a message. */
  static final class TooLongException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooLongException(NoRoomException cause) {
      super(cause);
    }
  }

  /** Writes the answer: some results, and how far each goes. */
  void answer(
      Share share,
      Turns.Stream stream,
      Supplier<Turn> turn,
      AnswerMemory.AnswerRoom room,
      Output out)
      throws InterruptedException {
    List<Scanned> here = new ArrayList<>();
    List<Want> absent = new ArrayList<>();
    for (Want want : share.wants()) {
      Replica replica = replicas.find(share.cache(), want.segment());
      ReplicaState state = replica == null ? null : replica.state();
      if (replica != null && state != null && state.leads()) {
        expiring.settle(replica);
        here.add(new Scanned(replica, state, want, hashSeed.getAsLong()));
      } else {
        absent.add(want);
      }
    }
    for (Want want : absent) {
      out.writeVarint(want.segment() + 1L);
      out.writeByte(Outcome.ABSENT);
    }
    out.writeVarint(0);
    List<List<Scanned>> parts = parts(here, share.parallel() ? world.processors() : 1);
    boolean single = parts.size() == 1;
    if (single) {
      out.writeVarint(1);
    }
    long bytes = share.bytes() / Math.max(1, parts.size());
    List<Part> results = new ArrayList<>();
    for (List<Scanned> segments : parts) {
      results.add(new Part(share, segments, turn, bytes, room, single ? out : new Output(1_024)));
    }
    if (share.task() == null) {
      results.forEach(Part::run);
    } else {
      turns.run(stream, results.stream().anyMatch(Part::waits), results);
    }
    out.room(
        more -> {
          room.mustGrow(more);
          return true;
        });
    if (!single) {
      write(results, out);
    }
  }

  /** Writes the results that fit a message; segments of the others count as not begun. */
  private static void write(List<Part> results, Output out) {
    int fit = 0;
    long length = out.position();
    while (fit < results.size()
        && (fit == 0
            || length + results.get(fit).out.position() <= Transport.MAX_MESSAGE_BYTES - 64)) {
      length += results.get(fit).out.position();
      fit++;
    }
    out.writeVarint(fit);
    for (Part part : results.subList(0, fit)) {
      out.write(part.out.array(), 0, part.out.position());
    }
  }

  /** Deals the segments out. */
  private static List<List<Scanned>> parts(List<Scanned> here, int most) {
    List<List<Scanned>> parts = new ArrayList<>();
    for (int i = 0; i < here.size(); i++) {
      if (i < most) {
        parts.add(new ArrayList<>());
      }
      parts.get(i % most).add(here.get(i));
    }
    return parts;
  }

  /** One of several results, on its way. */
  private final class Part implements Runnable {
    private final Share share;
    private final List<Scanned> segments;
    private final Supplier<Turn> turn;
    private final long bytes;
    private final AnswerMemory.AnswerRoom room;
    private final Output out;
    private Tasks.Reduction reduction;

    /** Whether it is made of as little as can be, and takes what memory it needs. */
    private boolean isLeast;

    /** Whether it was memory that there was not enough of. */
    private boolean lacksMemory;

    Part(
        Share share,
        List<Scanned> segments,
        Supplier<Turn> turn,
        long bytes,
        AnswerMemory.AnswerRoom room,
        Output out) {
      this.share = share;
      this.segments = segments;
      this.turn = turn;
      this.bytes = bytes;
      this.room = room;
      this.out = out;
      this.reduction = reduction();
    }

    private Tasks.Reduction reduction() {
      byte @Nullable [] task = share.task();
      return task == null ? COUNT : tasks.reduction(task);
    }

    boolean waits() {
      return reduction.waits();
    }

    @Override
    public void run() {
      int lengthAt = out.position();
      out.writeInt(0);
      int begin = out.position();
      LiveEntries entries = reduced(begin);
      boolean isLost = entries.lost();
      boolean counts = !isLost || share.keepsRefused();
      if (!counts) {
        out.truncate(begin);
      }
      out.patchInt(lengthAt, counts ? out.position() - begin : -1);
      entries.writeOutcomes(out, isLost);
      out.writeVarint(0);
    }

    /** Writes what is made of as many entries as may be, and says which they are. */
    private LiveEntries reduced(int begin) {
      long most = bytes;
      LiveEntries entries = entries(most);
      out.limit(begin + RESULT_BYTES);
      out.room(this::mayGrow);
      for (boolean fits = false; !fits; ) {
        try {
          reduction.reduce(entries, out);
          fits = true;
        } catch (NoRoomException e) {
          if (entries.entriesRead() <= 1) {
            if (!lacksMemory) {
              throw new TooLongException(e);
            }
            isLeast = true;
          }
          lacksMemory = false;
          out.truncate(begin);
          reduction = reduction();
          // What was made of the last one counts when it has come: the same may be read again.
          most = Math.min(most, entries.bytesRead()) / 2;
          entries = entries(most);
        }
      }
      out.limit(Integer.MAX_VALUE);
      return entries;
    }

    private boolean mayGrow(int more) {
      if (isLeast) {
        room.mustGrow(more);
      } else {
        lacksMemory = !room.grow(more);
      }
      return !lacksMemory;
    }

    private LiveEntries entries(long most) {
      return new LiveEntries(segments, reduction.needsValues(), turn.get(), most, commitment);
    }
  }
}
