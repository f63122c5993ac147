package io.cantle.core.scan;

import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The scan requests that this node works on for others. A request that arrives again meanwhile is
 * not started twice. A request that is cancelled is given up soon, as is one whose caller has left.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RunningScans {
  /**
   * The most pulls and reductions worked on at once. More are refused, and the callers send them
   * again.
   */
  static final int MAX_REQUESTS = 1_024;

  private record RequestKey(Member member, long request) {}

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final ScanMetrics metrics;
  private final ConcurrentHashMap<RequestKey, RunningRequest> running = new ConcurrentHashMap<>();
  private volatile boolean closed;

  RunningScans(MessagingService messaging, TopologyDriver topologyDriver, ScanMetrics metrics) {
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.metrics = metrics;
  }

  /** Whether this node already works on a request. */
  boolean isRunning(Member member, long request) {
    return running.containsKey(new RequestKey(member, request));
  }

  /** Whether there is too much to do to start another. */
  boolean isFull() {
    return running.size() >= MAX_REQUESTS;
  }

  /** Starts work on a request; null if this node already works on it. */
  @Nullable RunningRequest begin(Member member, long request) {
    RequestKey key = new RequestKey(member, request);
    RunningRequest work = new RunningRequest(key);
    if (running.putIfAbsent(key, work) != null) {
      return null;
    }
    metrics.addRunning(1);
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
    private final RequestKey key;
    private volatile boolean cancelled;

    private RunningRequest(RequestKey key) {
      this.key = key;
    }

    Member member() {
      return key.member;
    }

    long request() {
      return key.request;
    }

    /** Whether it was cancelled. */
    boolean isCancelled() {
      return cancelled;
    }

    /** Whether the answer is no longer wanted. */
    boolean isUnwanted() {
      return cancelled
          || closed
          || !messaging.isPresent(key.member)
          || !topologyDriver.current().members().contains(key.member);
    }

    /** Ends the work on it. */
    void end() {
      running.remove(key, this);
      metrics.addRunning(-1);
    }
  }
}
