package io.cantle.races;

import io.cantle.core.container.Container;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.OffHeapContainer;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.simulation.SimulatedArena;
import io.cantle.simulation.planted.PlantedBug;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The containers that the races run on. Another container is one more constant here, with a bug
 * that its races must find.
 *
 * <p><b>Threading:</b> immutable.
 */
enum RacedContainer {
  /** {@link HeapContainer}. */
  HEAP(false, false) {
    @Override
    Container create() {
      return new HeapContainer();
    }

    @Override
    List<PlantedBug> bugs(RaceTool tool) {
      return List.of(
          PlantedBug.of(
              "heap-overwritten-too-early",
              "an entry is overwritten in its slot before it stands in the next one",
              "container/EntryTable.java",
              "for (int slot = free; slot > place; slot--) {"
                  + " set(slot, slots[slot - 1], tags[slot - 1]); }"
                  + " set(place, entry, tagOf(position));",
              "HeapEntry moved = entry; short movedTag = tagOf(position);"
                  + " for (int slot = place; slot <= free; slot++) {"
                  + " HeapEntry next = slots[slot]; short nextTag = tags[slot];"
                  + " set(slot, moved, movedTag); moved = next; movedTag = nextTag; }"));
    }
  },

  /** {@link OffHeapContainer}. After some tries, a reader waits for the writer's change to end. */
  OFF_HEAP(false, true) {
    @Override
    Container create() {
      return new OffHeapContainer(SimulatedArena::new, new MemoryAccount(Long.MAX_VALUE));
    }

    @Override
    List<PlantedBug> bugs(RaceTool tool) {
      PlantedBug lateReader =
          PlantedBug.of(
              "off-heap-late-reader",
              "a reader takes what it has read though there was a change meanwhile",
              "container/SequenceLock.java",
              "if ((long) STAMP.getOpaque(this) == before) {",
              "if ((long) STAMP.getOpaque(this) >= before) {");
      PlantedBug linkedTooEarly =
          PlantedBug.of(
              "off-heap-linked-too-early",
              "a block is linked before its own link is set, and before the change begins",
              "container/OffHeapContainer.java",
              "int replaced = following != 0",
              "current.setFollowing(entry.hash(), before, block);"
                  + " int replaced = following != 0");
      // In a few scenarios, Lincheck does not come to the few steps between the two links.
      return tool == RaceTool.LINCHECK ? List.of(lateReader) : List.of(lateReader, linkedTooEarly);
    }
  },

  /**
   * {@link HeapContainer} with a bound: readers mark and remember entries, writers evict. A reader
   * that remembers a value takes the lock.
   */
  BOUNDED_HEAP(true, true) {
    @Override
    Container create() {
      return HEAP.create();
    }

    @Override
    List<PlantedBug> bugs(RaceTool tool) {
      // Lincheck does not come to the one step between a mark's read and its write.
      return tool == RaceTool.LINCHECK
          ? HEAP.bugs(tool)
          : List.of(
              PlantedBug.of(
                  "bounded-heap-mark-brings-back",
                  "a reader's mark takes away that an entry is released, which is remembered then",
                  "container/HeapEntry.java",
                  "var _ = used ? (long) HEAD.getAndBitwiseOr(this, USED)"
                      + " : (long) HEAD.getAndBitwiseAnd(this, ~USED);",
                  "head = used ? head | USED : head & ~USED;"),
              PlantedBug.of(
                  "bounded-heap-not-forgotten",
                  "a value stays remembered though its entry is replaced",
                  "container/DecodedObjectCache.java",
                  "if (key != null && hints != null) { hints.forget(key); }",
                  ""));
    }
  },

  /** {@link OffHeapContainer} with a bound. */
  BOUNDED_OFF_HEAP(true, true) {
    @Override
    Container create() {
      return OFF_HEAP.create();
    }

    @Override
    List<PlantedBug> bugs(RaceTool tool) {
      return List.of(OFF_HEAP.bugs(tool).getLast());
    }
  };

  /** Names the container in a process that runs races. */
  static final String PROPERTY = "cantle.races.container";

  private final boolean bounded;
  private final boolean readersMayWait;

  RacedContainer(boolean bounded, boolean readersMayWait) {
    this.bounded = bounded;
    this.readersMayWait = readersMayWait;
  }

  /** The container that this process was started for. */
  static RacedContainer ofThisProcess() {
    return named(System.getProperty(PROPERTY, HEAP.argument()));
  }

  /**
   * The container of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static RacedContainer named(String argument) {
    return Arrays.stream(values())
        .filter(kind -> kind.argument().equals(argument))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no container \""
                        + argument
                        + "\"; there are "
                        + Arrays.stream(values())
                            .map(RacedContainer::argument)
                            .collect(Collectors.joining(", "))));
  }

  /** Its name as an argument. */
  String argument() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Creates an empty container. */
  abstract Container create();

  /** Whether a segment has a bound, so that writers evict. */
  boolean isBounded() {
    return bounded;
  }

  /** What Lincheck interleaves. */
  final Class<?> operations() {
    return isBounded() ? BoundedSegmentOperations.class : SegmentOperations.class;
  }

  /** The tests that jcstress runs. */
  final Class<?> stressTests() {
    return isBounded() ? BoundedSegmentStress.class : SegmentStress.class;
  }

  /** Whether a reader may have to wait for a writer that is in the middle of a change. */
  boolean readersMayWait() {
    return readersMayWait;
  }

  /** The bugs of this container that its races must find with a tool. */
  abstract List<PlantedBug> bugs(RaceTool tool);
}
