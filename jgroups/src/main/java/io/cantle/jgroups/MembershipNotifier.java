package io.cantle.jgroups;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

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
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final ArrayDeque<List<Member>> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private boolean delivered;

  @GuardedBy("lock")
  private boolean closed;

  MembershipNotifier(Transport.Receiver receiver, String nodeName) {
    this.receiver = receiver;
    this.thread =
        new TransportThread(this::run, "cantle-" + nodeName + "-members", receiver::outOfMemory);
  }

  void start() {
    thread.start();
  }

  /** Enqueues the next list; never waits. */
  void deliver(List<Member> members) {
    lock.lock();
    try {
      if (waiting.size() == MAX_QUEUED_LISTS) {
        waiting.removeFirst();
      }
      waiting.addLast(members);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the receiver has been called once. */
  void awaitFirst() throws InterruptedException {
    lock.lock();
    try {
      while (!delivered && !closed) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Stops delivery; the receiver is not called after this has returned. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
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
    while (true) {
      List<Member> next;
      lock.lock();
      try {
        while (waiting.isEmpty() && !closed) {
          changed.awaitUninterruptibly();
        }
        if (closed) {
          return;
        }
        next = waiting.removeFirst();
      } finally {
        lock.unlock();
      }
      notifyReceiver(next);
    }
  }

  private void notifyReceiver(List<Member> members) {
    try {
      receiver.onMembersChanged(members);
    } catch (RuntimeException e) {
      LOGGER.log(
          System.Logger.Level.ERROR, "the receiver failed to handle the members " + members, e);
    }
    lock.lock();
    try {
      delivered = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
