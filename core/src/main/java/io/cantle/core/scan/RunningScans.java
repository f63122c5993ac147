package io.cantle.core.scan;

import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.transport.Member;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The scan requests that this node works on for others. A request that arrives again meanwhile is
 * not started twice. A request that is cancelled is given up soon, as is one whose caller has left.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RunningScans {
  /** The most requests worked on at once. More are refused, and the callers send them again. */
  static final int MAX_REQUESTS = 1_024;

  private record RequestKey(Member member, long request) {}

  private final ReplicaContext context;
  private final IntConsumer onChange;
  private final ConcurrentHashMap<RequestKey, RunningRequest> running = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * Creates an empty set.
   *
   * @param onChange receives by how much the number of requests has changed
   */
  RunningScans(ReplicaContext context, IntConsumer onChange) {
    this.context = context;
    this.onChange = onChange;
  }

  /** Whether there is too much to do to start a request that is not started yet. */
  boolean isTooMuch(Member member, long request) {
    return running.size() >= MAX_REQUESTS && !running.containsKey(new RequestKey(member, request));
  }

  /** Starts work on a request; null if this node already works on it. */
  @Nullable RunningRequest begin(WorkerScheduler.ScanKey scanKey, long request) {
    RunningRequest work = new RunningRequest(scanKey, request);
    if (running.putIfAbsent(new RequestKey(work.member, request), work) != null) {
      return null;
    }
    onChange.accept(1);
    return work;
  }

  /** Cancels a request, because no caller waits for its answer any more. */
  void cancel(Member member, long request) {
    RunningRequest work = running.get(new RequestKey(member, request));
    if (work != null) {
      work.cancelled = true;
    }
  }

  /** Makes all requests unwanted, because the node closes. */
  void close() {
    closed = true;
  }

  /** One request that this node works on. */
  final class RunningRequest {
    final WorkerScheduler.ScanKey scanKey;
    final Member member;
    final long request;
    private volatile boolean cancelled;

    private RunningRequest(WorkerScheduler.ScanKey scanKey, long request) {
      this.scanKey = scanKey;
      this.member = scanKey.member();
      this.request = request;
    }

    /** Whether it was cancelled. */
    boolean isCancelled() {
      return cancelled;
    }

    /** Whether the answer is no longer wanted. */
    boolean isUnwanted() {
      return cancelled
          || closed
          || !context.messaging().isPresent(member)
          || !context.topologyDriver().current().members().contains(member);
    }

    /** Ends the work on it. */
    void end() {
      running.remove(new RequestKey(member, request), this);
      onChange.accept(-1);
    }
  }
}
