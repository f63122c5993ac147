package io.cantle.simulation;

import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a host that receives one message after the other and rests in between. Most threads
 * of a run would only ever receive one message, and beginning and ending a thread costs more than
 * that.
 *
 * <p>Only receiving is done this way. Nobody keeps such a thread to wake it later, because it must
 * not wait. A resumption counts as the beginning of another thread.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class ReceiverThread implements Runnable {
  private final ArrayDeque<ReceiverThread> resting;
  private @Nullable Thread thread;
  private @Nullable Runnable message;

  /**
   * @param resting the idle threads of its host
   */
  ReceiverThread(ArrayDeque<ReceiverThread> resting, Runnable message) {
    this.resting = resting;
    this.message = message;
  }

  /** Resumes this resting thread with the next message. */
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
