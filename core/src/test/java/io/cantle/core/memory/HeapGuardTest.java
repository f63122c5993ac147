package io.cantle.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests when a heap of 64,000 bytes counts as full: beyond 56,000. */
final class HeapGuardTest {
  private final ManualHeapGauge gauge = new ManualHeapGauge(64_000);
  private final HeapGuard guard = new HeapGuard(gauge);

  private void collect(long usedBytes, boolean isComplete) {
    gauge.collect(usedBytes, isComplete);
    guard.poll();
  }

  @Test
  void entriesCountBeforeAnyCollection() {
    guard.onEntriesChange(50_000);
    assertThat(guard.hasRoom(6_000)).isTrue();
    assertThat(guard.hasRoom(6_001)).isFalse();
    assertThat(guard.isFull()).isFalse();
    guard.onEntriesChange(7_000);
    assertThat(guard.isFull()).isTrue();
    assertThat(guard.hasRoom(1)).isFalse();
  }

  @Test
  void whatACollectionLeavesBesideEntriesCounts() {
    guard.onEntriesChange(10_000);
    guard.poll();
    collect(40_000, true);
    assertThat(guard.usedBytes()).isEqualTo(40_000);
    guard.onEntriesChange(20_000);
    assertThat(guard.usedBytes()).isEqualTo(60_000);
    assertThat(guard.isFull()).isTrue();
  }

  @Test
  void leastOfTheLastCollectionsCountsSinceOthersLeaveGarbage() {
    collect(20_000, false);
    for (int i = 0; i < 7; i++) {
      collect(60_000, false);
      assertThat(guard.isFull()).as("after %s", i).isFalse();
    }
    collect(60_000, false);
    assertThat(guard.isFull()).as("the program has grown").isTrue();
  }

  @Test
  void completeCollectionOverridesEarlierOnes() {
    collect(20_000, false);
    collect(60_000, true);
    assertThat(guard.isFull()).isTrue();
    collect(10_000, true);
    assertThat(guard.isFull()).isFalse();
  }

  @Test
  void removedEntriesMakeRoomBeforeTheyAreCollected() {
    guard.onEntriesChange(50_000);
    guard.poll();
    collect(58_000, true);
    assertThat(guard.isFull()).isTrue();
    guard.onEntriesChange(-2_500);
    assertThat(guard.isFull()).as("a little more must be free").isTrue();
    guard.onEntriesChange(-600);
    assertThat(guard.isFull()).isFalse();
    assertThat(guard.hasRoom(1_100)).isTrue();
    assertThat(guard.hasRoom(1_101)).isFalse();
  }

  @Test
  void reservationsCountAndAreNotCountedTwice() {
    WorkMemory memory = new WorkMemory(1 << 20);
    MemoryAccount account = memory.account(MemoryUse.TRANSFERS);
    account.reserve(10_000);
    guard.addReservations(memory);
    guard.poll();
    collect(30_000, true);
    assertThat(guard.usedBytes()).isEqualTo(30_000);
    account.release(10_000);
    guard.poll();
    assertThat(guard.usedBytes()).isEqualTo(20_000);
  }

  @Test
  void listenersHearOfEachChange() {
    List<Boolean> heard = new ArrayList<>();
    guard.addListener(() -> heard.add(guard.isFull()));
    guard.onEntriesChange(57_000);
    guard.onEntriesChange(1_000);
    guard.onEntriesChange(-10_000);
    assertThat(heard).containsExactly(true, false);
  }

  @Test
  void heapWithoutALimitIsNeverFull() {
    HeapGuard.UNLIMITED.poll();
    assertThat(HeapGuard.UNLIMITED.hasRoom(1L << 50)).isTrue();
    assertThat(HeapGuard.UNLIMITED.isLimited()).isFalse();
  }
}
