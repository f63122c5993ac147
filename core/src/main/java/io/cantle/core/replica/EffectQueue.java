package io.cantle.core.replica;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What follows from the steps of a replica, or of another step machine: listeners to tell, messages
 * to send. A step adds its effects with the lock of its machine held. Its caller performs them
 * after the lock is released, and one caller at a time does, so that effects keep the order of the
 * steps.
 *
 * <p><b>Threading:</b> any thread; effects are added by one thread at a time, under the lock of the
 * machine.
 *
 * @param <E> an effect
 */
public final class EffectQueue<E> {
  /** Made for the first effect: most queues of a node never have one, and each step asks. */
  private volatile @Nullable ConcurrentLinkedQueue<E> waiting;

  private final AtomicBoolean performing = new AtomicBoolean();
  private final Consumer<E> performer;

  /**
   * Creates an empty queue.
   *
   * @param performer performs an effect, and must not wait: all later effects stand behind it
   */
  public EffectQueue(Consumer<E> performer) {
    this.performer = performer;
  }

  /** Adds an effect. */
  public void add(E effect) {
    ConcurrentLinkedQueue<E> effects = waiting;
    if (effects == null) {
      effects = new ConcurrentLinkedQueue<>();
      waiting = effects;
    }
    effects.add(effect);
  }

  /** Performs all effects, unless another thread does, or this one further up its stack. */
  public void perform() {
    ConcurrentLinkedQueue<E> effects = waiting;
    if (effects == null) {
      return;
    }
    while (!effects.isEmpty() && performing.compareAndSet(false, true)) {
      try {
        for (E next; (next = effects.poll()) != null; ) {
          performer.accept(next);
        }
      } finally {
        performing.set(false);
      }
    }
  }
}
