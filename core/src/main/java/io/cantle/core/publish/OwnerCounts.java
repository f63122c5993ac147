package io.cantle.core.publish;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Count;
import io.cantle.core.replica.Expiring;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.topology.Lease;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells how many entries the segments of this node have, without visiting any.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
final class OwnerCounts {
  private final Requests requests;
  private final Replicas replicas;
  private final Acks acks;
  private final Lease lease;
  private final Expiring expiring;

  OwnerCounts(Requests requests, Replicas replicas, Acks acks, Lease lease, Expiring expiring) {
    this.expiring = expiring;
    this.requests = requests;
    this.replicas = replicas;
    this.acks = acks;
    this.lease = lease;
  }

  /** Answers once what was counted is committed; says which segments were not counted. */
  void answer(Member from, long request, Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    SegmentSet segments = SegmentSet.read(in, io.cantle.CacheConfig.MAX_SEGMENTS);
    Counting counting = new Counting(from, request, segments);
    for (int segment = segments.next(0); segment >= 0; segment = segments.next(segment + 1)) {
      Replica replica = replicas.find(cache, segment);
      if (replica != null) {
        expiring.settle(replica);
      }
      Count count = replica == null ? null : replica.count();
      if (replica == null || count == null) {
        counting.refused(segment);
      } else if (count.committed()) {
        counting.counted(count.count());
      } else {
        int counted = segment;
        acks.whenCommitted(
            replica,
            count.epoch(),
            count.index(),
            () -> counting.counted(count.count()),
            () -> counting.refused(counted));
      }
    }
  }

  private final class Counting {
    private final Member origin;
    private final long request;
    private final SegmentSet segments;
    private final AtomicLong total = new AtomicLong();
    private final AtomicInteger open;
    private final ConcurrentLinkedQueue<Integer> refused = new ConcurrentLinkedQueue<>();

    Counting(Member origin, long request, SegmentSet segments) {
      this.origin = origin;
      this.request = request;
      this.segments = segments;
      this.open = new AtomicInteger(segments.size());
    }

    void counted(long count) {
      total.addAndGet(count);
      end();
    }

    void refused(int segment) {
      refused.add(segment);
      end();
    }

    private void end() {
      if (open.decrementAndGet() == 0) {
        Output out = requests.answer(request, 64);
        if (!lease.held()) {
          out.writeByte(Outcome.REFUSED);
          requests.post(origin, out);
          return;
        }
        out.writeByte(Outcome.OK);
        out.writeVarint(total.get());
        out.writeBoolean(refused.isEmpty());
        if (!refused.isEmpty()) {
          SegmentSet counted = segments;
          for (int segment : refused) {
            counted = counted.without(segment);
          }
          counted.write(out);
        }
        requests.post(origin, out);
      }
    }
  }
}
