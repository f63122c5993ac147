package io.cantle.jgroups;

import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

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
  private final ExecutorService executor;

  /** Opens once the receiver has been called, or never will be. */
  private final CountDownLatch delivered = new CountDownLatch(1);

  private volatile boolean closed;

  MembershipNotifier(Transport.Receiver receiver, String nodeName) {
    this.receiver = receiver;
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_QUEUED_LISTS),
            task ->
                new TransportThread(
                    task, "cantle-" + nodeName + "-members", receiver::onOutOfMemory),
            new ThreadPoolExecutor.DiscardOldestPolicy());
  }

  /** Enqueues the next list; never waits. */
  void deliver(List<Member> members) {
    executor.execute(() -> notifyReceiver(members));
  }

  /** Waits until the receiver has been called once. */
  void awaitFirst() throws InterruptedException {
    delivered.await();
  }

  /** Stops delivery; the receiver is not called after this has returned. */
  void close() {
    closed = true;
    delivered.countDown();
    executor.shutdown();
    boolean interrupted = false;
    for (boolean ended = false; !ended; ) {
      try {
        ended = executor.awaitTermination(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        // The receiver may be sending, and an interrupt would close the connection it sends on.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void notifyReceiver(List<Member> members) {
    if (closed) {
      return;
    }
    try {
      receiver.onMembersChanged(members);
    } catch (RuntimeException e) {
      LOGGER.log(
          System.Logger.Level.ERROR, "the receiver failed to handle the members " + members, e);
    }
    delivered.countDown();
  }
}
