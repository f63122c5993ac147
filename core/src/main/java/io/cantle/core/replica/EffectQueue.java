package io.cantle.core.replica;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What follows from the steps of a replica: waiters to tell, changes to pass on. A step adds its
 * effects with the replica's lock held. Its caller performs them after the lock is released, and
 * one caller at a time does, so that effects keep the order of the steps.
 *
 * <p><b>Threading:</b> any thread; effects are added by one thread at a time, under the replica's
 * lock.
 */
final class EffectQueue {
  private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean performing = new AtomicBoolean();

  /** Adds an effect, which must not wait. */
  void add(Runnable effect) {
    waiting.add(effect);
  }

  /** Performs all effects, unless another thread does, or this one further up its stack. */
  void perform() {
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
