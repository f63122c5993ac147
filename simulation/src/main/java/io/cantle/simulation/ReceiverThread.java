package io.cantle.simulation;

import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a host that takes in one message after the other and rests in between. Most threads
 * of a run would only ever take in one, and to begin and end them costs more than that.
 *
 * <p>Only receiving is done so: nobody keeps such a thread to wake it later, since it must not
 * wait. Where it is resumed counts as where another one would have begun.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class ReceiverThread implements Runnable {
  private final ArrayDeque<ReceiverThread> resting;
  private @Nullable Thread thread;
  private @Nullable Runnable message;

  /**
   * @param resting those of its host that have nothing to do
   */
  ReceiverThread(ArrayDeque<ReceiverThread> resting, Runnable message) {
    this.resting = resting;
    this.message = message;
  }

  /** Resumes it, at rest, with the next message. */
  void takeMessage(Runnable next) {
    message = next;
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    while (true) {
      Runnable next = message;
      if (next == null) {
        LockSupport.park(this);
      } else {
        message = null;
        next.run();
        resting.push(this);
      }
    }
  }
}
