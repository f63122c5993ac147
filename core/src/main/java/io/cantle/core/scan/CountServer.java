package io.cantle.core.scan;

import io.cantle.core.agreement.Lease;
import io.cantle.core.base.Output;
import io.cantle.core.replica.AckExchange;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.LiveEntryCount;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Member;
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
  private final MessagingService messaging;
  private final ReplicaTable replicas;
  private final AckExchange ackExchange;
  private final Lease lease;
  private final ExpiryTrigger expiryTrigger;

  CountServer(
      MessagingService messaging,
      ReplicaTable replicas,
      AckExchange ackExchange,
      Lease lease,
      ExpiryTrigger expiryTrigger) {
    this.expiryTrigger = expiryTrigger;
    this.messaging = messaging;
    this.replicas = replicas;
    this.ackExchange = ackExchange;
    this.lease = lease;
  }

  /**
   * Answers once what was counted is committed. The answer names the segments that were counted,
   * unless all were.
   */
  void answer(Member from, long request, CountRequest question) {
    SegmentSet segments = question.segments();
    PendingCount pending = new PendingCount(from, request, segments);
    for (int segment = segments.next(0); segment >= 0; segment = segments.next(segment + 1)) {
      Replica replica = replicas.find(question.cache(), segment);
      if (replica != null) {
        expiryTrigger.expireDue(replica);
      }
      LiveEntryCount count = replica == null ? null : replica.countLive();
      if (replica == null || count == null) {
        pending.addRefused(segment);
      } else if (count.isCommitted()) {
        pending.addCount(count.count());
      } else {
        int counted = segment;
        ackExchange.whenCommitted(
            replica,
            count.epoch(),
            count.index(),
            isCommitted -> {
              if (isCommitted) {
                pending.addCount(count.count());
              } else {
                pending.addRefused(counted);
              }
            });
      }
    }
  }

  private final class PendingCount {
    private final Member origin;
    private final long request;
    private final SegmentSet segments;
    private final AtomicLong total = new AtomicLong();
    private final AtomicInteger openSegments;
    private final ConcurrentLinkedQueue<Integer> refusedSegments = new ConcurrentLinkedQueue<>();

    PendingCount(Member origin, long request, SegmentSet segments) {
      this.origin = origin;
      this.request = request;
      this.segments = segments;
      this.openSegments = new AtomicInteger(segments.size());
    }

    void addCount(long count) {
      total.addAndGet(count);
      completeOne();
    }

    void addRefused(int segment) {
      refusedSegments.add(segment);
      completeOne();
    }

    private void completeOne() {
      if (openSegments.decrementAndGet() == 0) {
        Output out = messaging.newResponse(origin, request, 64);
        if (!lease.isHeld()) {
          out.writeByte(ScanStatus.REFUSED);
          messaging.post(origin, out);
          return;
        }
        out.writeByte(ScanStatus.OK);
        out.writeVarint(total.get());
        out.writeBoolean(refusedSegments.isEmpty());
        if (!refusedSegments.isEmpty()) {
          SegmentSet counted = segments;
          for (int segment : refusedSegments) {
            counted = counted.without(segment);
          }
          counted.write(out);
        }
        messaging.post(origin, out);
      }
    }
  }
}
