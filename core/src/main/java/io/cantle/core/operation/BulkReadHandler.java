package io.cantle.core.operation;

import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.CallMessage.BulkReadRequest;
import io.cantle.core.wire.CallMessage.SegmentKey;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The primary's side of bulk reads: reads each key as {@link ReadHandler} does, and answers when
 * the last one is read. An answer ends after the value with which it is full; the caller asks for
 * the others again.
 *
 * <p><b>Threading:</b> any thread; keys are read on virtual threads, which do not wait.
 */
public final class BulkReadHandler {
  /** The most bulk messages read at once; further ones are refused, and their senders retry. */
  private static final int MAX_RUNNING_BULKS = 256;

  /** The bytes of values with which an answer is full. */
  static final int MAX_ANSWER_BYTES = 512 << 10;

  private final ReplicaContext context;
  private final MessagingService messaging;
  private final ReadHandler readHandler;
  private final AtomicInteger runningBulks = new AtomicInteger();

  /** Creates the handler for these replicas. */
  public BulkReadHandler(ReplicaContext context, ReadHandler readHandler) {
    this.context = context;
    this.messaging = context.messaging();
    this.readHandler = readHandler;
  }

  /** Handles a bulk read from a client. */
  public void onBulkRead(Member from, long request, BulkReadRequest bulk) {
    context
        .topologyDriver()
        .runOnceAdopted(bulk.topologyNumber(), () -> startBulk(from, request, bulk));
  }

  private void startBulk(Member from, long request, BulkReadRequest bulk) {
    if (runningBulks.incrementAndGet() > MAX_RUNNING_BULKS) {
      runningBulks.decrementAndGet();
      @Nullable OperationResult[] refused = new OperationResult[bulk.keys().size()];
      messaging.respond(from, request, new BulkReadReply(Arrays.asList(refused)));
      return;
    }
    context
        .environment()
        .threads()
        .execute(
            () -> {
              try {
                readKeys(bulk, new RunningBulk(from, request, bulk.keys().size()));
              } finally {
                runningBulks.decrementAndGet();
              }
            });
  }

  private void readKeys(BulkReadRequest bulk, RunningBulk running) {
    List<SegmentKey> keys = bulk.keys();
    long foundBytes = 0;
    for (int i = 0; i < keys.size(); i++) {
      int position = i;
      if (foundBytes >= MAX_ANSWER_BYTES) {
        // A value that is on disk only is not loaded in vain.
        running.settle(position, null);
        continue;
      }
      SegmentKey one = keys.get(i);
      foundBytes +=
          readHandler.read(
              bulk.cache(),
              one.segment(),
              one.key(),
              true,
              found -> running.settle(position, found == null ? null : found.value()));
    }
    running.complete();
  }

  private final class RunningBulk {
    private final Member origin;
    private final long request;
    private final AtomicReferenceArray<@Nullable OperationResult> results;
    private final AtomicLong valueBytes = new AtomicLong();

    /** Counts the keys, and the loop over them: an empty request is answered too. */
    private final AtomicInteger open;

    RunningBulk(Member origin, long request, int count) {
      this.origin = origin;
      this.request = request;
      this.results = new AtomicReferenceArray<>(count);
      this.open = new AtomicInteger(count + 1);
    }

    /** Takes the result of a key, unless the answer is full by now. */
    void settle(int position, @Nullable OperationResult result) {
      if (result != null && valueBytes.getAndAdd(result.length()) < MAX_ANSWER_BYTES) {
        results.set(position, result);
      }
      complete();
    }

    void complete() {
      if (open.decrementAndGet() == 0) {
        @Nullable OperationResult[] all = new OperationResult[results.length()];
        Arrays.setAll(all, results::get);
        messaging.respond(origin, request, new BulkReadReply(Arrays.asList(all)));
      }
    }
  }
}
