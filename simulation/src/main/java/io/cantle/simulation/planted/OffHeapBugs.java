package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Planted bugs in entries off the heap, hunted in seeds whose caches all have such.
 *
 * <p><b>Threading:</b> immutable.
 */
final class OffHeapBugs {
  static final List<PlantedBug> ALL =
      Stream.of(
              PlantedBug.of(
                  "off-heap-uses-freed-block",
                  "a block is free while its entry is still there",
                  "container/OffHeapContainer.java",
                  "memory.free(block, EntryBlock.units(memory, block)); giveBackIfSparse(current);"
                      + " return true;",
                  "memory.free(block, EntryBlock.units(memory, block)); if (before != 0) {"
                      + " memory.free(before, EntryBlock.units(memory, before)); }"
                      + " giveBackIfSparse(current); return true;"),
              PlantedBug.of(
                  "off-heap-keeps-what-was-removed",
                  "a removal marks no tombstone in the block",
                  "container/EntryBlock.java",
                  "(entry.isTombstone() ? TOMBSTONE : 0)",
                  "0"))
          .map(bug -> bug.withFaults("--container", "off-heap"))
          .toList();

  private OffHeapBugs() {}
}
