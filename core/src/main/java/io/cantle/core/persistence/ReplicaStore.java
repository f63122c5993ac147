package io.cantle.core.persistence;

import io.cantle.core.container.Entry;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The place of one segment's copy in a store. What is called first counts first; nothing is certain
 * to be kept before something handed to {@link #whenOnDisk} afterwards has run.
 *
 * <p><b>Threading:</b> any thread, one at a time; nothing waits.
 */
public interface ReplicaStore {
  /** What may be written for now. */
  WriteAdmission writeAdmission();

  /** What may be written. */
  enum WriteAdmission {
    /** Whatever comes. */
    ALL,
    /** Nothing, until what is on its way to the store is there. */
    DELAYED,
    /** Nothing but removals: the disk is full, and they may make room there. */
    REMOVALS_ONLY,
    /** Nothing: the disk is full. */
    NONE
  }

  /** How long what was handed over first is on its way by now, in nanoseconds; 0 if nothing is. */
  long lagNanos();

  /** Keeps a version of a key, a removed one too, unless a later one is kept. */
  void put(Entry entry);

  /** A removed key need not be remembered any more: nothing older will come for it. */
  void purge(Entry removed);

  /**
   * Says of the copy what its entries do not, in place of what was said before in an earlier epoch
   * or at a lower index.
   */
  void writeHeader(ReplicaHeader header, int epoch, long index);

  /** Nothing of the copy counts any more: another one begins. */
  void drop();

  /**
   * Reads entries, values and all, that are evicted. What is handed over has one element for each
   * of them in their order: null where by now the disk has another version of the key, or none.
   *
   * @param onRead must not wait; it may run before this call returns
   * @param onAbandoned runs in its place, perhaps before this call returns, if the store fails or
   *     has ended; it must not wait, nor take locks
   */
  void read(List<Entry> evicted, Consumer<List<@Nullable Entry>> onRead, Runnable onAbandoned);

  /** The disk has not what it was given: the store has failed. */
  void fail(Throwable failure);

  /**
   * Has something run once everything called before is on disk, and not before this call returns.
   * It must not wait. Never run if the store fails.
   */
  void whenOnDisk(Runnable task);
}
