package io.cantle.core.scan;

import io.cantle.Delivery;
import io.cantle.core.base.Input;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.ReduceRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs a reduction: collects the partial results of all owners, each counted once. An owner answers
 * after a second at the latest and is asked again for the rest, so every answer is progress,
 * however long the whole takes.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class ReductionClient {
  private static final int MAX_OWNERS = 8;
  private static final int MAX_SEGMENTS_PER_REQUEST = 128;

  /** The bytes of entries in one result, until it is known how long results are. */
  private static final long INITIAL_BYTES = 32 << 20;

  private static final long MIN_BYTES = 1 << 20;
  private static final long MAX_BYTES = 256 << 20;

  /** An answer that is shorter than this could cover more entries. */
  private static final int SHORT_ANSWER_BYTES = 1 << 20;

  /** An answer that is longer than this should cover fewer entries. */
  private static final int LONG_ANSWER_BYTES = 16 << 20;

  /** The memory reserved for an answer until its size is known. */
  private static final int MIN_ANSWER_BYTES = 4 << 10;

  /** The most that all answers in flight may take together, as far as it is known. */
  private static final int MAX_IN_FLIGHT_BYTES = 64 << 20;

  private final ScanContext context;
  private final byte @Nullable [] task;
  private final ScanOptions options;
  private final PartialReader partials;
  private long entryBytes = INITIAL_BYTES;

  /** The size of recent answers. */
  private int longestAnswerBytes = 1;

  /**
   * Creates a reduction that has not started.
   *
   * @param task what the owners do, or null to have them count entries
   * @param partials reads each result
   */
  public ReductionClient(
      ScanContext context, byte @Nullable [] task, ScanOptions options, PartialReader partials) {
    this.context = context;
    this.task = task;
    this.options = options;
    this.partials = partials;
  }

  /** Runs the reduction. */
  public void run() {
    ScanClient.RequestPolicy policy =
        new ScanClient.RequestPolicy(
            MessageKind.REDUCE, MAX_OWNERS, MAX_SEGMENTS_PER_REQUEST, false, task != null);
    boolean keepsAfterMove = options.delivery() == Delivery.AT_LEAST_ONCE;
    ScanClient.RequestTemplate template =
        targets ->
            new ReduceRequest(
                context.cache(), task, options.parallel(), keepsAfterMove, entryBytes, targets);
    // Nothing of it can be reclaimed, since it reads its answers as they arrive.
    ScanClient scanClient =
        new ScanClient(context, options, policy, context.startCursors(options), () -> false);
    try {
      scanClient.run(
          () -> {
            int maxNew =
                Math.clamp(MAX_IN_FLIGHT_BYTES / longestAnswerBytes, 1, policy.maxRequests());
            int expected = Math.max(longestAnswerBytes, MIN_ANSWER_BYTES);
            scanClient.sendMore(
                maxNew - scanClient.inFlightCount(),
                expected,
                () -> {
                  partials.onSend();
                  return template;
                });
          },
          (request, in) -> {
            adaptSizes(in.remaining());
            return readAnswer(request, in);
          });
    } finally {
      scanClient.close();
    }
  }

  /**
   * Adapts to the length of answers: the longer they are, the fewer entries each covers, and the
   * fewer are in flight.
   */
  private void adaptSizes(int length) {
    longestAnswerBytes = Math.max(1, Math.max(length, longestAnswerBytes / 2));
    if (length > LONG_ANSWER_BYTES) {
      entryBytes = Math.max(MIN_BYTES, entryBytes / 2);
    } else if (length < SHORT_ANSWER_BYTES) {
      entryBytes = Math.min(MAX_BYTES, entryBytes * 2);
    }
  }

  private boolean readAnswer(ScanRequest request, Input in) {
    readStatuses(request, in);
    for (int resultCount = in.readCount(in.remaining()); resultCount > 0; resultCount--) {
      int length = in.readInt();
      Input result = length < 0 ? null : in.slice(length);
      List<Integer> done = readStatuses(request, in);
      boolean wantsMore = result == null || partials.read(result);
      done.forEach(options::notifyCompleted);
      if (!wantsMore) {
        return false;
      }
    }
    in.requireEndOf("an answer");
    return true;
  }

  private static List<Integer> readStatuses(ScanRequest request, Input in) {
    List<Integer> done = new ArrayList<>();
    for (long encodedSegment = in.readVarint();
        encodedSegment != 0;
        encodedSegment = in.readVarint()) {
      int segment = (int) encodedSegment - 1;
      if (request.endSegment(segment, PullAnswer.SegmentStatus.read(in))) {
        done.add(segment);
      }
    }
    return done;
  }

  /** Counts the entries, visiting none unless keys are wanted. */
  public static long count(ScanContext context, ScanOptions options) {
    if (options.keys() == null) {
      return new CountClient(context, options).count();
    }
    long[] total = new long[1];
    new ReductionClient(
            context,
            null,
            options,
            in -> {
              total[0] += in.readVarint();
              return true;
            })
        .run();
    return total[0];
  }
}
