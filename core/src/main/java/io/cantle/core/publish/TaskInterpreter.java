package io.cantle.core.publish;

import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * Understands the tasks that are sent to owners of entries. Implemented by the room that describes
 * them.
 *
 * <p><b>Threading:</b> any thread; what is returned belongs to the thread that asked.
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

    /** Whether it waits for the network, as a rule. */
    default boolean mayBlock() {
      return false;
    }

    /** Whether it looks at values; without, those that are on disk only are not read. */
    default boolean needsValues() {
      return true;
    }
  }

  /** Entries one after the other; they end early when what is made of them gets too much. */
  interface EntrySource extends Iterator<Entry> {
    /** Of the entry that came last so many bytes more are made that may have to be kept. */
    void addMadeBytes(long bytes);
  }

  /** Turns an entry into any number of elements. */
  interface Transformation {
    /** Runs a scan, and writes what is made of the entries it feeds as it feeds them. */
    void run(Output out, Consumer<EntryConsumer> scan);

    /** Whether it looks at values; without, those that are on disk only are not read. */
    default boolean needsValues() {
      return true;
    }
  }

  /** Takes the entries of a scan one after the other. */
  interface EntryConsumer {
    /**
     * Writes the elements made of an entry and says how many there are.
     *
     * @throws RuntimeException if they are more than an entry may make; it names the key
     */
    int writeElements(Entry live);
  }
}
