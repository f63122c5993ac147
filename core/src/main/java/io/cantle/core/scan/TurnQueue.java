package io.cantle.core.scan;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A queue in which scans take turns: the first scan in line is served with the first of what it has
 * queued, and then goes to the end of the line.
 *
 * <p><b>Threading:</b> guarded by the lock of its owner.
 */
final class TurnQueue<T> {
  private final LinkedHashMap<WorkerScheduler.ScanKey, ArrayDeque<T>> byScan =
      new LinkedHashMap<>();

  void add(WorkerScheduler.ScanKey scanKey, T item) {
    byScan.computeIfAbsent(scanKey, first -> new ArrayDeque<>()).add(item);
  }

  boolean isEmpty() {
    return byScan.isEmpty();
  }

  T first() {
    return byScan.firstEntry().getValue().element();
  }

  T removeFirst() {
    Map.Entry<WorkerScheduler.ScanKey, ArrayDeque<T>> first = byScan.pollFirstEntry();
    T item = first.getValue().remove();
    if (!first.getValue().isEmpty()) {
      byScan.putLast(first.getKey(), first.getValue());
    }
    return item;
  }

  void remove(WorkerScheduler.ScanKey scanKey, T item) {
    ArrayDeque<T> its = byScan.get(scanKey);
    if (its != null && its.remove(item) && its.isEmpty()) {
      byScan.remove(scanKey);
    }
  }
}
