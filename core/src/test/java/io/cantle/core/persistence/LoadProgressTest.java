package io.cantle.core.persistence;

import static io.cantle.core.persistence.DiskStoreFixture.awaitOnDisk;
import static io.cantle.core.persistence.DiskStoreFixture.entry;
import static io.cantle.core.persistence.DiskStoreFixture.removed;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.HeapContainer;
import io.cantle.core.node.SystemEnvironment;
import io.cantle.store.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a node says of a store that it has loaded. */
@Timeout(60)
final class LoadProgressTest {
  private static final ReplicaHeader HEADER =
      new ReplicaHeader(new UUID(7, 9), 3, -1, ReplicaHeader.LastTick.NONE, 0);

  private final SystemEnvironment environment = new SystemEnvironment("store");
  private final List<String> lines = new ArrayList<>();

  private final Handler recorder =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @TempDir Path folder;

  @AfterEach
  void close() {
    environment.close();
  }

  /** What differs from the size of the store, such as its headers, would look like a loss. */
  @Test
  void countsEntriesAndValuesThatStayOnDisk() throws Exception {
    try (DiskStore store = open()) {
      for (int segment = 0; segment < 2; segment++) {
        ReplicaStore replicaStore = store.replicaStore(0, segment);
        replicaStore.writeHeader(HEADER, 3, 0);
        replicaStore.put(entry("a", "1".repeat(100), 3, 1));
        replicaStore.put(entry("b", "2".repeat(100), 3, 2));
        replicaStore.put(removed("c", 3, 3));
        awaitOnDisk(replicaStore);
      }
    }
    assertThat(linesOfLoading(Long.MAX_VALUE))
        .singleElement()
        .asString()
        .matches("loaded .*: 4 entries in 2 segments, [0-9.]+ MB/s");
    assertThat(linesOfLoading(0))
        .singleElement()
        .asString()
        .matches("loaded .*: 4 entries in 2 segments, 4 values stay on disk only, [0-9.]+ MB/s");
  }

  private List<String> linesOfLoading(long memoryBytes) throws IOException {
    lines.clear();
    Logger logger = Logger.getLogger(LoadProgress.class.getName());
    logger.addHandler(recorder);
    try (DiskStore store = open()) {
      store.load(memoryBytes, HeapContainer::new);
    } finally {
      logger.removeHandler(recorder);
    }
    return lines;
  }

  private DiskStore open() throws IOException {
    return DiskStore.open(
        new FileDisk(folder),
        1,
        environment.environment().clock(),
        Thread.ofPlatform().daemon().factory());
  }
}
