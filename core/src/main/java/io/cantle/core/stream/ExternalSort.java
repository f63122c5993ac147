package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.store.ScratchFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sorts more elements than fit into memory. What exceeds the memory budget is written to a
 * temporary file as sorted runs, which are merged while they are read. Where only some first
 * elements are needed, the others are dropped as soon as it is certain that they are not among
 * them.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ExternalSort implements AutoCloseable {
  /** The most bytes in memory before a run is written. */
  static final long BUDGET_BYTES = 64L << 20;

  /** The order of elements that are {@link Comparable}. */
  @SuppressWarnings("unchecked")
  static final Comparator<Object> NATURAL_ORDER =
      (left, right) -> ((Comparable<Object>) left).compareTo(right);

  private static final int BLOCK_BYTES = 64 << 10;

  /** Elements are dropped once there are as many of them as needed, and at least this many. */
  private static final int MIN_DROPPED = 256;

  private final Comparator<Object> order;
  private final long neededCount;

  /** The number of elements in memory at which those that are not needed are dropped. */
  private final long dropAtCount;

  /** Whether there are as many elements as needed up to {@link #bound}, which arrived before. */
  private boolean isBounded;

  private @Nullable Object bound;
  private final ElementCodec elementCodec;
  private final long budgetBytes;
  private final List<Object> inMemory = new ArrayList<>();
  private final List<RunReader> runs = new ArrayList<>();
  private final ElementCodec.SizeEstimator sizeEstimator;
  private final ScratchFiles files;
  private @Nullable ScratchFile file;

  /** Opens a temporary file when one is needed. */
  interface ScratchFiles {
    ScratchFile open() throws IOException;
  }

  /**
   * Creates a sort without elements.
   *
   * @param neededCount how many of the first elements will be read at most
   */
  ExternalSort(
      Comparator<Object> order,
      long neededCount,
      ElementCodec elementCodec,
      long budgetBytes,
      ScratchFiles files) {
    this.order = order;
    this.neededCount = neededCount;
    this.dropAtCount =
        neededCount + Math.min(Math.max(neededCount, MIN_DROPPED), Long.MAX_VALUE - neededCount);
    this.elementCodec = elementCodec;
    this.sizeEstimator = elementCodec.new SizeEstimator();
    this.budgetBytes = budgetBytes;
    this.files = files;
  }

  /**
   * Adds an element.
   *
   * @throws IllegalArgumentException if memory is not enough and the element cannot be encoded
   * @throws UncheckedIOException if the temporary file cannot be written
   */
  void add(Object element) {
    if (isBounded && compareToBound(element) >= 0) {
      return;
    }
    inMemory.add(element);
    if (inMemory.size() >= dropAtCount) {
      dropUnneeded();
    }
    if (inMemory.size() * sizeEstimator.estimateBytes(element) > budgetBytes) {
      spill();
    }
  }

  // Elements may be null if the user's functions make them so, as in the JDK.
  @SuppressWarnings("NullAway")
  private int compareToBound(@Nullable Object element) {
    return order.compare(element, bound);
  }

  /** Keeps the first elements only. Of equal ones the later are dropped: a sort is stable. */
  private void dropUnneeded() {
    int kept = (int) neededCount;
    inMemory.sort(order);
    inMemory.subList(kept, inMemory.size()).clear();
    if (kept > 0) {
      isBounded = true;
      bound = inMemory.getLast();
    }
  }

  /** The number of runs that were written to the file. */
  int runCount() {
    return runs.size();
  }

  private void spill() {
    inMemory.sort(order);
    Output block = new Output(BLOCK_BYTES + 1_024);
    try {
      ScratchFile scratch = open();
      long begin = scratch.length();
      for (Object element : inMemory) {
        int startPosition = block.position();
        block.writeInt(0);
        elementCodec.write(element, block);
        block.patchInt(startPosition, block.position() - startPosition - Integer.BYTES);
        if (block.position() >= BLOCK_BYTES) {
          flush(block, scratch);
        }
      }
      flush(block, scratch);
      runs.add(new RunReader(begin, scratch.length(), inMemory.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(
          ("a sorted stream takes more than %s bytes of memory, but its temporary file cannot be"
                  + " written: %s; the system property java.io.tmpdir sets its directory")
              .formatted(budgetBytes, e),
          e);
    }
    inMemory.clear();
  }

  private ScratchFile open() throws IOException {
    ScratchFile scratch = file;
    if (scratch == null) {
      scratch = files.open();
      file = scratch;
    }
    return scratch;
  }

  private static void flush(Output block, ScratchFile scratch) throws IOException {
    scratch.append(ByteBuffer.wrap(block.array(), 0, block.position()));
    block.truncate(0);
  }

  /** Returns all added elements in order. The iterator closes this object at its end. */
  Iterator<Object> sortedIterator() {
    inMemory.sort(order);
    if (runs.isEmpty()) {
      return inMemory.iterator();
    }
    PriorityQueue<MergeSource> sources =
        new PriorityQueue<>(
            Comparator.<MergeSource, Object>comparing(source -> source.head, order)
                .thenComparingInt(source -> source.ordinal));
    for (RunReader run : runs) {
      sources.add(new MergeSource(sources.size(), run));
    }
    if (!inMemory.isEmpty()) {
      sources.add(new MergeSource(sources.size(), inMemory.iterator()));
    }
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return !sources.isEmpty();
      }

      @Override
      public Object next() {
        MergeSource source = sources.poll();
        if (source == null) {
          throw new NoSuchElementException("every element was delivered");
        }
        Object next = source.head;
        if (source.advance()) {
          sources.add(source);
        } else if (sources.isEmpty()) {
          close();
        }
        return next;
      }
    };
  }

  @Override
  public void close() {
    inMemory.clear();
    ScratchFile scratch = file;
    if (scratch != null) {
      try {
        scratch.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** One of the merged sources; it has a head until it is exhausted. */
  private static final class MergeSource {
    /** Of equal elements the ones added first come first, because a sort is stable. */
    private final int ordinal;

    private final Iterator<Object> rest;
    private Object head;

    MergeSource(int ordinal, Iterator<Object> elements) {
      this.ordinal = ordinal;
      rest = elements;
      head = elements.next();
    }

    boolean advance() {
      if (!rest.hasNext()) {
        return false;
      }
      head = rest.next();
      return true;
    }
  }

  /** Reads a run, a sorted part of the file, a block at a time. */
  private final class RunReader implements Iterator<Object> {
    private final long end;
    private ByteBuffer block = ByteBuffer.allocate(0);

    /** Where in the file the block ends. */
    private long position;

    private int left;

    RunReader(long begin, long end, int count) {
      this.end = end;
      this.position = begin;
      this.left = count;
    }

    @Override
    public boolean hasNext() {
      return left > 0;
    }

    @Override
    public Object next() {
      if (left == 0) {
        throw new NoSuchElementException("a run has no more elements");
      }
      left--;
      fillBlock(Integer.BYTES);
      int bytes = block.getInt();
      fillBlock(bytes);
      int startPosition = block.position();
      block.position(startPosition + bytes);
      return elementCodec.read(new Input(block.array(), startPosition, bytes));
    }

    /** Reads on until the block has this many bytes. */
    private void fillBlock(int bytes) {
      if (block.remaining() >= bytes) {
        return;
      }
      long remainingBytes = block.remaining() + end - position;
      ByteBuffer refilled =
          ByteBuffer.allocate((int) Math.min(remainingBytes, Math.max(bytes, BLOCK_BYTES)));
      refilled.put(block);
      try {
        int missing = refilled.remaining();
        open().read(position, refilled);
        position += missing;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      block = refilled.flip();
    }
  }

  /**
   * Keeps the first elements of those it is given, in some order. It never keeps more than its
   * count.
   *
   * <p><b>Threading:</b> one thread.
   */
  static final class FirstElements {
    private final int count;
    private final Comparator<Object> order;

    /** The kept elements; the last one in order is the head. */
    private final PriorityQueue<KeptElement> kept;

    /** An element, wrapped because a queue refuses null and an order may accept it. */
    private record KeptElement(@Nullable Object element, int bytes) {}

    private long bytes;

    FirstElements(int count, Comparator<Object> order) {
      this.count = count;
      this.order = order;
      this.kept = new PriorityQueue<>((left, right) -> compare(right.element(), left.element()));
    }

    // Elements may be null if the user's functions make them so, as in the JDK.
    @SuppressWarnings("NullAway")
    private int compare(@Nullable Object left, @Nullable Object right) {
      return order.compare(left, right);
    }

    /**
     * Offers an element.
     *
     * @param encoded how many bytes it takes
     */
    void add(@Nullable Object element, int encoded) {
      if (kept.size() == count) {
        if (count == 0 || compare(element, kept.element().element()) >= 0) {
          return;
        }
        bytes -= kept.remove().bytes();
      }
      kept.add(new KeptElement(element, encoded));
      bytes += encoded;
    }

    /** The approximate memory of the kept elements. */
    long bytes() {
      return bytes + (long) kept.size() * ElementCodec.SizeEstimator.OBJECT_BYTES;
    }

    /** The kept elements in order. */
    // Elements may be null if the user's functions make them so, as in the JDK.
    @SuppressWarnings("NullAway")
    List<Object> toSortedList() {
      List<Object> sorted = new ArrayList<>(kept.size());
      kept.forEach(kept -> sorted.add(kept.element()));
      sorted.sort(order);
      return sorted;
    }
  }
}
