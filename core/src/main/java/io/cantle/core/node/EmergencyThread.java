package io.cantle.core.node;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that was started in time: it does what is to be done when there is no memory left, when
 * no other one could be started. What it does may fail for the same reason, and is tried again,
 * since what is undone gives memory back.
 *
 * <p><b>Threading:</b> any thread calls {@link #raise} and {@link #end}.
 */
final class EmergencyThread extends Thread {
  private static final int MAX_ATTEMPTS = 500;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private volatile Runnable action = () -> {};
  private volatile boolean raised;
  private volatile boolean ended;

  EmergencyThread(String name) {
    super(name);
    setDaemon(true);
  }

  /** What is to be done. */
  void action(Runnable whatToDo) {
    action = whatToDo;
  }

  /** Has it done, once; needs no memory. */
  void raise() {
    raised = true;
    LockSupport.unpark(this);
  }

  /** It will not be needed any more. */
  void end() {
    ended = true;
    LockSupport.unpark(this);
  }

  @Override
  public void run() {
    while (!raised && !ended) {
      LockSupport.park(this);
    }
    for (int attempt = 0; attempt < MAX_ATTEMPTS && !ended; attempt++) {
      try {
        action.run();
        return;
      } catch (Exception | Error e) {
        // There is no memory to say so; what was closed by now gives some back.
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
