package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.transport.ManualNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how much of the disk a scan reads, and for how long. */
final class SlowDiskScanTest {
  private static final int KEY_COUNT = 1_000;

  private final ManualNodeStore disk = new ManualNodeStore();
  private ManualReplica a = new ManualReplica("none");

  @BeforeEach
  void fill() {
    disk.maxMemoryBytes = 1_000;
    a = new ManualReplica(ManualNetwork.member("a"), disk);
    open(ownership(1, a), a);
    for (int i = 0; i < KEY_COUNT; i++) {
      a.written("k" + i, "v".repeat(20));
    }
    for (int i = 0; i < 10; i++) {
      disk.flushPending();
      a.clock.advance(1);
    }
    assertThat(a.contents()).allMatch(text -> text.endsWith("on disk"));
  }

  @Test
  void shortScanReadsLittle() {
    for (int wanted : new int[] {1, 20, 100}) {
      disk.readCount = 0;
      int[] seen = new int[1];
      a.replica
          .valueResidency()
          .scan(
              SegmentCursor.START,
              entry -> true,
              entry -> ++seen[0] == wanted ? VisitResult.STOP_AFTER : VisitResult.CONTINUE);
      assertThat(seen[0]).isEqualTo(wanted);
      assertThat(disk.readCount).as("for " + wanted).isLessThanOrEqualTo(3 * wanted + 16);
    }
  }

  @Test
  void scanReadsOnlyWantedValues() {
    List<Long> seen = new ArrayList<>();
    a.replica
        .valueResidency()
        .scan(
            SegmentCursor.START,
            entry -> entry.index() % 100 == 0,
            entry -> {
              assertThat(entry.isEvicted()).isEqualTo(entry.index() % 100 != 0);
              seen.add(entry.index());
              return VisitResult.CONTINUE;
            });
    assertThat(seen).hasSize(KEY_COUNT).doesNotHaveDuplicates();
    assertThat(disk.readCount).isEqualTo(KEY_COUNT / 100);
  }

  @Test
  void scanOfASlowDiskStopsAndResumesAtItsCursor() {
    disk.slowReads = new ArrayList<>();
    int[] seen = new int[1];
    int scans = 0;
    SegmentCursor at = SegmentCursor.START;
    for (; !at.equals(SegmentCursor.END); scans++) {
      for (int i = 0; i < 20; i++) {
        a.clock.whileParked.add(this::answerSlowly);
      }
      long begin = a.clock.nanoTime();
      at =
          a.replica
              .valueResidency()
              .scan(
                  at,
                  entry -> true,
                  entry -> {
                    seen[0]++;
                    return VisitResult.CONTINUE;
                  });
      a.clock.whileParked.clear();
      assertThat(a.clock.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(1));
    }
    assertThat(seen[0]).isEqualTo(KEY_COUNT);
    assertThat(scans).isGreaterThan(1);
  }

  private void answerSlowly() {
    a.clock.advance(TimeUnit.MILLISECONDS.toNanos(300));
    List<Runnable> due = List.copyOf(Objects.requireNonNull(disk.slowReads));
    Objects.requireNonNull(disk.slowReads).clear();
    due.forEach(Runnable::run);
  }
}
