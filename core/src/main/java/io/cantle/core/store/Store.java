package io.cantle.core.store;

import io.cantle.core.base.Notes;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a node keeps what is to outlive its process.
 *
 * <p><b>Threading:</b> any thread; nothing waits but {@link #close}.
 */
public interface Store extends Notes, AutoCloseable {
  /** Of a node that keeps nothing. */
  Store NONE =
      new Store() {
        @Override
        public boolean keeps() {
          return false;
        }

        @Override
        public Shelf shelf(int cache, int segment) {
          throw new IllegalStateException("a node without a store keeps nothing");
        }

        @Override
        public @Nullable Copy take(int cache, int segment) {
          return null;
        }

        @Override
        public void whenFailed(Consumer<Throwable> task) {}

        @Override
        public byte @Nullable [] find(String name) {
          return Notes.NONE.find(name);
        }

        @Override
        public void keep(String name, byte[] bytes, Runnable then) {
          Notes.NONE.keep(name, bytes, then);
        }

        @Override
        public void close() {}
      };

  /** Whether anything is kept. */
  boolean keeps();

  /** The place of a segment's copy, the same one each time. */
  Shelf shelf(int cache, int segment);

  /**
   * What earlier lives of this node have left of a segment; null if nothing, or if it was taken
   * before.
   */
  @Nullable Copy take(int cache, int segment);

  /**
   * Has something run, with the reason, when the store has failed: it keeps nothing from then on.
   * Once, on any thread.
   */
  void whenFailed(Consumer<Throwable> task);

  /** Ends; what was handed over before is kept. */
  @Override
  void close();
}
