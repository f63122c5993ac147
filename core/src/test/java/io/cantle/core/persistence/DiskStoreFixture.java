package io.cantle.core.persistence;

import io.cantle.core.base.Environment;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.container.SegmentEntries.VisitResult;
import io.cantle.store.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A store on a disk, spoken to in strings. */
final class DiskStoreFixture {
  private DiskStoreFixture() {}

  /** The store of a disk, loaded. */
  static DiskStore loaded(Disk disk, Environment environment) throws IOException {
    DiskStore store =
        DiskStore.open(disk, 1, environment.clock(), Thread.ofPlatform().daemon().factory());
    store.load(Long.MAX_VALUE);
    return store;
  }

  /** Waits until whatever was handed over is on disk. */
  static void awaitOnDisk(ReplicaStore replicaStore) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    replicaStore.whenOnDisk(done::countDown);
    done.await();
  }

  /** What a copy holds: sorted "key=value@epoch/index" and "key-@epoch/index". */
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

  /** A version of a key. */
  static Entry entry(String key, String value, int epoch, long index) {
    return new Entry(hash(key), bytes(key + value), key.length(), epoch, index, false);
  }

  /** A version that says that a key was removed. */
  static Entry removed(String key, int epoch, long index) {
    return new Entry(hash(key), bytes(key), key.length(), epoch, index, true);
  }

  /** One that differs in its high bits as well. */
  static long hash(String key) {
    return key.hashCode() * 0x9E3779B97F4A7C15L;
  }

  /** Keys, values and notes are UTF-8. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
