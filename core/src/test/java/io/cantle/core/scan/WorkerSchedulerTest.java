package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.ManualClock;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.transport.ManualNetwork;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the order in which streams are served. */
final class WorkerSchedulerTest {
  private final ManualClock clock = new ManualClock();
  private final ArrayDeque<Runnable> workers = new ArrayDeque<>();
  private final ArrayDeque<Runnable> threads = new ArrayDeque<>();
  private final WorkerScheduler scheduler =
      new WorkerScheduler(TestEnvironment.of(clock, threads::add, workers::add, new Random(1), 2));
  private final List<String> done = new ArrayList<>();

  private static WorkerScheduler.ScanKey stream(int number) {
    return new WorkerScheduler.ScanKey(ManualNetwork.member("asker"), number);
  }

  /** Submits this many tasks of a stream, and runs the next step while it waits. */
  private void run(int stream, int count, Runnable meanwhile) throws InterruptedException {
    clock.whileParked.add(meanwhile);
    scheduler.runAll(
        stream(stream), false, Collections.nCopies(count, () -> done.add("s" + stream)));
  }

  private void runUnchecked(int stream, int count, Runnable meanwhile) {
    try {
      run(stream, count, meanwhile);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void work() {
    while (!workers.isEmpty()) {
      workers.remove().run();
    }
  }

  @Test
  void scansShareWorkersFairly() throws InterruptedException {
    run(1, 4, () -> runUnchecked(2, 1, () -> runUnchecked(3, 2, this::work)));
    assertThat(done).containsExactly("s1", "s2", "s3", "s1", "s3", "s1", "s1");
    assertThat(threads).isEmpty();
  }

  @Test
  void timeSlicesShrinkWithTheQueue() throws InterruptedException {
    assertThat(scheduler.sliceNanos()).isEqualTo(TimeSlice.MAX_SLICE_NANOS);
    List<Long> lengths = new ArrayList<>();
    clock.whileParked.add(this::work);
    scheduler.runAll(
        stream(1), false, Collections.nCopies(1_000, () -> lengths.add(scheduler.sliceNanos())));
    assertThat(lengths).isSorted().hasSize(1_000);
    assertThat(lengths.getFirst()).isEqualTo(TimeSlice.MAX_SLICE_NANOS / 64);
    assertThat(lengths.getLast()).isEqualTo(TimeSlice.MAX_SLICE_NANOS);
  }

  @Test
  void blockingTasksRunOnTheirOwnThreads() throws InterruptedException {
    clock.whileParked.add(() -> threads.remove().run());
    scheduler.runAll(stream(1), true, List.of(() -> done.add("apart")));
    assertThat(done).containsExactly("apart");
    assertThat(workers).isEmpty();
  }

  @Test
  void exceptionIsRethrownAfterAllTasksEnd() {
    clock.whileParked.add(this::work);
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                scheduler.runAll(
                    stream(1),
                    false,
                    List.of(
                        () -> {
                          throw new IllegalStateException("mine");
                        },
                        () -> done.add("after"))))
        .withMessage("mine");
    assertThat(done).containsExactly("after");
  }
}
