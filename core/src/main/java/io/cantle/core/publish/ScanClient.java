package io.cantle.core.publish;

import io.cantle.CallTimeoutException;
import io.cantle.Delivery;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.PendingRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the owners about segments until each has been told to its end. For each segment only the
 * cursor is remembered: whoever owns it then goes on there, which is what makes every entry count
 * exactly once while segments move. A segment is asked of one node at a time.
 *
 * <p>A request without an answer is sent again under the same number as long as the node that was
 * asked is a member; whoever works on it already does not begin again. Who is done does, if only
 * the answer was lost: where functions must not run twice it is waited on instead.
 *
 * <p><b>Threading:</b> one thread; {@link #wake} by any.
 */
final class ScanClient {
  /** A request that has not been answered after so long was lost, or takes long. */
  static final long RESEND_AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(32);

  /**
   * How one kind of scan asks.
   *
   * @param kind the request
   * @param maxRequests how many requests at a time
   * @param maxSegments of how many segments one may be
   * @param spreads whether a node may be asked several things at a time, and this node of whatever
   *     it has a copy of; otherwise only primaries are asked, each one thing
   * @param reportsLost whether a lost segment is told as such, and no failure
   */
  record RequestPolicy(
      MessageKind kind, int maxRequests, int maxSegments, boolean spreads, boolean reportsLost) {}

  /** What is asked, whoever it is asked of. */
  interface RequestTemplate {
    /** Writes the request behind the numbers of the topology and the scan. */
    void write(Output out, List<ScanTarget> targets);

    /** The answer has come and waits to be taken; called by the thread that brings it. */
    default void onArrival(Input answer) {}

    /** How many elements it asks for, where that is bounded. */
    default int maxElements() {
      return Integer.MAX_VALUE;
    }

    /** How many bytes of elements it asks for, where that is bounded. */
    default int maxBytes() {
      return 0;
    }
  }

  private final ScanContext context;
  private final long scanNumber;
  private final RequestPolicy policy;
  private final boolean resends;
  private final Signal signal = new Signal();

  private final ScanProgress progress;
  private final List<ScanRequest> inFlight = new ArrayList<>();
  private long pauseNanos = MIN_PAUSE_NANOS;
  private long pauseUntilNanos;
  private long lastProgressNanos;

  ScanClient(
      ScanContext context,
      ScanOptions options,
      RequestPolicy policy,
      Map<Integer, SegmentCursor> startCursors) {
    this.context = context;
    this.scanNumber = context.messaging().nextRequestNumber();
    this.policy = policy;
    this.resends =
        options.delivery() != Delivery.AT_MOST_ONCE || policy.kind() != MessageKind.REDUCE;
    this.progress = new ScanProgress(context, options, policy, startCursors);
    lastProgressNanos = context.clock().nanoTime();
    pauseUntilNanos = lastProgressNanos;
  }

  /** Whether there is nothing to ask and nothing asked. */
  boolean isDone() {
    return progress.isEmpty() && inFlight.isEmpty();
  }

  /** How many requests are under way. */
  int inFlightCount() {
    return inFlight.size();
  }

  /** Tells what the requests under way have asked. */
  void inFlightCount(Consumer<? super RequestTemplate> iterator) {
    inFlight.forEach(request -> iterator.accept(request.template()));
  }

  /** How many bytes the requests under way have asked for. */
  int inFlightBytes() {
    return inFlight.stream().mapToInt(request -> request.template().maxBytes()).sum();
  }

  /** What the longest entry takes that is known to come and fits no request, or 0. */
  int longestExpectedBytes() {
    return progress.longestOversizedBytes();
  }

  /** Lets the thread that waits look up. */
  void wake() {
    signal.wake();
  }

  /** From now on it is waited for progress anew. */
  void restartTimeout() {
    lastProgressNanos = context.clock().nanoTime();
  }

  /** The next segment that turned out to be lost, or null. */
  @Nullable Integer pollLost() {
    return progress.pollLost();
  }

  // ------------------------------------------------------------------ asking

  /**
   * Asks for more, if there is more to ask and the time has come.
   *
   * @param maxNew how many requests
   * @param questions makes what each of them asks, or null when there is no room for its answer
   */
  void sendMore(int maxNew, Supplier<? extends @Nullable RequestTemplate> questions) {
    if (maxNew <= 0 || progress.isEmpty() || context.clock().nanoTime() - pauseUntilNanos < 0) {
      return;
    }
    int freeSlots = maxNew;
    Topology topology = context.topology();
    Map<Member, List<Integer>> bySource =
        progress.groupBySource(
            topology, inFlight.stream().map(request -> request.pending().member()).toList());
    if (policy.kind() == MessageKind.COUNT && inFlight.isEmpty()) {
      signal.expect(Math.min(freeSlots, bySource.size()));
    }
    while (freeSlots > 0 && !bySource.isEmpty()) {
      // Each source in turn, and what is left of the requests to the one with the most to tell.
      for (Iterator<Map.Entry<Member, List<Integer>>> iterator = bySource.entrySet().iterator();
          freeSlots > 0 && iterator.hasNext(); ) {
        Map.Entry<Member, List<Integer>> source = iterator.next();
        RequestTemplate template = questions.get();
        if (template == null) {
          return;
        }
        List<Integer> segments = source.getValue();
        int segmentCount =
            policy.spreads() ? Math.max(1, segments.size() / freeSlots) : segments.size();
        segmentCount = Math.min(Math.min(segmentCount, policy.maxSegments()), segments.size());
        int taken =
            sendRequest(topology, source.getKey(), segments.subList(0, segmentCount), template);
        segments.subList(0, taken).clear();
        freeSlots--;
        if (segments.isEmpty() || !policy.spreads()) {
          iterator.remove();
        }
      }
    }
  }

  /** Asks about segments, or only the first of them; returns about how many. */
  private int sendRequest(
      Topology topology, Member member, List<Integer> segments, RequestTemplate template) {
    List<ScanTarget> targets = progress.takeTargets(segments, template.maxElements());
    PendingRequest ask =
        context
            .messaging()
            .startRequest(
                member,
                policy.kind(),
                512,
                out -> writeRequest(topology.number(), template, targets, out),
                template::onArrival,
                signal);
    long until = context.clock().nanoTime() + RESEND_AFTER_NANOS;
    inFlight.add(new ScanRequest(progress, template, ask, topology, targets, until));
    return targets.size();
  }

  private void writeRequest(
      long topologyNumber, RequestTemplate template, List<ScanTarget> targets, Output out) {
    out.writeLong(topologyNumber);
    out.writeVarint(scanNumber);
    template.write(out, targets);
  }

  // ------------------------------------------------------------------ answers

  /** Takes one that has ended, or null; what becomes of it is said to {@link #settle}. */
  @Nullable ScanRequest pollEnded() {
    for (Iterator<ScanRequest> iterator = inFlight.iterator(); iterator.hasNext(); ) {
      ScanRequest request = iterator.next();
      boolean isOverdue = context.clock().nanoTime() - request.resendAtNanos() >= 0;
      if (!request.pending().isDone() && isOverdue && isMember(request.pending().member())) {
        request.resendAtNanos(context.clock().nanoTime() + RESEND_AFTER_NANOS);
        if (resends) {
          context
              .messaging()
              .resend(
                  request.pending(),
                  policy.kind(),
                  512,
                  out ->
                      writeRequest(
                          request.topologyNumber(), request.template(), request.targets(), out));
          signal.expect(1);
        }
      } else if (request.pending().isDone() || isOverdue) {
        request.pending().cancel();
        iterator.remove();
        return request;
      }
    }
    return null;
  }

  private boolean isMember(Member member) {
    return context.topology().members().contains(member);
  }

  /** What was not told is open again. */
  void settle(ScanRequest request) {
    progress.putAll(request.remaining());
    if (request.madeProgress()) {
      pauseNanos = MIN_PAUSE_NANOS;
      lastProgressNanos = context.clock().nanoTime();
    } else if (!request.remaining().isEmpty()) {
      pauseUntilNanos = context.clock().nanoTime() + pauseNanos;
      pauseNanos = Math.min(pauseNanos * 2, MAX_PAUSE_NANOS);
    }
  }

  /** Where to go on in each segment that is not done, as if nothing were under way. */
  Map<Integer, SegmentCursor> remainingCursors() {
    TreeMap<Integer, SegmentCursor> cursors = new TreeMap<>(progress.cursors());
    inFlight.forEach(request -> cursors.putAll(request.remaining()));
    return cursors;
  }

  /**
   * Takes back what is under way, which is not waited for any more, and goes on from other places.
   *
   * @param cursors where to go on in each segment that is not done
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
    long now = context.clock().nanoTime();
    long until = lastProgressNanos + context.timeoutNanos();
    if (now - until >= 0) {
      throw new CallTimeoutException(
          "a scan came no further within "
              + TimeUnit.NANOSECONDS.toMillis(context.timeoutNanos())
              + " ms; no answer about "
              + remainingCursors().size()
              + " segments"
              + (inFlight.isEmpty()
                  ? context.memoryText()
                  : " from " + inFlight.getFirst().pending().member())
              + "; trying again is safe");
    }
    boolean pausing =
        !progress.isEmpty() && inFlight.size() < policy.maxRequests() && pauseUntilNanos - now > 0;
    long wait = (pausing ? Math.min(until, pauseUntilNanos) : until) - now;
    for (ScanRequest request : inFlight) {
      wait = Math.min(wait, request.resendAtNanos() - now);
    }
    context.checkAvailable();
    if (wait > 0) {
      signal.await(context.clock(), wait);
      MessagingService.checkInterrupted();
    }
  }

  /** Gives up: those who are at work are told so. */
  void cancel() {
    for (ScanRequest request : inFlight) {
      request.pending().cancel();
      if (!request.pending().isDone() && policy.kind() != MessageKind.COUNT) {
        Output out = context.messaging().newMessage(MessageKind.CANCEL);
        out.writeVarint(request.pending().number());
        context.messaging().post(request.pending().member(), out);
      }
    }
    inFlight.clear();
    progress.clear();
  }
}
