package io.cantle.core.node;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import io.cantle.core.memory.HeapGauge;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the collector of this process leaves in the heap. Only collections count that look for
 * garbage among old objects, since others leave all of it.
 *
 * <p>Most collectors have one bean for such collections. G1 has three. Its concurrent cycle finds
 * garbage and removes little of it, but afterwards young objects have not been looked at. So the
 * next evacuation counts, and each one that has removed old objects.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class SystemHeapGauge implements HeapGauge {
  /** The beans whose collections leave no garbage but that of the meantime. */
  private static final Set<String> COMPLETE_COLLECTORS =
      Set.of(
          "G1 Old Generation",
          "MarkSweepCompact",
          "PS MarkSweep",
          "ZGC Major Cycles",
          "Shenandoah Cycles");

  private static final String CONCURRENT_COLLECTOR = "G1 Concurrent GC";
  private static final String EVACUATING_COLLECTOR = "G1 Young Generation";

  private final List<Collector> collectors = new ArrayList<>();
  private final Set<String> heapPools;
  private final @Nullable MemoryPoolMXBean oldPool;
  private final long maxBytes;

  /** Whether G1 has found garbage since the last reading. */
  private boolean cycleEnded;

  private long oldUsedBytes;

  /** A collector, and how many of its collections have been seen. */
  private static final class Collector {
    final GarbageCollectorMXBean bean;
    long seenCount;

    Collector(GarbageCollectorMXBean bean) {
      this.bean = bean;
    }

    boolean hasCollected() {
      long count = bean.getCollectionCount();
      boolean more = count != seenCount;
      seenCount = count;
      return more;
    }
  }

  SystemHeapGauge() {
    ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class)
        .forEach(bean -> collectors.add(new Collector(bean)));
    List<MemoryPoolMXBean> pools =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();
    heapPools = pools.stream().map(MemoryPoolMXBean::getName).collect(Collectors.toSet());
    oldPool =
        pools.stream()
            .filter(pool -> pool.getName().contains("Old") || pool.getName().contains("Tenured"))
            .findFirst()
            .orElse(null);
    long oldMaxBytes = oldPool == null ? -1 : oldPool.getUsage().getMax();
    maxBytes = oldMaxBytes > 0 ? oldMaxBytes : Runtime.getRuntime().maxMemory();
  }

  @Override
  public long maxBytes() {
    return maxBytes;
  }

  @Override
  public @Nullable Reading pollReading() {
    Reading reading = null;
    for (Collector collector : collectors) {
      if (!collector.hasCollected()) {
        continue;
      }
      String name = collector.bean.getName();
      if (COMPLETE_COLLECTORS.contains(name)) {
        reading = readingOf(collector.bean, true);
      } else if (name.equals(CONCURRENT_COLLECTOR)) {
        cycleEnded = true;
      } else if (name.equals(EVACUATING_COLLECTOR) && reading == null && hasCollectedOld()) {
        reading = readingOf(collector.bean, false);
      }
    }
    if (reading != null) {
      cycleEnded = false;
    }
    return reading;
  }

  /** Whether a cycle has ended, or old objects were removed, since the last reading. */
  private boolean hasCollectedOld() {
    MemoryUsage left = oldPool == null ? null : oldPool.getCollectionUsage();
    long before = oldUsedBytes;
    oldUsedBytes = left == null ? 0 : left.getUsed();
    return cycleEnded || oldUsedBytes != before;
  }

  private @Nullable Reading readingOf(GarbageCollectorMXBean bean, boolean isComplete) {
    GcInfo last = bean.getLastGcInfo();
    if (last == null) {
      return null;
    }
    long usedBytes = 0;
    for (var usage : last.getMemoryUsageAfterGc().entrySet()) {
      usedBytes += heapPools.contains(usage.getKey()) ? usage.getValue().getUsed() : 0;
    }
    return new Reading(usedBytes, isComplete);
  }
}
