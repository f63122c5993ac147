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
  Store NONE = new NotesOnly(Notes.NONE);

  /** Of a node that keeps notes and no entries. */
  static Store of(Notes notes) {
    return new NotesOnly(notes);
  }

  /** Whether entries are kept. */
  boolean keeps();

  /** How many bytes of what is kept may be in memory as well, keys and values together. */
  long memoryBytes();

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
