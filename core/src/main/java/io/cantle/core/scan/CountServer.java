package io.cantle.core.scan;

import io.cantle.core.replica.LiveEntryCount;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ScanMessage.CountRequest;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Answers how many entries the segments of this node have, without visiting any.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
final class CountServer {
  private final ReplicaContext context;
  private final MessagingService messaging;
  private final LocalReplicas replicas;

  CountServer(ReplicaContext context, LocalReplicas replicas) {
    this.context = context;
    this.messaging = context.messaging();
    this.replicas = replicas;
  }

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
            messaging.respond(from, request, reply(total.get(), segments, refused));
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

  private Message reply(long total, SegmentSet segments, Iterable<Integer> refused) {
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
