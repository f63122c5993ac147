package io.cantle.core.scan;

import io.cantle.core.replica.LiveEntryCount;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Response;
import io.cantle.core.wire.ScanMessage.CountRequest;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Answers how many entries the segments of this node have, without visiting any.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
record CountServer(ReplicaContext context, LocalReplicas replicas) {
  /**
   * Answers once what was counted is committed. The answer names the segments that were counted,
   * unless all were.
   */
  void answer(Member from, long request, CountRequest question) {
    SegmentSet segments = question.segments();
    AtomicLong total = new AtomicLong();
    ConcurrentLinkedQueue<Integer> refused = new ConcurrentLinkedQueue<>();
    AtomicInteger open = new AtomicInteger(segments.size());
    Runnable onCounted =
        () -> {
          if (open.decrementAndGet() == 0) {
            context.messaging().respond(from, request, reply(total.get(), segments, refused));
          }
        };
    for (int segment = segments.next(0); segment >= 0; segment = segments.next(segment + 1)) {
      int counted = segment;
      Replica replica = replicas.find(question.cache(), segment);
      LiveEntryCount count = replica == null ? null : replica.countLive();
      if (replica == null || count == null) {
        refused.add(segment);
        onCounted.run();
      } else if (count.isCommitted()) {
        total.addAndGet(count.count());
        onCounted.run();
      } else {
        context
            .progressExchange()
            .notifyOnceCommitted(
                replica,
                count.epoch(),
                count.index(),
                isCommitted -> {
                  if (isCommitted) {
                    total.addAndGet(count.count());
                  } else {
                    refused.add(counted);
                  }
                  onCounted.run();
                });
      }
    }
  }

  private Response reply(long total, SegmentSet segments, Iterable<Integer> refused) {
    if (!context.topologyDriver().lease().isHeld()) {
      return new ScanFailure.ScanRefused();
    }
    SegmentSet counted = segments;
    for (int segment : refused) {
      counted = counted.without(segment);
    }
    return new CountReply(total, counted.equals(segments) ? null : counted);
  }
}
