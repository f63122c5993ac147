package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheFullException;
import io.cantle.MemoryBudget;
import io.cantle.WhenFull;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests caches that share a memory budget, on one node. */
final class MemoryBudgetTest {
  private static final int BUDGET_BYTES = 400_000;
  private static final MemoryBudget BUDGET = MemoryBudget.ofBytes("shared", BUDGET_BYTES);
  private static final CacheConfig SHARING =
      CacheConfig.distributed().segments(16).memoryBudget(BUDGET);

  private final SingleNode single = new SingleNode();

  @AfterEach
  void close() {
    single.close();
  }

  private static void fill(Cache<Integer, byte[]> cache) {
    for (int key = 0; key < 2_000; key++) {
      cache.put(key, new byte[1_000]);
    }
  }

  private static long bytesOf(Cache<?, ?> cache) {
    return cache.statistics().ownedBytes();
  }

  @Test
  void cachesTogetherTakeNoMoreThanTheirBudget() {
    Cache<Integer, byte[]> first = single.node.cache("first", SHARING);
    fill(first);
    assertThat(bytesOf(first)).isBetween(BUDGET_BYTES * 8L / 10, (long) BUDGET_BYTES);
    Cache<Integer, byte[]> second = single.node.cache("second", SHARING);
    fill(second);
    fill(first);
    assertThat(bytesOf(first) + bytesOf(second))
        .isBetween(BUDGET_BYTES * 8L / 10, (long) BUDGET_BYTES);
    assertThat(second.statistics().evictions()).isPositive();
  }

  @Test
  void smallerOfTwoBoundsCounts() {
    Cache<Integer, byte[]> cache = single.node.cache("small", SHARING.maxBytes(40_000));
    for (int key = 0; key < 1_000; key++) {
      cache.put(key, new byte[100]);
    }
    assertThat(bytesOf(cache)).isBetween(30_000L, 40_000L);
  }

  @Test
  void cacheMayRefuseWritesBeyondTheBudget() {
    Cache<Integer, byte[]> cache =
        single.node.cache("refusing", SHARING.segments(1).whenFull(WhenFull.REFUSE));
    assertThatExceptionOfType(CacheFullException.class)
        .isThrownBy(() -> fill(cache))
        .withMessageContainingAll("of the 400000", "memoryBudget");
  }

  @Test
  void budgetOfAnotherSizeIsRefusedWithBoth() {
    var _ = single.node.cache("first", SHARING);
    CacheConfig other = SHARING.memoryBudget(MemoryBudget.ofBytes(BUDGET.name(), BUDGET_BYTES + 1));
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> single.node.cache("second", other))
        .withMessageContainingAll("\"shared\"", "400000", "\"first\"", "400001", "\"second\"");
    assertThat(single.node.cacheNames()).containsExactly("first");
    var _ =
        single.node.cache("third", SHARING.memoryBudget(MemoryBudget.ofBytes("own", 1_000_000)));
  }

  @Test
  void budgetMustLeaveSomethingToEachSegmentOfAllCaches() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> single.node.cache("wide", SHARING.segments(4_096)))
        .withMessageContainingAll("memory budget \"shared\" 400000", "4096 segments");
    var _ = single.node.cache("first", SHARING.segments(256));
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> single.node.cache("second", SHARING.segments(256)))
        .withMessageContainingAll("400000", "512 segments", "\"second\"");
  }

  @Test
  void budgetIsNamedAndHasAnEnd() {
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryBudget.ofBytes(" ", 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemoryBudget.ofBytes("x", 0))
        .withMessageContainingAll("\"x\"", "0 bytes");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemoryBudget.ofBytes("x", CacheConfig.UNBOUNDED));
    assertThat(CacheConfig.distributed().memoryBudget(BUDGET).toString()).contains("shared");
  }
}
