package io.cantle.jgroups;

import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingDeque;

/**
 * Delivers lists of members to the receiver in order, on a thread of its own, because JGroups
 * installs a view on whichever thread has received it.
 *
 * <p>The queue is bounded: when {@link #MAX_QUEUED_LISTS} lists wait, the oldest of them is
 * skipped, since each list is complete.
 *
 * <p><b>Threading:</b> any thread.
 */
final class MembershipNotifier {
  private static final int MAX_QUEUED_LISTS = 1_024;

  private static final System.Logger LOGGER = System.getLogger(MembershipNotifier.class.getName());

  private final Transport.Receiver receiver;
  private final Thread thread;
  private final LinkedBlockingDeque<List<Member>> waiting =
      new LinkedBlockingDeque<>(MAX_QUEUED_LISTS);

  /** Opens once the receiver has been called, or never will be. */
  private final CountDownLatch delivered = new CountDownLatch(1);

  private volatile boolean closed;

  MembershipNotifier(Transport.Receiver receiver, String nodeName) {
    this.receiver = receiver;
    this.thread =
        new TransportThread(this::run, "cantle-" + nodeName + "-members", receiver::onOutOfMemory);
  }

  void start() {
    thread.start();
  }

  /** Enqueues the next list; never waits. */
  void deliver(List<Member> members) {
    while (!waiting.offerLast(members)) {
      waiting.pollFirst();
    }
  }

  /** Waits until the receiver has been called once. */
  void awaitFirst() throws InterruptedException {
    delivered.await();
  }

  /** Stops delivery; the receiver is not called after this has returned. */
  void close() {
    closed = true;
    delivered.countDown();
    // Wakes the thread if it waits for a list; if the queue is full it does not.
    waiting.offerFirst(List.of());
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (true) {
        List<Member> next = waiting.takeFirst();
        if (closed) {
          return;
        }
        notifyReceiver(next);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("the thread of the members was interrupted", e);
    }
  }

  private void notifyReceiver(List<Member> members) {
    try {
      receiver.onMembersChanged(members);
    } catch (RuntimeException e) {
      LOGGER.log(
          System.Logger.Level.ERROR, "the receiver failed to handle the members " + members, e);
    }
    delivered.countDown();
  }
}
