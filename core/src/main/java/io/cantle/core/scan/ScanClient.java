package io.cantle.core.scan;

import io.cantle.CallTimeoutException;
import io.cantle.Delivery;
import io.cantle.NotAvailableException;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.Input;
import io.cantle.core.base.Signal;
import io.cantle.core.call.CallLoop;
import io.cantle.core.call.CallPace;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.PendingRequest;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.ScanTarget;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of one scan to the owners until each segment has been read to its end. For
 * each segment it remembers only a cursor: whichever node owns the segment next continues from
 * there. That makes every entry count exactly once while segments move. Only one node at a time is
 * asked for a segment.
 *
 * <p>A request without an answer is sent again under the same number while its node is a member. An
 * owner that still works on it does not start again. An owner that has finished, and whose answer
 * was lost, does start again. Where functions must not run twice, the scan waits instead of
 * resending.
 *
 * <p><b>Threading:</b> one thread; {@link #wake} by any.
 */
final class ScanClient {
  /**
   * How one kind of scan sends its requests.
   *
   * @param kind the kind of message
   * @param maxRequests how many requests may be in flight; with one at a time, segments are read in
   *     their order
   * @param maxSegments how many segments one request may cover
   * @param reportsLost whether a lost segment is reported as such and is not a failure
   * @param runsTask whether the owners run a task, and with it functions of the caller
   */
  record RequestPolicy(
      MessageKind kind, int maxRequests, int maxSegments, boolean reportsLost, boolean runsTask) {
    /**
     * Whether a node may have several requests in flight, and this node is asked for every segment
     * it has a replica of; otherwise only primaries are asked, with one request each.
     */
    boolean spreads() {
      return kind == MessageKind.PULL;
    }

    boolean inOrder() {
      return maxRequests == 1;
    }
  }

  /** A request before it is known which node is asked for which segments. */
  interface RequestTemplate {
    /** The request for these targets. */
    ScanMessage.ScanBody request(List<ScanTarget> targets);

    /** Called when the answer has arrived, by the thread that brings it. */
    default void onArrival(Input answer) {}

    /** Called when the request has ended or is abandoned, by the thread of the scan. */
    default void onEnded() {}

    /** The most elements it asks for, where that is bounded. */
    default int maxElements() {
      return Integer.MAX_VALUE;
    }

    /** The most bytes of elements it asks for, where that is bounded. */
    default int maxBytes() {
      return 0;
    }
  }

  private final ScanContext context;
  private final MessagingService messaging;
  private final ScanBufferPool.ScanBuffer buffer;
  private final long scanNumber;

  /** The functions from which the scan is called. */
  private final FunctionChain callers = FunctionChain.ofCaller();

  private final RequestPolicy policy;
  private final boolean resends;
  private final Signal signal = new Signal();

  /** The cursors in the segments that no request is in flight for. */
  final ScanProgress progress;

  private final List<ScanRequest> inFlight = new ArrayList<>();
  private final CallLoop loop;

  /** How much of a pause was left when requests could last be sent; not positive if none was. */
  private long pauseSeenNanos;

  /**
   * Creates a scan that has sent nothing yet.
   *
   * @param reclaim see {@link ScanBufferPool#open}
   */
  ScanClient(
      ScanContext context,
      ScanOptions options,
      RequestPolicy policy,
      Map<Integer, SegmentCursor> startCursors,
      BooleanSupplier reclaim) {
    this.context = context;
    this.messaging = context.messaging();
    this.buffer = context.buffers().open(reclaim, signal::wake);
    this.scanNumber = messaging.nextRequestNumber();
    this.policy = policy;
    this.resends =
        options.delivery() != Delivery.AT_MOST_ONCE || policy.kind() != MessageKind.REDUCE;
    this.progress = new ScanProgress(context, options, policy, startCursors);
    this.loop = context.newLoop();
  }

  /** The memory of its answers. */
  ScanBufferPool.ScanBuffer buffer() {
    return buffer;
  }

  /** Whether no segment is open and no request is in flight. */
  boolean isDone() {
    return progress.isEmpty() && inFlight.isEmpty();
  }

  /** The number of requests in flight. */
  int inFlightCount() {
    return inFlight.size();
  }

  /** The bytes that the requests in flight have asked for. */
  int inFlightBytes() {
    return inFlight.stream().mapToInt(request -> request.template.maxBytes()).sum();
  }

  /** Wakes the waiting thread. */
  void wake() {
    signal.wake();
  }

  /** Restarts the timeout for progress. */
  void restartTimeout() {
    loop.restartTimeout();
  }

  // ------------------------------------------------------------------ sending

  /**
   * Sends more requests, if there is more to ask for and no pause is in force.
   *
   * @param maxNew how many requests to send at most
   * @param bytes the memory to reserve for each answer; without it no request is sent
   * @param templates makes the content of each request
   */
  void sendMore(int maxNew, int bytes, Supplier<? extends RequestTemplate> templates) {
    pauseSeenNanos = loop.pauseLeftNanos();
    if (maxNew <= 0 || progress.isEmpty() || pauseSeenNanos > 0) {
      return;
    }
    int freeSlots = maxNew;
    Topology topology = context.topology();
    Map<Member, List<Integer>> bySource =
        progress.groupBySource(
            topology, inFlight.stream().map(request -> request.pending.member()).toList());
    while (freeSlots > 0 && !bySource.isEmpty()) {
      // One request for each source in turn. Requests that are left go to sources that still have
      // open segments.
      for (Iterator<Map.Entry<Member, List<Integer>>> iterator = bySource.entrySet().iterator();
          freeSlots > 0 && iterator.hasNext(); ) {
        Map.Entry<Member, List<Integer>> source = iterator.next();
        ScanBufferPool.ScanBuffer.Reservation reservation = buffer.reserve(bytes);
        if (reservation == null) {
          return;
        }
        List<Integer> segments = source.getValue();
        int segmentCount =
            policy.spreads() ? Math.max(1, segments.size() / freeSlots) : segments.size();
        segmentCount = Math.min(Math.min(segmentCount, policy.maxSegments()), segments.size());
        int taken =
            sendRequest(
                topology,
                source.getKey(),
                segments.subList(0, segmentCount),
                templates.get(),
                reservation);
        segments.subList(0, taken).clear();
        freeSlots--;
        if (segments.isEmpty() || !policy.spreads()) {
          iterator.remove();
        }
      }
    }
  }

  /**
   * Sends one request about these segments, or only the first of them. Returns how many it covers.
   */
  private int sendRequest(
      Topology topology,
      Member member,
      List<Integer> segments,
      RequestTemplate template,
      ScanBufferPool.ScanBuffer.Reservation reservation) {
    List<ScanTarget> targets = progress.takeTargets(segments, template.maxElements());
    PendingRequest pending =
        messaging.startRequest(
            member,
            newRequest(topology.number(), template, targets),
            answer -> {
              reservation.resize(answer.array().length);
              template.onArrival(answer);
            },
            signal);
    inFlight.add(
        new ScanRequest(progress, template, reservation, pending, topology, targets, resendTime()));
    return targets.size();
  }

  /** When to send a request again that is sent now: it was lost then, or takes long. */
  private long resendTime() {
    return context.clock().nanoTime() + CallPace.SCAN.answerNanos();
  }

  private ScanMessage.Request newRequest(
      long topologyNumber, RequestTemplate template, List<ScanTarget> targets) {
    return new ScanMessage.Request(topologyNumber, scanNumber, callers, template.request(targets));
  }

  // ------------------------------------------------------------------ answers

  /**
   * Runs the scan until all segments are done, or no more is wanted, and reads each answer as soon
   * as it arrives.
   *
   * @param onTurn sends what may be sent now
   * @param onAnswer reads an answer; returns false when no more is wanted
   */
  void run(Runnable onTurn, BiPredicate<ScanRequest, Input> onAnswer) {
    boolean wantsMore = true;
    try {
      while (wantsMore && !isDone()) {
        onTurn.run();
        ScanRequest request = pollEnded();
        if (request != null) {
          wantsMore = read(request, onAnswer);
        } else if (!isDone()) {
          awaitProgress();
        }
      }
    } catch (NotAvailableException | RejectedExecutionException e) {
      throw context.guard().explain(e);
    }
  }

  private boolean read(ScanRequest request, BiPredicate<ScanRequest, Input> onAnswer) {
    try {
      Input in = request.readAnswer();
      return in == null || onAnswer.test(request, in);
    } finally {
      request.reservation.release();
      settle(request);
    }
  }

  /**
   * Removes and returns a request that has ended, or null. The caller passes it to {@link #settle}
   * after reading its answer, and releases its memory when that is used up.
   */
  @Nullable ScanRequest pollEnded() {
    for (Iterator<ScanRequest> iterator = inFlight.iterator(); iterator.hasNext(); ) {
      ScanRequest request = iterator.next();
      boolean isOverdue = context.clock().nanoTime() - request.resendAtNanos >= 0;
      if (!request.pending.isDone() && isOverdue && isMember(request.pending.member())) {
        request.resendAtNanos = resendTime();
        if (resends) {
          messaging.resend(
              request.pending,
              newRequest(request.topologyNumber, request.template, request.targets));
        }
      } else if (request.pending.isDone() || isOverdue) {
        request.end();
        iterator.remove();
        return request;
      }
    }
    return null;
  }

  private boolean isMember(Member member) {
    return context.topology().members().contains(member);
  }

  /** Ends a request: what its answer did not cover is open again. */
  void settle(ScanRequest request) {
    progress.putAll(request.remaining());
    if (request.madeProgress()) {
      loop.onProgress();
    } else if (!request.remaining().isEmpty() && !request.requiresPrimary()) {
      loop.beginPause(request.topologyNumber);
    }
  }

  /** The cursor of each segment that is not done, as if no request were in flight. */
  NavigableMap<Integer, SegmentCursor> remainingCursors() {
    TreeMap<Integer, SegmentCursor> cursors = new TreeMap<>(progress.cursors());
    inFlight.forEach(request -> cursors.putAll(request.remaining()));
    return cursors;
  }

  /**
   * Abandons the requests in flight and continues from other cursors.
   *
   * @param cursors where to continue in each segment that is not done
   */
  void restart(Map<Integer, SegmentCursor> cursors) {
    cancel();
    progress.putAll(cursors);
  }

  // ------------------------------------------------------------------ waiting

  /**
   * Waits until there may be something to do.
   *
   * @throws CallTimeoutException after too long without progress
   */
  void awaitProgress() {
    loop.checkNotGivenUp(
        () ->
            (policy.inOrder()
                    ? "a page that has come to segment " + remainingCursors().firstKey()
                    : "a scan of " + remainingCursors().size() + " more segments")
                + (inFlight.isEmpty()
                    ? context.memoryText()
                    : " from " + inFlight.getFirst().pending.member())
                + (policy.runsTask() && !inFlight.isEmpty()
                    ? ", which may be slow functions of it: make them faster, or allow more time"
                        + " (GridConfig.timeout)"
                    : "")
                + CallLoop.RETRY_IS_SAFE);
    long now = context.clock().nanoTime();
    long wait = loop.timeLeftNanos();
    // What a pause has held back is sent after it. The pause may have ended since, which is too
    // late
    // for the requests: nothing would wake this thread.
    if (pauseSeenNanos > 0 && !progress.isEmpty() && inFlight.size() < policy.maxRequests()) {
      wait = Math.min(wait, pauseSeenNanos);
    }
    for (ScanRequest request : inFlight) {
      wait = Math.min(wait, request.resendAtNanos - now);
    }
    if (wait > 0) {
      signal.await(context.clock(), wait);
    }
  }

  /** Ends the scan, and releases its memory. */
  void close() {
    cancel();
    buffer.close();
  }

  /** Ends the requests in flight, and tells the owners that still work on them. */
  private void cancel() {
    for (ScanRequest request : inFlight) {
      request.end();
      request.reservation.release();
      if (!request.pending.isDone()) {
        messaging.post(
            request.pending.member(), new ScanMessage.Cancellation(request.pending.number()));
      }
    }
    inFlight.clear();
    progress.clear();
  }
}
