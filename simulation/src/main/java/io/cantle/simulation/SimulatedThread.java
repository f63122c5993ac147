package io.cantle.simulation;

import java.util.IdentityHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread of a host.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class SimulatedThread {
  private final long number;
  private final SimulatedHost host;
  private final Role role;
  private final Thread thread;
  private @Nullable Runnable continuation;

  /** Why a thread was started. */
  enum Role {
    /** The host asked for it. */
    TASK,
    /** A timer of the host is due. */
    TIMER,
    /** Delivers one message, and therefore must not wait. */
    RECEIVE,
    /** Delivers views. */
    VIEW,
    /** Belongs to the simulation: a client or the driver. */
    CLIENT
  }

  SimulatedThread(long number, SimulatedHost host, Role role, Thread thread) {
    this.number = number;
    this.host = host;
    this.role = role;
    this.thread = thread;
  }

  long number() {
    return number;
  }

  SimulatedHost host() {
    return host;
  }

  Role role() {
    return role;
  }

  Thread thread() {
    return thread;
  }

  /** Returns whether it is idle until the next message arrives. */
  boolean isResting() {
    return LockSupport.getBlocker(thread) instanceof ReceiverThread;
  }

  /** Sets the task that continues the thread, which the JDK hands over when the thread starts. */
  void isContinuedBy(Runnable task) {
    continuation = task;
  }

  /** Runs the thread on the calling thread until it parks or ends. */
  void runContinuation() {
    Runnable task = continuation;
    if (task == null) {
      throw new IllegalStateException("thread #" + number + " was not started");
    }
    task.run();
  }

  /** Removes the ended thread from the map in which it is found by its task. */
  void forgetContinuation(IdentityHashMap<Runnable, SimulatedThread> continuations) {
    if (continuation != null) {
      continuations.remove(continuation);
    }
  }

  /** Returns one line and the stack, for a dump. */
  String describe() {
    StringBuilder text =
        new StringBuilder()
            .append(host.name())
            .append(' ')
            .append(role)
            .append(" #")
            .append(number)
            .append(' ')
            .append(thread.getState());
    Object blocker = LockSupport.getBlocker(thread);
    if (blocker != null) {
      text.append(" on ").append(blocker.getClass().getName());
    }
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (!frame.getClassName().startsWith("java.lang.")) {
        text.append("\n    at ").append(frame);
      }
    }
    return text.toString();
  }
}
