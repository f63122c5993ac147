package io.cantle.core.replica;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What follows from the steps of a replica, or of another step machine: listeners to tell, messages
 * to send. A step adds its effects with the lock of its machine held. Its caller performs them
 * after the lock is released, and one caller at a time does, so that effects keep the order of the
 * steps.
 *
 * <p><b>Threading:</b> any thread; effects are added by one thread at a time, under the lock of the
 * machine.
 */
public final class EffectQueue {
  private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean performing = new AtomicBoolean();

  /** Creates an empty queue. */
  public EffectQueue() {}

  /** Adds an effect, which must not wait. */
  public void add(Runnable effect) {
    waiting.add(effect);
  }

  /** Performs all effects, unless another thread does, or this one further up its stack. */
  public void perform() {
    while (!waiting.isEmpty() && performing.compareAndSet(false, true)) {
      try {
        for (Runnable next; (next = waiting.poll()) != null; ) {
          next.run();
        }
      } finally {
        performing.set(false);
      }
    }
  }
}
