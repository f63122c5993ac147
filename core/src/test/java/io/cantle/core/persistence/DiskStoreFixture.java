package io.cantle.core.persistence;

import io.cantle.core.base.Environment;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.SegmentCursor;
import io.cantle.store.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Opens and fills stores on a disk with strings as keys and values. */
final class DiskStoreFixture {
  private DiskStoreFixture() {}

  /** Opens and loads the store of a disk. */
  static DiskStore loaded(Disk disk, Environment environment) throws IOException {
    DiskStore store =
        DiskStore.open(disk, 1, environment.clock(), Thread.ofPlatform().daemon().factory());
    store.load(Long.MAX_VALUE, HeapContainer::new);
    return store;
  }

  /** Waits until everything passed to a replica store is on disk. */
  static void awaitOnDisk(ReplicaStore replicaStore) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    replicaStore.runOnceOnDisk(done::countDown);
    done.await();
  }

  /** The contents of a replica: sorted "key=value@epoch/index" and "key-@epoch/index". */
  static List<String> contents(@Nullable LoadedReplica loaded) {
    List<String> contents = new ArrayList<>();
    Objects.requireNonNull(loaded)
        .entries()
        .scan(
            SegmentCursor.START,
            entry -> {
              String key = new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8);
              String value =
                  new String(
                      entry.bytes(),
                      entry.valueOffset(),
                      entry.valueLength(),
                      StandardCharsets.UTF_8);
              contents.add(
                  key
                      + (entry.isTombstone() ? "-" : "=" + value)
                      + "@"
                      + entry.epoch()
                      + "/"
                      + entry.index());
              return VisitResult.CONTINUE;
            });
    contents.sort(null);
    return contents;
  }

  /** Returns a version of a key. */
  static Entry entry(String key, String value, int epoch, long index) {
    return Entry.of(hash(key), bytes(key + value), key.length(), epoch, index, false, 0, null);
  }

  /** Returns a tombstone of a key. */
  static Entry removed(String key, int epoch, long index) {
    return Entry.of(hash(key), bytes(key), key.length(), epoch, index, true, 0, null);
  }

  /** A hash whose high bits differ as well. */
  static long hash(String key) {
    return key.hashCode() * 0x9E3779B97F4A7C15L;
  }

  /** Encodes keys, values and records in UTF-8. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
