package io.cantle.core.topology;

import io.cantle.core.base.StableStore;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Records that are on disk at once, or when a test says so. */
final class ManualStableStore implements StableStore {
  private record Pending(String name, byte[] bytes, Runnable then) {}

  private final Map<String, byte[]> kept = new HashMap<>();
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private boolean stalled;
  private long changes;

  /** From now on nothing reaches the disk. */
  void stall() {
    stalled = true;
  }

  /** Pending records reach the disk, and later ones do so at once. */
  void resume() {
    stalled = false;
    for (Pending next; (next = pending.poll()) != null; ) {
      save(next.name, next.bytes, next.then);
    }
  }

  /** Returns another disk with what is on this one now. */
  ManualStableStore copy() {
    ManualStableStore copy = new ManualStableStore();
    copy.kept.putAll(kept);
    copy.changes = changes;
    return copy;
  }

  /** Simulates that entries are written. */
  void write() {
    changes++;
  }

  @Override
  public long changeCount() {
    return changes;
  }

  /** The process ends, so pending records never reach the disk. */
  void losePending() {
    pending.clear();
    stalled = false;
  }

  @Override
  public byte @Nullable [] find(String name) {
    return kept.get(name);
  }

  @Override
  public void save(String name, byte[] bytes, Runnable then) {
    if (stalled) {
      pending.add(new Pending(name, bytes, then));
    } else {
      kept.put(name, bytes.clone());
      then.run();
    }
  }
}
