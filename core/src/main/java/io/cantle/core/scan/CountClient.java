package io.cantle.core.scan;

import io.cantle.Delivery;
import io.cantle.NotAvailableException;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.Input;
import io.cantle.core.base.Signal;
import io.cantle.core.call.CallLoop;
import io.cantle.core.ownership.Topology;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.PendingRequest;
import io.cantle.core.wire.ScanMessage;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Counts entries without visiting any. One request asks each primary for all its segments, and most
 * answers are one number. Segments that an answer does not cover, and those of a request without an
 * answer, are asked for again. Counting changes nothing, so that is safe; each segment counts once.
 *
 * <p><b>Threading:</b> one thread.
 */
final class CountClient {
  private final ScanContext context;
  private final ScanOptions options;
  private final long scanNumber;

  /** The functions from which the call comes. */
  private final FunctionChain callers = FunctionChain.ofCaller();

  private final CallLoop loop;
  private SegmentSet uncounted;
  private long total;

  /** A request to one primary. */
  private record CountCall(SegmentSet segments, PendingRequest pending) {}

  CountClient(ScanContext context, ScanOptions options) {
    this.context = context;
    this.options = options;
    this.scanNumber = context.messaging().nextRequestNumber();
    this.loop = context.newLoop();
    this.uncounted = context.segments(options);
  }

  /** Counts the entries of all segments that are wanted. */
  long count() {
    if (uncounted.size() == 0) {
      return 0;
    }
    try {
      return loop.run(
          deadline -> context.topology(),
          this::attempt,
          topology -> "a count of " + uncounted.size() + " more segments" + CallLoop.RETRY_IS_SAFE);
    } catch (NotAvailableException | RejectedExecutionException e) {
      throw context.guard().explain(e);
    }
  }

  private @Nullable Long attempt(Topology topology) {
    Map<Member, BitSet> byPrimary = groupByPrimary(topology);
    List<CountCall> calls = new ArrayList<>(byPrimary.size());
    Signal signal = new Signal();
    signal.expect(byPrimary.size());
    try {
      byPrimary.forEach(
          (primary, segments) ->
              calls.add(ask(topology, primary, SegmentSet.of(segments), signal)));
      long left = loop.answerDeadline(topology.number()) - context.clock().nanoTime();
      boolean areAllDone = calls.isEmpty() || signal.await(context.clock(), left);
      calls.forEach(this::readAnswer);
      if (areAllDone) {
        loop.onAnswer();
      }
    } finally {
      calls.forEach(call -> call.pending.cancel());
    }
    return uncounted.size() == 0 ? total : null;
  }

  /** Groups what is not counted by the nodes to ask, with this node last: the others work then. */
  private Map<Member, BitSet> groupByPrimary(Topology topology) {
    Map<Member, BitSet> byPrimary = new LinkedHashMap<>();
    SegmentSet open = uncounted;
    for (int segment = open.next(0); segment >= 0; segment = open.next(segment + 1)) {
      if (options.delivery() == Delivery.AT_MOST_ONCE
          && topology.ownership(context.cache(), segment).isUnowned()) {
        uncounted = uncounted.without(segment);
      } else {
        Member primary = context.sourceOf(topology, segment, true);
        byPrimary.computeIfAbsent(primary, member -> new BitSet()).set(segment);
      }
    }
    if (options.sequential() && byPrimary.size() > 1) {
      byPrimary.keySet().retainAll(List.of(byPrimary.keySet().iterator().next()));
    }
    BitSet own = byPrimary.remove(context.self());
    if (own != null) {
      byPrimary.put(context.self(), own);
    }
    return byPrimary;
  }

  private CountCall ask(Topology topology, Member primary, SegmentSet segments, Signal signal) {
    ScanMessage.ScanBody body = new ScanMessage.CountRequest(context.cache(), segments);
    PendingRequest pending =
        context
            .messaging()
            .startRequest(
                primary,
                new ScanMessage.Request(topology.number(), scanNumber, callers, body),
                answer -> {},
                signal);
    return new CountCall(segments, pending);
  }

  private void readAnswer(CountCall call) {
    Input in = call.pending.answer();
    if (in == null) {
      return;
    }
    int status = in.readByte();
    if (status != ScanStatus.OK) {
      ScanRequest.throwFailure(ScanFailure.read(status, in));
      return;
    }
    CountReply reply = CountReply.read(in);
    total += reply.entryCount();
    SegmentSet counted =
        reply.counted() == null ? call.segments : call.segments.intersection(reply.counted());
    if (counted.size() > 0) {
      uncounted = uncounted.without(counted);
      // No progress that puts the deadline off: it came before the wait for the slowest answer.
      loop.skipPause();
      counted.stream().forEach(options::notifyCompleted);
    }
  }
}
