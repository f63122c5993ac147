package io.cantle.core.scan;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Output;
import io.cantle.core.base.OutputFullException;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.transport.Transport;
import io.cantle.core.wire.ReduceRequest;
import io.cantle.core.wire.ScanTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers one request for partial results from the live entries of this node, with one thread or
 * several. A result counts with everything that went into it, or not at all: if a segment moved
 * before its last entry was read, the result is left out and its segments are reported as lost. A
 * result that is longer than a message is made again from fewer entries.
 *
 * <p><b>Threading:</b> one thread, which may wait; partial results are made by others.
 */
record ReductionServer(
    Environment environment,
    WorkerScheduler scheduler,
    LocalReplicas replicas,
    TaskInterpreter taskInterpreter,
    ReduceRequest request,
    Supplier<TimeSlice> timeSlices,
    AnswerMemory.AnswerRoom room) {
  /** The most bytes of a result: the cursors that follow it must fit into the message too. */
  static final int MAX_RESULT_BYTES = Transport.MAX_MESSAGE_BYTES - (4 << 20);

  private static final TaskInterpreter.Reduction COUNT_REDUCTION =
      new TaskInterpreter.Reduction() {
        @Override
        public void reduce(TaskInterpreter.EntrySource live, Output partial) {
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

  /** The result for a single entry is longer than a message. */
  static final class OversizedResultException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OversizedResultException(OutputFullException cause) {
      super(cause);
    }
  }

  /** Writes the answer: one or several results, and how far each of them goes. */
  void answer(WorkerScheduler.ScanKey scanKey, Output out) throws InterruptedException {
    List<SegmentScan> scans = new ArrayList<>();
    for (ScanTarget target : request.targets()) {
      SegmentScan scan = replicas.open(request.cache(), target, ReplicaState::isActivePrimary);
      if (scan != null) {
        scans.add(scan);
      } else {
        out.writeVarint(target.segment() + 1L);
        out.writeByte(ScanStatus.ABSENT);
      }
    }
    out.writeVarint(0);
    List<List<SegmentScan>> parts =
        dealOut(scans, request.parallel() ? environment.processors() : 1);
    boolean single = parts.size() == 1;
    if (single) {
      out.writeVarint(1);
    }
    long bytes = request.maxEntryBytes() / Math.max(1, parts.size());
    List<PartialReduction> results = new ArrayList<>();
    for (List<SegmentScan> segments : parts) {
      results.add(new PartialReduction(segments, bytes, single ? out : new Output(1_024)));
    }
    if (request.task() == null) {
      results.forEach(PartialReduction::run);
    } else {
      scheduler.runAll(scanKey, results.stream().anyMatch(PartialReduction::mayBlock), results);
    }
    out.growIf(this::growAnyway);
    if (!single) {
      writeResults(results, out);
    }
  }

  private boolean growAnyway(int moreBytes) {
    room.mustGrow(moreBytes);
    return true;
  }

  /** Writes the results that fit into a message; segments of the others count as not started. */
  private static void writeResults(List<PartialReduction> results, Output out) {
    int fitting = 0;
    long length = out.position();
    while (fitting < results.size()
        && (fitting == 0
            || length + results.get(fitting).out.position() <= Transport.MAX_MESSAGE_BYTES - 64)) {
      length += results.get(fitting).out.position();
      fitting++;
    }
    out.writeVarint(fitting);
    for (PartialReduction part : results.subList(0, fitting)) {
      out.write(part.out.array(), 0, part.out.position());
    }
  }

  /** Distributes the segments over parts. */
  private static List<List<SegmentScan>> dealOut(List<SegmentScan> scans, int limit) {
    List<List<SegmentScan>> parts = new ArrayList<>();
    for (int i = 0; i < scans.size(); i++) {
      if (i < limit) {
        parts.add(new ArrayList<>());
      }
      parts.get(i % limit).add(scans.get(i));
    }
    return parts;
  }

  /** One partial result in progress. */
  private final class PartialReduction implements Runnable {
    private final List<SegmentScan> segments;
    private final long maxBytes;
    private final Output out;
    private TaskInterpreter.Reduction reduction;

    /** Whether it is made of as little as possible, and takes whatever memory it needs. */
    private boolean isMinimal;

    /**
     * Whether the output was refused because memory was short, not because the result is too long.
     */
    private boolean lacksMemory;

    PartialReduction(List<SegmentScan> segments, long maxBytes, Output out) {
      this.segments = segments;
      this.maxBytes = maxBytes;
      this.out = out;
      this.reduction = newReduction();
    }

    private TaskInterpreter.Reduction newReduction() {
      byte @Nullable [] task = request.task();
      return task == null ? COUNT_REDUCTION : taskInterpreter.readReduction(task);
    }

    boolean mayBlock() {
      return reduction.mayBlock();
    }

    @Override
    public void run() {
      int lengthAt = out.position();
      out.writeInt(0);
      int startPosition = out.position();
      LiveEntryReader reader = reduce(startPosition);
      boolean isLost = reader.isLost();
      boolean counts = !isLost || request.keepsAfterMove();
      if (!counts) {
        out.truncate(startPosition);
      }
      out.patchInt(lengthAt, counts ? out.position() - startPosition : -1);
      reader.writeStatuses(out, isLost);
      out.writeVarint(0);
    }

    /**
     * Writes the result for as many entries as allowed; the returned reader knows which they are.
     */
    private LiveEntryReader reduce(int startPosition) {
      long limit = maxBytes;
      LiveEntryReader reader = newReader(limit);
      out.limit(startPosition + MAX_RESULT_BYTES);
      out.growIf(this::mayGrow);
      for (boolean fits = false; !fits; ) {
        try {
          reduction.reduce(reader, out);
          fits = true;
        } catch (OutputFullException e) {
          if (reader.entriesRead() <= 1) {
            if (!lacksMemory) {
              throw new OversizedResultException(e);
            }
            isMinimal = true;
          }
          lacksMemory = false;
          out.truncate(startPosition);
          reduction = newReduction();
          // What was made of an entry is counted only after it was made, so the next attempt may
          // read the same entries again.
          limit = Math.min(limit, reader.bytesRead()) / 2;
          reader = newReader(limit);
        }
      }
      out.limit(Integer.MAX_VALUE);
      // What follows the result is short, and could not be taken back.
      out.growIf(ReductionServer.this::growAnyway);
      return reader;
    }

    private boolean mayGrow(int more) {
      if (isMinimal) {
        return growAnyway(more);
      }
      lacksMemory = !room.grow(more);
      return !lacksMemory;
    }

    private LiveEntryReader newReader(long limit) {
      return new LiveEntryReader(segments, reduction.needsValues(), timeSlices.get(), limit);
    }
  }
}
