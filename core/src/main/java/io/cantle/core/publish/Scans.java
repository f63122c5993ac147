package io.cantle.core.publish;

import io.cantle.CloseableIterator;
import io.cantle.core.base.Input;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All entries of one cache, wherever they are, as seen by the node that asks. What it delivers
 * counts each entry present throughout exactly once.
 *
 * <p><b>Threading:</b> any thread; each call is run by the thread that makes it.
 */
public interface Scans {

  /** What of an entry is wanted. */
  enum Part {
    /** The key blob and the value blob. */
    ENTRY,
    /** The key blob. */
    KEY,
    /** The value blob. */
    VALUE
  }

  /**
   * Has the owners evaluate a task over their live entries.
   *
   * @param task what {@link Tasks#reduction} understands
   * @param partial is given the result of each part of the cache, each part once, on the calling
   *     thread; returns false when no more are needed
   */
  void reduce(byte[] task, Predicate<Input> partial);

  /**
   * Pulls the elements of all entries.
   *
   * @param part what an element is when there is no task
   * @param task what {@link Tasks#transformation} understands; its outputs are the elements
   * @param read reads exactly one element
   */
  <T> CloseableIterator<T> iterate(Part part, byte @Nullable [] task, Function<Input, T> read);

  /** How many entries there are, without visiting any. */
  long count();
}
