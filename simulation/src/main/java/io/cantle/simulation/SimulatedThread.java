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
    /** Delivers one message, and so must not wait. */
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

  /** Whether it has nothing to do until the next message comes. */
  boolean isResting() {
    return LockSupport.getBlocker(thread) instanceof ReceiverThread;
  }

  /** Tells which task continues the thread: the one the JDK hands over when it starts. */
  void isContinuedBy(Runnable task) {
    continuation = task;
  }

  /** Runs the thread on the calling one until it parks or ends. */
  void runContinuation() {
    Runnable task = continuation;
    if (task == null) {
      throw new IllegalStateException("thread #" + number + " was not started");
    }
    task.run();
  }

  /** Takes the ended thread out of the map it is found in by its task. */
  void forgetContinuation(IdentityHashMap<Runnable, SimulatedThread> continuations) {
    if (continuation != null) {
      continuations.remove(continuation);
    }
  }

  /** One line and the stack, for a dump. */
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
