package io.cantle.core.scan;

import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.CacheIdentity;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * Reads and runs the tasks that are sent to the owners of entries. It is implemented by the package
 * that describes tasks, so that this package need not know them.
 *
 * <p><b>Threading:</b> any thread; what a method returns belongs to the calling thread.
 */
public interface TaskInterpreter {

  /** Reads a task that turns many entries into one partial result. */
  Reduction readReduction(byte[] task);

  /** Reads a task that turns an entry into any number of elements. */
  Transformation readTransformation(byte[] task);

  /** Turns many entries into one partial result. */
  interface Reduction {
    /** Consumes the entries and writes the result; called once. */
    void reduce(EntrySource liveEntries, Output partial);

    /** Whether it usually waits for the network. */
    default boolean mayBlock() {
      return false;
    }

    /** Whether it reads values. If not, values that are only on disk are not loaded. */
    default boolean needsValues() {
      return true;
    }
  }

  /** Iterates over entries; it ends early when too much is made of them. */
  interface EntrySource extends Iterator<Entry> {
    /** The cache that the entries are of. */
    CacheIdentity cache();

    /** Adds to the bytes that were made of the last entry and may have to be kept. */
    void addMadeBytes(long bytes);
  }

  /** Turns an entry into any number of elements. */
  interface Transformation {
    /** Runs a scan, and writes what is made of each entry while the scan feeds it. */
    void run(Output out, Consumer<EntryConsumer> scan);

    /** Whether it reads values. If not, values that are only on disk are not loaded. */
    default boolean needsValues() {
      return true;
    }
  }

  /** Consumes the entries of a scan one after the other. */
  interface EntryConsumer {
    /**
     * Writes the elements made of an entry and returns how many there are.
     *
     * @throws RuntimeException if one entry makes more than the limit; the message names the key
     */
    int writeElements(Entry live);
  }
}
