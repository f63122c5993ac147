package io.cantle.core.node;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that is started in advance. It runs an action when memory is exhausted and no other
 * thread could be started. The action may fail for the same reason. It is then repeated, since what
 * it has done so far frees memory.
 *
 * <p><b>Threading:</b> any thread calls {@link #raise} and {@link #end}.
 */
final class EmergencyThread extends Thread {
  private static final int MAX_ATTEMPTS = 500;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private volatile @Nullable Runnable action;
  private volatile boolean raised;
  private volatile boolean ended;

  EmergencyThread(String name) {
    super(name);
    setDaemon(true);
  }

  /** Sets the action. */
  void setAction(Runnable newAction) {
    action = newAction;
    LockSupport.unpark(this);
  }

  /** Makes the thread run the action, once; needs no memory. */
  void raise() {
    raised = true;
    LockSupport.unpark(this);
  }

  /** Ends the thread, which is not needed any more. */
  void end() {
    ended = true;
    LockSupport.unpark(this);
  }

  @Override
  public void run() {
    Runnable newAction = action;
    // Memory may be exhausted before there is anything to close.
    for (; (!raised || newAction == null) && !ended; newAction = action) {
      LockSupport.park(this);
    }
    for (int attempt = 0; newAction != null && attempt < MAX_ATTEMPTS && !ended; attempt++) {
      try {
        newAction.run();
        return;
      } catch (Exception | Error e) {
        // There is no memory to log this; what has been closed by now frees some.
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
