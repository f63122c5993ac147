package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Cursor;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.store.HandStore;
import io.cantle.core.transport.HandNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much of the disk a scan reads, and for how long. */
final class SlowScanTest {
  private static final int KEYS = 1_000;

  private final HandStore disk = new HandStore();
  private HandReplica a = new HandReplica("none");

  @BeforeEach
  void fill() {
    disk.memoryBytes = 1_000;
    a = new HandReplica(HandNetwork.member("a"), disk);
    open(ownership(1, a), a);
    for (int i = 0; i < KEYS; i++) {
      a.written("k" + i, "v".repeat(20));
    }
    for (int i = 0; i < 10; i++) {
      disk.flush();
      a.clock.advance(1);
    }
    assertThat(a.contents()).allMatch(text -> text.endsWith("on disk"));
  }

  @Test
  void littleIsReadForWhoWantsLittle() {
    for (int wanted : new int[] {1, 20, 100}) {
      disk.reads = 0;
      int[] seen = new int[1];
      a.replica
          .values()
          .scan(
              Cursor.START,
              entry -> true,
              entry -> ++seen[0] == wanted ? Visit.STOP_AFTER : Visit.NEXT);
      assertThat(seen[0]).isEqualTo(wanted);
      assertThat(disk.reads).as("for " + wanted).isLessThanOrEqualTo(3 * wanted + 16);
    }
  }

  @Test
  void whatIsNotWantedIsNotRead() {
    List<Long> seen = new ArrayList<>();
    a.replica
        .values()
        .scan(
            Cursor.START,
            entry -> entry.index() % 100 == 0,
            entry -> {
              assertThat(entry.isEvicted()).isEqualTo(entry.index() % 100 != 0);
              seen.add(entry.index());
              return Visit.NEXT;
            });
    assertThat(seen).hasSize(KEYS).doesNotHaveDuplicates();
    assertThat(disk.reads).isEqualTo(KEYS / 100);
  }

  @Test
  void aSlowDiskIsReadForAWhileOnlyAndThenFromThereOn() {
    disk.slowReads = new ArrayList<>();
    int[] seen = new int[1];
    int scans = 0;
    Cursor at = Cursor.START;
    for (; !at.equals(Cursor.END); scans++) {
      for (int i = 0; i < 20; i++) {
        a.clock.whileParked.add(this::answerSlowly);
      }
      long begin = a.clock.nanoTime();
      at =
          a.replica
              .values()
              .scan(
                  at,
                  entry -> true,
                  entry -> {
                    seen[0]++;
                    return Visit.NEXT;
                  });
      a.clock.whileParked.clear();
      assertThat(a.clock.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(1));
    }
    assertThat(seen[0]).isEqualTo(KEYS);
    assertThat(scans).isGreaterThan(1);
  }

  private void answerSlowly() {
    a.clock.advance(TimeUnit.MILLISECONDS.toNanos(300));
    List<Runnable> due = List.copyOf(Objects.requireNonNull(disk.slowReads));
    Objects.requireNonNull(disk.slowReads).clear();
    due.forEach(Runnable::run);
  }
}
