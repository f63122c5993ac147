package io.cantle.core.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.ListenerRegistration;
import io.cantle.MembershipEvent;
import io.cantle.MembershipEvent.EventsMissed;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The listeners to which membership events are delivered. Each has a queue of its own and is called
 * on a virtual thread, so that it may wait: neither the node nor another listener waits for it.
 *
 * <p>A queue is bounded. Events that find it full are dropped and counted. When the listener has
 * worked off the queue it is told how many it has missed, so that it never takes an incomplete
 * story for a complete one.
 *
 * <p><b>Threading:</b> any thread.
 */
final class MembershipListenerTable {
  static final int MAX_QUEUED_EVENTS = 1_024;

  private static final System.Logger LOG =
      System.getLogger(MembershipListenerTable.class.getName());

  private final Executor threads;
  private final List<ListenerQueue> queues = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /** Creates a table without listeners; {@code threads} runs tasks that may wait. */
  MembershipListenerTable(Executor threads) {
    this.threads = threads;
  }

  /** Adds a listener of the events from now on. */
  ListenerRegistration add(Consumer<? super MembershipEvent> listener) {
    ListenerQueue queue = new ListenerQueue(listener);
    queues.add(queue);
    return queue;
  }

  /** Has an event delivered to all listeners; never waits. */
  void publish(MembershipEvent event) {
    queues.forEach(queue -> queue.add(event));
  }

  /** Ends delivery. */
  void close() {
    closed = true;
    queues.clear();
  }

  /** The events that wait for one listener. */
  private final class ListenerQueue implements ListenerRegistration {
    private final Consumer<? super MembershipEvent> listener;

    /** What is to be delivered; the first one is being delivered. */
    @GuardedBy("this")
    private final ArrayDeque<MembershipEvent> events = new ArrayDeque<>();

    @GuardedBy("this")
    private long missedCount;

    @GuardedBy("this")
    private @Nullable MembershipEvent lastMissed;

    ListenerQueue(Consumer<? super MembershipEvent> listener) {
      this.listener = listener;
    }

    void add(MembershipEvent event) {
      boolean isFirst;
      boolean isFirstMissed = false;
      synchronized (this) {
        isFirst = events.isEmpty();
        if (missedCount > 0 || events.size() == MAX_QUEUED_EVENTS) {
          isFirstMissed = missedCount++ == 0;
          lastMissed = event;
        } else {
          events.add(event);
        }
      }
      if (isFirstMissed) {
        LOG.log(
            System.Logger.Level.WARNING,
            "the membership listener {0} is too slow: {1} events wait for it, and it misses the"
                + " following ones",
            listener,
            MAX_QUEUED_EVENTS);
      }
      if (isFirst) {
        deliverSoon();
      }
    }

    private void deliverSoon() {
      try {
        threads.execute(this::deliverNext);
      } catch (RejectedExecutionException e) {
        // The node has just been closed, and no event is delivered any more.
        close();
      }
    }

    private void deliverNext() {
      MembershipEvent event;
      synchronized (this) {
        event = events.getFirst();
      }
      try {
        if (isOpen()) {
          listener.accept(event);
        }
      } catch (RuntimeException e) {
        LOG.log(
            System.Logger.Level.ERROR,
            "the membership listener " + listener + " failed on " + event + "; it gets the next",
            e);
      } finally {
        if (removeFirst() && isOpen()) {
          deliverSoon();
        }
      }
    }

    /** Removes the event that was delivered; returns whether there is another one. */
    private synchronized boolean removeFirst() {
      events.removeFirst();
      MembershipEvent latest = lastMissed;
      if (events.isEmpty() && latest != null) {
        events.add(new EventsMissed(missedCount, latest.members(), latest.voterCount()));
        missedCount = 0;
        lastMissed = null;
      }
      return !events.isEmpty();
    }

    private boolean isOpen() {
      return !closed && queues.contains(this);
    }

    @Override
    public void close() {
      queues.remove(this);
    }
  }
}
