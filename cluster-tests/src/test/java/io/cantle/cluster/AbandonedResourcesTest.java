package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.ScanFigures;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.memory.MemoryUse;
import io.cantle.core.node.NodeGrid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that nobody has to close anything: what the caller abandons is released on every node. */
@Timeout(120)
final class AbandonedResourcesTest {
  private static final int ENTRY_COUNT = 600;
  private static final int ITERATOR_COUNT = 10_000;
  private static final int PUBLICATION_COUNT = 300;
  private static final int LONG_VALUES = 400;
  private static final int LONG_VALUE_BYTES = 20_000;
  private static final int HELD_ITERATORS = 900;

  private static TestGrid cluster = new TestGrid(0);

  @TempDir private static Path folder = Path.of("");

  @BeforeAll
  static void join() {
    cluster = TestGrid.ofSize(3);
    cluster
        .node(0)
        .<Integer, String>cache("forgotten", CacheConfig.distributed().owners(1))
        .putAll(
            IntStream.range(0, ENTRY_COUNT)
                .boxed()
                .collect(Collectors.toMap(key -> key, key -> "value " + key)));
    cluster
        .nodes()
        .forEach(node -> ConditionWait.until("the grid is settled", node::settled, node::members));
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  private static Cache<Integer, String> cache(int node) {
    return cluster.node(node).cache("forgotten");
  }

  /** Returns what is left of it on any node; empty when nothing is left. */
  private static List<String> leftovers() {
    System.gc();
    return Stream.of(
            cluster.nodes().stream().flatMap(AbandonedResourcesTest::leftoversOn),
            threads().stream(),
            scratchFiles().stream())
        .flatMap(some -> some)
        .toList();
  }

  private static Stream<String> leftoversOn(Grid grid) {
    ScanFigures figures = grid.scanFigures();
    int requests = ((NodeGrid) grid).inspector().pendingRequests();
    boolean nothing =
        figures.elementsWaiting() == 0
            && figures.bytesWaiting() == 0
            && figures.pullsOpen() == 0
            && figures.running() == 0
            && requests == 0
            && reservesNothing(grid);
    return nothing
        ? Stream.empty()
        : Stream.of(grid.nodeName() + ": " + figures + ", requests waiting: " + requests);
  }

  /** Returns the frames of scans and streams on threads of any kind, whosever they are. */
  private static List<String> threads() {
    Path dump = folder.resolve("threads");
    try {
      Files.deleteIfExists(dump);
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .dumpThreads(
              dump.toAbsolutePath().toString(),
              HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
      return Files.readAllLines(dump).stream()
          .filter(line -> line.matches(".*io\\.cantle\\.core\\.(publish|scan|stream)\\..*"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> scratchFiles() {
    Path open = Path.of("/proc/self/fd");
    if (!Files.isDirectory(open)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(open)) {
      return files
          .map(AbandonedResourcesTest::target)
          .filter(name -> name.contains(".scratch"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      // It was closed meanwhile: that of the listing, for instance.
      return "";
    }
  }

  /** Half of them iterate over what is stored, half over what the owners compute from it. */
  @Test
  void tenThousandAbandonedIteratorsLeaveNothing() {
    for (int i = 0; i < ITERATOR_COUNT; i++) {
      Cache<Integer, String> cache = cache(i % 3);
      Iterator<?> iterator =
          i % 2 == 0
              ? cache.entrySet().stream().distributedBatchSize(8).iterator()
              : cache.values().stream().map(v -> v.length()).distributedBatchSize(8).iterator();
      assertThat(iterator.hasNext()).isTrue();
      iterator.next();
    }
    assertThat(cluster.node(0).scanFigures().mostElementsWaiting()).isPositive();

    ConditionWait.until(
        "nothing is left", () -> leftovers().isEmpty(), AbandonedResourcesTest::leftovers);
  }

  /**
   * Values are long, and batches have the default size. What live iterators hold that are not read
   * is bounded by the budget, and dropped after a while.
   */
  @Test
  void iteratorsThatAreNotReadHoldNoMoreThanTheBudget() {
    Cache<Integer, byte[]> cache =
        cluster.node(0).cache("long values", CacheConfig.distributed().owners(2));
    for (int key = 0; key < LONG_VALUES; key++) {
      cache.put(key, new byte[LONG_VALUE_BYTES]);
    }
    List<Iterator<Map.Entry<Integer, byte[]>>> held = new ArrayList<>();
    for (int i = 0; i < HELD_ITERATORS; i++) {
      Cache<Integer, byte[]> its = cluster.node(i % 3).cache("long values");
      Iterator<Map.Entry<Integer, byte[]>> iterator = its.entrySet().iterator();
      iterator.next();
      held.add(iterator);
    }
    for (Grid node : cluster.nodes()) {
      MemoryAccount memory = ((NodeGrid) node).inspector().memory(MemoryUse.SCAN_BUFFERS);
      assertThat(memory.mostReservedBytes()).isBetween(1L, memory.limitBytes() + (1 << 20));
    }
    ConditionWait.until(
        "what is not read is dropped",
        () -> cluster.nodes().stream().allMatch(AbandonedResourcesTest::reservesNothing),
        () -> cluster.nodes().stream().map(Grid::scanFigures).toList());
    int left = 0;
    for (Iterator<?> iterator = held.getLast(); iterator.hasNext(); left++) {
      iterator.next();
    }
    assertThat(left).isEqualTo(LONG_VALUES - 1);
    held.clear();

    ConditionWait.until(
        "nothing is left", () -> leftovers().isEmpty(), AbandonedResourcesTest::leftovers);
  }

  private static boolean reservesNothing(Grid node) {
    return Stream.of(MemoryUse.SCAN_BUFFERS, MemoryUse.SCAN_ANSWERS)
        .allMatch(use -> ((NodeGrid) node).inspector().memory(use).reservedBytes() == 0);
  }

  /** A subscriber is given an element and requests no more, and its caller forgets it. */
  @Test
  void idleSubscriptionsAreReleased() throws InterruptedException {
    for (int i = 0; i < PUBLICATION_COUNT; i++) {
      First first = new First();
      cache(i % 3).entrySet().stream().distributedBatchSize(8).publisher().subscribe(first);
      first.received.acquire();
    }

    ConditionWait.until(
        "nothing is left", () -> leftovers().isEmpty(), AbandonedResourcesTest::leftovers);
  }

  private static final class First implements Flow.Subscriber<Object> {
    private final Semaphore received = new Semaphore(0);

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(1);
    }

    @Override
    public void onNext(Object element) {
      received.release();
    }

    @Override
    public void onError(Throwable thrown) {
      throw new AssertionError(thrown);
    }

    @Override
    public void onComplete() {}
  }

  /** So much is sorted that a file is needed. It has no name and is removed with the stream. */
  @Test
  void abandonedSortedStreamsLeaveNoFile() {
    Cache<Integer, byte[]> cache = cluster.node(0).cache("large", CacheConfig.local());
    Random random = new Random(1);
    for (int key = 0; key < 70; key++) {
      byte[] value = new byte[1 << 20];
      random.nextBytes(value);
      cache.put(key, value);
    }
    int files = 0;
    for (int i = 0; i < 2; i++) {
      Iterator<byte[]> sorted =
          cache.values().stream()
              .sorted((one, other) -> Integer.compare(one[0], other[0]))
              .iterator();
      sorted.next();
      files = Math.max(files, scratchFiles().size());
      assertThat(sorted.hasNext()).isTrue();
    }
    assertThat(files).as("files while there were iterators").isPositive();
    cache.clear();

    ConditionWait.until(
        "nothing is left", () -> leftovers().isEmpty(), AbandonedResourcesTest::leftovers);
  }

  /**
   * Tests the check itself: held resources are seen. Each check looks at an iterator that was just
   * read, because one that is not read for long is reclaimed. A node that searches for such
   * iterators at that moment has a thread in their code, so the check is repeated then.
   */
  @Test
  void leakCheckNoticesHeldResources() {
    Iterator<?> held = cache(1).entrySet().stream().distributedBatchSize(8).iterator();
    ConditionWait.until(
        "what is held is seen, and nothing else",
        () -> {
          held.next();
          List<String> left = leftovers();
          return left.size() == 1 && left.getFirst().startsWith("node-1: ");
        },
        AbandonedResourcesTest::leftovers);
    while (held.hasNext()) {
      held.next();
    }
    ConditionWait.until(
        "nothing is left", () -> leftovers().isEmpty(), AbandonedResourcesTest::leftovers);
  }
}
