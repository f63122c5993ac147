package io.cantle.core.publish;

import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What this node works on for others at the moment. A request that comes again while it is worked
 * on is not begun twice; one that is called off is given up soon, as is one whose asker is gone.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RunningScans {
  /** How many pulls and partial results are worked on at once; more are refused and asked again. */
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

  /** Whether a request is worked on already. */
  boolean isRunning(Member member, long request) {
    return running.containsKey(new RequestKey(member, request));
  }

  /** Whether there is too much to do to begin with more. */
  boolean isFull() {
    return running.size() >= MAX_REQUESTS;
  }

  /** Begins to work on a request; null if it is worked on already. */
  @Nullable RunningRequest begin(Member member, long request) {
    RequestKey key = new RequestKey(member, request);
    RunningRequest work = new RunningRequest(key);
    if (running.putIfAbsent(key, work) != null) {
      return null;
    }
    metrics.addRunning(1);
    return work;
  }

  /** Nobody waits for the answer to a request any more. */
  void cancel(Member member, long request) {
    RunningRequest work = running.get(new RequestKey(member, request));
    if (work != null) {
      work.cancelled = true;
    }
  }

  /** Nobody is worked for any more. */
  void close() {
    closed = true;
  }

  /** One request that is worked on. */
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

    /** Whether it was called off. */
    boolean isCancelled() {
      return cancelled;
    }

    /** Whether to go on is in vain. */
    boolean isUnwanted() {
      return cancelled
          || closed
          || !messaging.isPresent(key.member)
          || !topologyDriver.current().members().contains(key.member);
    }

    /** It is worked on no more. */
    void end() {
      running.remove(key, this);
      metrics.addRunning(-1);
    }
  }
}
