package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.disk.FileDisk;
import io.cantle.store.log.LogOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the store on real files, with real threads. */
class SegmentStoreTest {
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(20).toNanos();
  private static final int CACHE = 3;

  @TempDir private Path directory = Path.of("");

  @Test
  void keepsEntriesAcrossRestarts() throws Exception {
    try (SegmentStore store = open()) {
      List<StoreWrite> writes = new ArrayList<>();
      for (int index = 0; index < 2000; index++) {
        writes.add(store.put(CACHE, index % 4, entry(index, 1), TIMEOUT_NANOS));
      }
      for (StoreWrite write : writes) {
        write.await(TIMEOUT_NANOS);
      }
      for (int index = 0; index < 2000; index += 2) {
        StoredEntry tombstone = StoredEntry.of(hash(index), key(index), 1, 2, new byte[0]);
        store.remove(CACHE, index % 4, tombstone, TIMEOUT_NANOS).await(TIMEOUT_NANOS);
      }
      store.drop(CACHE, 1, TIMEOUT_NANOS).await(TIMEOUT_NANOS);
      store.note("topology", new byte[] {7}, TIMEOUT_NANOS).await(TIMEOUT_NANOS);
      check(store);
      store.compactionScheduler().compactAll();
      check(store);
    }
    try (SegmentStore store = open()) {
      assertThat(store.openReport().fromSnapshot()).isTrue();
      check(store);
    }
  }

  @Test
  void notesAreLimitedByTheirBytes() throws Exception {
    try (SegmentStore store = open()) {
      int limit = StoreOptions.of(LogOptions.DEFAULT.withFileBytes(1 << 18)).noteBytes();
      // Each letter takes two bytes, so nothing is left for another note.
      String name = "ä".repeat(100);
      store.note(name, new byte[limit - 200], TIMEOUT_NANOS).await(TIMEOUT_NANOS);
      assertThatThrownBy(() -> store.note("n", new byte[0], TIMEOUT_NANOS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "all notes together would take %d bytes, more than noteBytes, %d", limit + 1, limit);
      store.note(name, new byte[limit - 201], TIMEOUT_NANOS).await(TIMEOUT_NANOS);
      store.note("n", new byte[0], TIMEOUT_NANOS).await(TIMEOUT_NANOS);
    }
  }

  private static void check(SegmentStore store) throws IOException {
    assertThat(store.size(CACHE, 0)).isZero();
    assertThat(store.size(CACHE, 1)).isZero();
    assertThat(store.size(CACHE, 2)).isZero();
    assertThat(store.size(CACHE, 3)).isEqualTo(500);
    assertThat(store.note("topology")).hasValue(new byte[] {7});
    List<StoredEntry> shown = new ArrayList<>();
    assertThat(store.scan(CACHE, 3, StoreCursor.START, shown::add).kind())
        .isEqualTo(StoreCursor.StoreCursorKind.END);
    assertThat(shown)
        .hasSize(500)
        .isSortedAccordingTo((one, other) -> one.compareOrder(other.hash(), other.key()));
    for (int index = 3; index < 2000; index += 4) {
      assertThat(store.get(CACHE, 3, hash(index), key(index))).contains(entry(index, 1));
    }
    assertThat(store.get(CACHE, 0, hash(4), key(4))).isEmpty();
  }

  private SegmentStore open() throws IOException {
    return SegmentStore.open(
        new FileDisk(directory.resolve("store")),
        StoreOptions.of(LogOptions.DEFAULT.withFileBytes(1 << 18)),
        17,
        new StoreOpenMeasurement.RealClock(),
        Thread.ofPlatform().daemon().factory());
  }

  private static StoredEntry entry(int index, long version) {
    return StoredEntry.of(hash(index), key(index), 1, version, new byte[index % 300]);
  }

  private static byte[] key(int index) {
    return Integer.toString(index).getBytes(StandardCharsets.UTF_8);
  }

  private static long hash(int index) {
    return index * 0x9E37_79B9_7F4A_7C15L;
  }
}
