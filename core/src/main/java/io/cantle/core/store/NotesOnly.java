package io.cantle.core.store;

import io.cantle.core.base.Notes;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps no entries.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param notes where notes are kept, if anywhere
 */
record NotesOnly(Notes notes) implements Store {
  @Override
  public boolean keeps() {
    return false;
  }

  @Override
  public long memoryBytes() {
    return Long.MAX_VALUE;
  }

  @Override
  public Shelf shelf(int cache, int segment) {
    throw new IllegalStateException("a node without a store keeps no entries");
  }

  @Override
  public @Nullable Copy take(int cache, int segment) {
    return null;
  }

  @Override
  public void whenFailed(Consumer<Throwable> task) {}

  @Override
  public long changes() {
    return notes.changes();
  }

  @Override
  public boolean lasts() {
    return notes.lasts();
  }

  @Override
  public byte @Nullable [] find(String name) {
    return notes.find(name);
  }

  @Override
  public void keep(String name, byte[] bytes, Runnable then) {
    notes.keep(name, bytes, then);
  }

  @Override
  public void close() {}
}
