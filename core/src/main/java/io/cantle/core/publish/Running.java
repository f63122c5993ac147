package io.cantle.core.publish;

import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What this node works on for others at the moment. A request that comes again while it is worked
 * on is not begun twice; one that is called off is given up soon, as is one whose asker is gone.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Running {
  /** How many pulls and partial results are worked on at once; more are refused and asked again. */
  static final int MOST = 1_024;

  private record Asker(Member member, long request) {}

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final ScanMeter meter;
  private final ConcurrentHashMap<Asker, Work> table = new ConcurrentHashMap<>();
  private volatile boolean closed;

  Running(Requests requests, TopologyKeeper topologies, ScanMeter meter) {
    this.requests = requests;
    this.topologies = topologies;
    this.meter = meter;
  }

  /** Whether a request is worked on already. */
  boolean has(Member member, long request) {
    return table.containsKey(new Asker(member, request));
  }

  /** Whether there is too much to do to begin with more. */
  boolean full() {
    return table.size() >= MOST;
  }

  /** Begins to work on a request; null if it is worked on already. */
  @Nullable Work begin(Member member, long request) {
    Asker asker = new Asker(member, request);
    Work work = new Work(asker);
    if (table.putIfAbsent(asker, work) != null) {
      return null;
    }
    meter.running(1);
    return work;
  }

  /** Nobody waits for the answer to a request any more. */
  void cancel(Member member, long request) {
    Work work = table.get(new Asker(member, request));
    if (work != null) {
      work.cancelled = true;
    }
  }

  /** Nobody is worked for any more. */
  void close() {
    closed = true;
  }

  /** One request that is worked on. */
  final class Work {
    private final Asker asker;
    private volatile boolean cancelled;

    private Work(Asker asker) {
      this.asker = asker;
    }

    Member member() {
      return asker.member;
    }

    long request() {
      return asker.request;
    }

    /** Whether it was called off. */
    boolean cancelled() {
      return cancelled;
    }

    /** Whether to go on is in vain. */
    boolean unwanted() {
      return cancelled
          || closed
          || !requests.present(asker.member)
          || !topologies.current().members().contains(asker.member);
    }

    /** It is worked on no more. */
    void end() {
      table.remove(asker, this);
      meter.running(-1);
    }
  }
}
