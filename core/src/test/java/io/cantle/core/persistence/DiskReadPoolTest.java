package io.cantle.core.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Entry;
import io.cantle.core.node.SystemEnvironment;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The order in which entries are read, by how many threads, and what happens to waiting callers at
 * the end.
 */
@Timeout(60)
final class DiskReadPoolTest {
  private final SystemEnvironment environment = new SystemEnvironment("reader");
  private final List<String> events = Collections.synchronizedList(new ArrayList<>());

  @TempDir Path folder;

  private SegmentStore store;
  private DiskReadPool readPool;

  @BeforeEach
  void open() throws IOException {
    store =
        SegmentStore.open(
            new FileDisk(folder),
            StoreOptions.of(LogOptions.DEFAULT),
            1,
            new DiskStore.StoreClockAdapter(environment.environment().clock()),
            Thread.ofPlatform().daemon().factory());
    readPool =
        new DiskReadPool(
            store,
            environment.environment().clock(),
            why -> events.add("failed: " + why.getMessage()));
  }

  @AfterEach
  void close() throws IOException {
    store.close();
    environment.close();
  }

  private static Entry entry(int number) {
    return Entry.of(number, new byte[] {(byte) number}, 1, 1, 1, false, 0, null);
  }

  /** Returns entries that the disk does not have; an action runs before one of them is read. */
  private static List<Entry> list(int size, IntConsumer before) {
    return new AbstractList<>() {
      @Override
      public Entry get(int index) {
        before.accept(index);
        return entry(index);
      }

      @Override
      public int size() {
        return size;
      }
    };
  }

  private void ask(String name, List<Entry> evicted) {
    readPool.submit(
        0, 0, evicted, found -> events.add(name + " " + found.size()), () -> events.add(name));
  }

  private void ask(String name) {
    ask(name, List.of(entry(1)));
  }

  @Test
  void singleReadsComeFirst() {
    ask("list", list(300, index -> {}));
    ask("one");
    readPool.end();
    readPool.run();
    assertThat(events).containsExactly("one 1", "list 300");
  }

  @Test
  void singleReadOvertakesARunningListRead() {
    ask(
        "list",
        list(
            300,
            index -> {
              if (index == 100) {
                ask("one");
              }
            }));
    ask("other", list(2, index -> readPool.end()));
    readPool.run();
    assertThat(events).containsExactly("one 1", "list 300", "other 2");
  }

  @Test
  void listReadsProgressDespiteConstantSingleReads() {
    ask("list", list(2 * DiskReadPool.MAX_PART_ENTRIES, index -> {}));
    for (int i = 0; i < 10 * DiskReadPool.MAX_PART_ENTRIES; i++) {
      ask("one");
    }
    readPool.end();
    readPool.run();
    assertThat(events.indexOf("list " + 2 * DiskReadPool.MAX_PART_ENTRIES))
        .isEqualTo(2 * DiskReadPool.MAX_PART_ENTRIES);
  }

  @Test
  void listReadIsSharedByThreads() throws InterruptedException {
    CyclicBarrier both = new CyclicBarrier(2);
    ask(
        "list",
        list(
            2 * DiskReadPool.MAX_PART_ENTRIES,
            index -> {
              if (index % DiskReadPool.MAX_PART_ENTRIES == 0) {
                await(both);
              }
            }));
    readPool.end();
    Thread other = Thread.ofPlatform().start(readPool);
    readPool.run();
    other.join();
    assertThat(events).containsExactly("list " + 2 * DiskReadPool.MAX_PART_ENTRIES);
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void failureAfterAReadIsLogged() {
    readPool.submit(
        0,
        0,
        List.of(entry(1)),
        found -> {
          throw new OutOfMemoryError("of a test");
        },
        () -> events.add("over"));
    ask("next");
    readPool.end();
    readPool.run();
    assertThat(events).as("this is not a failure of the disk").containsExactly("next 1");
    assertThat(readPool.stalledNanos()).isZero();
  }

  @Test
  void readAfterCloseIsRefusedAtOnce() {
    readPool.end();
    ask("late");
    assertThat(events).containsExactly("late");
  }

  @Test
  void pendingReadsAreAbandonedWhenTheDiskFails() {
    ask(
        "first",
        list(
            100,
            index -> {
              throw new IllegalStateException("of a test");
            }));
    ask("second", list(2, index -> {}));
    readPool.run();
    ask("third");
    assertThat(events).containsExactly("failed: of a test", "first", "second", "third");
  }
}
