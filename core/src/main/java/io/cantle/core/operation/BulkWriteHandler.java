package io.cantle.core.operation;

import io.cantle.core.base.Input;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.ExecuteResult;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicationBatch;
import io.cantle.core.replica.SessionId;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The primary's side of bulk writes: decides each write as {@link WriteHandler} does, replicates
 * all of them together, and answers when the last one is committed.
 *
 * <p><b>Threading:</b> any thread; messages are processed on virtual threads.
 */
public final class BulkWriteHandler {
  /**
   * The most bulk messages processed at once; further ones are refused, and their senders retry.
   */
  private static final int MAX_RUNNING_BULKS = 256;

  private final ReplicaContext context;
  private final MessagingService messaging;
  private final WriteHandler writeHandler;
  private final EntryEvictor evictor;
  private final AtomicInteger runningBulks = new AtomicInteger();

  /** Creates the handler for these replicas. */
  public BulkWriteHandler(ReplicaContext context, WriteHandler writeHandler, EntryEvictor evictor) {
    this.context = context;
    this.messaging = context.messaging();
    this.writeHandler = writeHandler;
    this.evictor = evictor;
  }

  /** Handles a bulk write from a client. */
  public void onBulkWrite(Member from, long request, Input in) {
    BulkWriteRequest bulk = BulkWriteRequest.read(in);
    context
        .topologyDriver()
        .runOnceAdopted(bulk.topologyNumber(), () -> startBulk(from, request, bulk));
  }

  private void startBulk(Member from, long request, BulkWriteRequest bulk) {
    if (runningBulks.incrementAndGet() > MAX_RUNNING_BULKS) {
      runningBulks.decrementAndGet();
      int count = bulk.items().size();
      RunningBulkRequest rejected = new RunningBulkRequest(from, request, count);
      for (int position = 0; position < count; position++) {
        rejected.refuseUnseen(position);
      }
      return;
    }
    context
        .environment()
        .threads()
        .execute(
            () -> {
              try {
                executeItems(from, request, bulk);
              } finally {
                runningBulks.decrementAndGet();
              }
            });
  }

  /** Executes the writes and answers with the positions of refused writes and of those in doubt. */
  private void executeItems(Member origin, long request, BulkWriteRequest bulkRequest) {
    SessionId session = new SessionId(origin.id(), bulkRequest.admissionNumber());
    List<BulkWriteItem> items = bulkRequest.items();
    RunningBulkRequest bulk = new RunningBulkRequest(origin, request, items.size());
    TreeMap<Member, List<ReplicationBatch.SegmentWrite>> batches = new TreeMap<>();
    Set<Replica> writtenReplicas = new LinkedHashSet<>();
    // A disk that timed out once is not awaited again, since the caller waits for the whole
    // message.
    boolean diskTimedOut = false;
    for (int i = 0; i < items.size(); i++) {
      int position = i;
      BulkWriteItem item = items.get(i);
      Replica replica = context.replicas().find(bulkRequest.cache(), item.segment());
      CommandId command =
          new CommandId(
              session,
              item.sequence(),
              item.lowestUnanswered(),
              0,
              item.attempt(),
              item.firstEpoch());
      if (replica == null) {
        bulk.refuseUnseen(position);
        continue;
      }
      WriteAttempt attempt =
          new WriteAttempt(
              origin, null, replica, item.epoch(), command, item.key(), item.operation());
      ExecuteResult result =
          diskTimedOut || !writeHandler.acceptsWrites()
              ? attempt.refuse()
              : writeHandler.tryExecute(attempt, attempt);
      diskTimedOut |= result instanceof ExecuteResult.ValueEvicted;
      switch (result instanceof CommandOutcome outcome ? outcome : attempt.refuse()) {
        case CommandOutcome.Refused() -> bulk.refuse(position);
        // What is ignored was refused when the message came first, or no caller waits for it.
        case CommandOutcome.Forgotten(), CommandOutcome.Ignored() -> bulk.refuseUnseen(position);
        case CommandOutcome.NoRoom(WriteRefusal refusal) -> bulk.refuse(position, refusal);
        case CommandOutcome.InDoubt() -> bulk.markInDoubt(position);
        case CommandOutcome.ResultOnly answer ->
            context
                .progressExchange()
                .notifyOnceCommitted(
                    replica,
                    answer.epoch(),
                    answer.index(),
                    isCommitted -> bulk.settle(position, isCommitted));
        case CommandOutcome.Written written -> {
          List<Member> others = written.route().receivers();
          for (int place = 0; place < others.size(); place++) {
            batches
                .computeIfAbsent(others.get(place), member -> new ArrayList<>())
                .add(
                    WriteHandler.segmentWrite(
                        replica, written, OrderedWrite.OriginNotice.NONE, place));
          }
          replica.notifyOnceCommitted(
              written.state().epoch(),
              written.write().index(),
              isCommitted -> bulk.settle(position, isCommitted));
          writtenReplicas.add(replica);
          evictor.addEvictions(replica, batches);
        }
      }
    }
    writeHandler.resender().onReplicated();
    while (!batches.isEmpty()) {
      Map.Entry<Member, List<ReplicationBatch.SegmentWrite>> next = batches.pollFirstEntry();
      ReplicationBatch batch = new ReplicationBatch(bulkRequest.cache(), next.getValue());
      if (batches.isEmpty()) {
        messaging.send(next.getKey(), batch);
      } else {
        // A node that accepts no messages must not delay those to the others.
        messaging.postAsync(next.getKey(), batch);
      }
    }
    writtenReplicas.forEach(Replica::performEffects);
  }

  private final class RunningBulkRequest {
    private final Member origin;
    private final long request;
    private final AtomicInteger openItems;
    private final Queue<Integer> refusedPositions = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> unmadePositions = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> inDoubtPositions = new ConcurrentLinkedQueue<>();

    /** Set by the thread that executes the writes; another thread may complete them. */
    private volatile @Nullable WriteRefusal noRoom;

    RunningBulkRequest(Member origin, long request, int count) {
      this.origin = origin;
      this.request = request;
      this.openItems = new AtomicInteger(count);
    }

    void settle(int position, boolean isCommitted) {
      if (!isCommitted) {
        refusedPositions.add(position);
      }
      completeOne();
    }

    /** Refuses an attempt that has no effect, and never will have one. */
    void refuse(int position) {
      unmadePositions.add(position);
      refusedPositions.add(position);
      completeOne();
    }

    /**
     * Refuses an attempt of which this node knows nothing. It may have been executed when its
     * message arrived earlier; but one of this node itself comes once.
     */
    void refuseUnseen(int position) {
      if (origin.equals(messaging.self())) {
        refuse(position);
      } else {
        refusedPositions.add(position);
        completeOne();
      }
    }

    void refuse(int position, WriteRefusal refusal) {
      noRoom = refusal;
      unmadePositions.add(position);
      completeOne();
    }

    void markInDoubt(int position) {
      inDoubtPositions.add(position);
      completeOne();
    }

    void completeOne() {
      if (openItems.decrementAndGet() == 0) {
        messaging.respond(
            origin,
            request,
            new BulkWriteReply(
                context.topologyDriver().lease().isHeld(),
                refusedPositions,
                unmadePositions,
                inDoubtPositions,
                noRoom));
      }
    }
  }
}
