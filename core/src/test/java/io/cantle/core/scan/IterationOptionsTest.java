package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CallTimeoutException;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.FunctionException;
import io.cantle.core.base.Input;
import io.cantle.core.call.CallPace;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.PullRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the settings of a scan affect an iteration, and what an iteration leaves behind. */
final class IterationOptionsTest {
  private final ScanFixture rig = new ScanFixture(8).filled(1_000, 3);

  private CloseableIterator<String> keys(ScanOptions options) {
    return rig.scanner.iterate(
        new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, options), ScanFixture::key);
  }

  private CloseableIterator<String> transformed(ScanOptions options) {
    return rig.scanner.iterate(
        new PullClient.ScanSpec(PullRequest.EntryPart.KEY, ScanFixture.task(), options),
        ScanFixture::key);
  }

  private static List<String> drained(CloseableIterator<String> iterator) {
    List<String> all = new ArrayList<>();
    iterator.forEachRemaining(all::add);
    return all;
  }

  @Test
  void everyElementComesOnce() {
    assertThat(drained(keys(ScanOptions.ALL))).containsExactlyInAnyOrderElementsOf(rig.keys());
    rig.assertNothingLeft();
  }

  @Test
  void prefetchesWhileOtherAnswersAreBuffered() {
    CloseableIterator<String> all = keys(ScanOptions.ALL.batch(40));
    for (int i = 0; i < 40; i++) {
      all.next();
    }
    assertThat(rig.sent).as("for the first batch").hasSize(4);
    for (int i = 0; i < 12; i++) {
      all.next();
    }
    assertThat(rig.sent).as("when an answer of the next was used up").hasSize(9);
    while (all.hasNext()) {
      all.next();
      assertThat(rig.metrics.figures().elementsWaiting()).isLessThanOrEqualTo(40);
    }
    assertThat(rig.metrics.figures().mostElementsWaiting()).isLessThanOrEqualTo(40);
    rig.assertNothingLeft();
  }

  @Test
  void continuesAtOnceAfterAnAnswerWithoutElements() {
    ScanFixture slow = new ScanFixture(1).filled(20, 3);
    slow.taskInterpreter =
        new ScanFixture.Counting() {
          @Override
          public Transformation readTransformation(byte[] task) {
            return (out, scan) ->
                scan.accept(
                    entry -> {
                      slow.clock.advance(TimeSlice.MAX_SLICE_NANOS);
                      return 0;
                    });
          }
        };
    long began = slow.clock.nanoTime();
    assertThat(
            drained(
                slow.scanner.iterate(
                    new PullClient.ScanSpec(
                        PullRequest.EntryPart.KEY, ScanFixture.task(), ScanOptions.ALL),
                    ScanFixture::key)))
        .isEmpty();
    assertThat(slow.clock.nanoTime() - began).isEqualTo(20 * TimeSlice.MAX_SLICE_NANOS);
    slow.assertNothingLeft();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 100, 4_096})
  void buffersNoMoreThanTheBatch(int batch) {
    assertThat(drained(keys(ScanOptions.ALL.batch(batch)))).hasSize(1_000).doesNotHaveDuplicates();
    assertThat(rig.metrics.figures().mostElementsWaiting()).isBetween(1L, (long) batch);
    assertThat(rig.metrics.figures().mostPullsOpen()).isLessThanOrEqualTo(Math.min(4, batch));
    rig.assertNothingLeft();
  }

  @Test
  void buffersNoMoreThanTheBudgetForLargeValues() {
    ScanFixture big = new ScanFixture(8).filled(100, 100_000);
    try (CloseableIterator<Integer> values =
        big.scanner.iterate(
            new PullClient.ScanSpec(PullRequest.EntryPart.VALUE, null, ScanOptions.ALL),
            in -> in.readBlob().length)) {
      int count = 0;
      for (; values.hasNext(); values.next()) {
        count++;
        assertThat(big.metrics.figures().bytesWaiting())
            .isLessThanOrEqualTo(PullClient.BUDGET_BYTES);
      }
      assertThat(count).isEqualTo(100);
    }
    assertThat(big.metrics.figures().mostBytesWaiting())
        .isBetween(300_000L, (long) PullClient.BUDGET_BYTES);
    big.assertNothingLeft();
  }

  private static List<Integer> lengths(ScanFixture big) {
    List<Integer> lengths = new ArrayList<>();
    big.scanner
        .iterate(
            new PullClient.ScanSpec(PullRequest.EntryPart.VALUE, null, ScanOptions.ALL),
            in -> in.readBlob().length)
        .forEachRemaining(lengths::add);
    big.assertNothingLeft();
    return lengths;
  }

  @ParameterizedTest
  @ValueSource(ints = {200_000, 262_000, 262_144, 300_000, 520_000, 900_000, 1_048_000})
  void budgetHoldsFromTheFirstPullForLongValues(int length) {
    ScanFixture big = new ScanFixture(8).filled(24, length);
    assertThat(lengths(big)).hasSize(24).containsOnly(length);
    assertThat(big.metrics.figures().mostBytesWaiting())
        .isBetween((long) length, (long) PullClient.BUDGET_BYTES);
    // Values of one length are refused only while that length is not known yet.
    assertThat(big.sent).hasSizeLessThan(24 + 16);
  }

  @Test
  void valueLongerThanTheBudgetIsBufferedAlone() {
    ScanFixture big = new ScanFixture(8).filled(6, 5_000_000).filled(200, 10);
    big.write("a", 7_000_000);
    assertThat(lengths(big)).hasSize(201).contains(7_000_000);
    assertThat(big.metrics.figures().mostBytesWaiting()).isBetween(7_000_000L, 7_001_000L);
  }

  @Test
  void parallelPullsRecoverAfterALongValue() {
    ScanFixture big = new ScanFixture(8).filled(2_000, 10_000);
    big.keys().stream()
        .filter(key -> big.segmentOf.getOrDefault(key, -1) == 0)
        .findFirst()
        .ifPresent(key -> big.write(key, 2_000_000));
    try (CloseableIterator<Integer> values =
        big.scanner.iterate(
            new PullClient.ScanSpec(PullRequest.EntryPart.VALUE, null, ScanOptions.ALL),
            in -> in.readBlob().length)) {
      int before = 0;
      while (values.next() < 2_000_000) {
        before++;
      }
      assertThat(before).isLessThan(1_000);
      for (int i = 0; i < 500; i++) {
        values.next();
      }
      long full = 0;
      for (int i = 0; i < 100; i++) {
        values.next();
        full = Math.max(full, big.metrics.figures().bytesWaiting());
      }
      assertThat(full).isGreaterThan(PullClient.BUDGET_BYTES / 2);
    }
  }

  /**
   * A long entry reduces the number of pulls. After it there are many again while it waits to be
   * read.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void budgetHoldsWhenLengthsChange(int seed) {
    ScanFixture mixed = new ScanFixture(8);
    Random random = new Random(seed);
    for (int i = 0; i < 600; i++) {
      mixed.write("k" + i, random.nextInt(25) == 0 ? 300_000 : 9_000);
    }
    CloseableIterator<String> all =
        mixed.scanner.iterate(
            new PullClient.ScanSpec(PullRequest.EntryPart.ENTRY, null, ScanOptions.ALL),
            in -> {
              String key = ScanFixture.key(in);
              in.readBlob();
              return key;
            });
    assertThat(drained(all)).containsExactlyInAnyOrderElementsOf(mixed.keys());
    assertThat(mixed.metrics.figures().mostBytesWaiting())
        .isBetween(PullClient.BUDGET_BYTES / 2L, (long) PullClient.BUDGET_BYTES);
    mixed.assertNothingLeft();
  }

  @Test
  void derivedElementsRespectTheBudget() {
    ScanFixture big = new ScanFixture(8).filled(40, 3);
    int[] made = new int[1];
    big.taskInterpreter =
        new ScanFixture.Counting() {
          @Override
          public Transformation readTransformation(byte[] task) {
            return (out, scan) ->
                scan.accept(
                    entry -> {
                      made[0]++;
                      out.writeVarint(240_000);
                      out.write(new byte[240_000], 0, 240_000);
                      return 1;
                    });
          }
        };
    List<Integer> read = new ArrayList<>();
    try (CloseableIterator<Integer> all =
        big.scanner.iterate(
            new PullClient.ScanSpec(
                PullRequest.EntryPart.VALUE, ScanFixture.task(), ScanOptions.ALL),
            in -> in.readBytes((int) in.readVarint()).length)) {
      all.forEachRemaining(read::add);
    }
    assertThat(read).hasSize(40);
    assertThat(made[0]).as("as often as there are entries").isEqualTo(40);
    assertThat(big.metrics.figures().mostBytesWaiting())
        .isLessThanOrEqualTo(PullClient.BUDGET_BYTES);
  }

  @Test
  void unreadAnswersCountAsBuffered() {
    rig.startsAtOnce = false;
    CloseableIterator<String> all = keys(ScanOptions.ALL.batch(400));
    rig.clock.whileParked.add(() -> rig.started.removeFirst().run());
    all.next();
    assertThat(rig.metrics.figures().pullsOpen()).isEqualTo(3);
    assertThat(rig.metrics.figures().elementsWaiting()).isEqualTo(100);
    while (!rig.started.isEmpty()) {
      rig.started.removeFirst().run();
    }
    assertThat(rig.metrics.figures().pullsOpen()).isZero();
    assertThat(rig.metrics.figures().elementsWaiting()).isEqualTo(400);
    assertThat(rig.metrics.figures().bytesWaiting()).isGreaterThan(400);
    rig.startsAtOnce = true;
    assertThat(drained(all)).hasSize(999);
    assertThat(rig.metrics.figures().mostElementsWaiting()).isEqualTo(400);
    rig.assertNothingLeft();
  }

  @Test
  @SuppressWarnings("MustBeClosedChecker")
  void lateAnswerOfAClosedIterationIsNotCounted() {
    rig.startsAtOnce = false;
    CloseableIterator<String> all = keys(ScanOptions.ALL);
    rig.clock.whileParked.add(() -> rig.started.removeFirst().run());
    all.next();
    all.close();
    rig.startsAtOnce = true;
    while (!rig.started.isEmpty()) {
      rig.started.removeFirst().run();
    }
    rig.assertNothingLeft();
  }

  @Test
  void segmentCompletesAfterItsElementsAreDelivered() {
    List<String> handedOut = new ArrayList<>();
    List<Integer> completed = new ArrayList<>();
    ScanOptions options =
        ScanOptions.ALL
            .batch(64)
            .listener(
                segment -> {
                  completed.add(segment);
                  List<String> its =
                      rig.keys().stream()
                          .filter(key -> rig.segmentOf.getOrDefault(key, -1) == segment)
                          .toList();
                  assertThat(handedOut).containsAll(its);
                });
    CloseableIterator<String> all = keys(options);
    while (all.hasNext()) {
      handedOut.add(all.next());
    }
    assertThat(completed).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    completed.clear();
    handedOut.clear();
    CloseableIterator<String> first = keys(options.batch(4));
    first.next();
    first.close();
    assertThat(completed).isEmpty();
  }

  @Test
  void emptySegmentsCompleteAndUnrequestedOnesDoNot() {
    ScanFixture sparse = new ScanFixture(8);
    sparse.write("only", 1);
    List<Integer> completed = new ArrayList<>();
    ScanOptions options = ScanOptions.ALL.listener(completed::add);
    for (boolean made : new boolean[] {false, true}) {
      completed.clear();
      byte[] task = made ? ScanFixture.task() : null;
      assertThat(
              drained(
                  sparse.scanner.iterate(
                      new PullClient.ScanSpec(PullRequest.EntryPart.KEY, task, options),
                      ScanFixture::key)))
          .containsExactly("only");
      assertThat(completed).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    }
    completed.clear();
    ScanOptions none = options.keys(List.of());
    assertThat(
            drained(
                sparse.scanner.iterate(
                    new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, none),
                    ScanFixture::key)))
        .isEmpty();
    assertThat(completed).isEmpty();
  }

  private List<String> moving(ScanOptions options, List<Integer> completed) {
    int[] seen = new int[1];
    rig.counting(
        entry -> {
          if (++seen[0] == 400) {
            rig.move();
          }
        });
    return drained(transformed(options.listener(completed::add)));
  }

  @Test
  void exactlyOnceWhileSegmentsMove() {
    List<Integer> completed = new ArrayList<>();
    assertThat(moving(ScanOptions.ALL, completed)).containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(completed).hasSize(8).doesNotHaveDuplicates();
    rig.assertNothingLeft();
  }

  @Test
  void atLeastOnceWhileSegmentsMove() {
    List<Integer> completed = new ArrayList<>();
    List<String> found = moving(ScanOptions.ALL.delivery(Delivery.AT_LEAST_ONCE), completed);
    assertThat(found).hasSizeGreaterThan(1_000);
    assertThat(new HashSet<>(found)).containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(completed).hasSize(8).doesNotHaveDuplicates();
  }

  @Test
  void atMostOnceWhileSegmentsMove() {
    List<Integer> completed = new ArrayList<>();
    List<String> found = moving(ScanOptions.ALL.delivery(Delivery.AT_MOST_ONCE), completed);
    assertThat(found).doesNotHaveDuplicates().hasSizeLessThan(1_000);
    assertThat(completed).hasSize(7);
    rig.assertNothingLeft();
  }

  @Test
  void slowFunctionDoesNotStallThePull() {
    rig.counting(entry -> rig.clock.advance(TimeUnit.MILLISECONDS.toNanos(40)));
    assertThat(drained(transformed(ScanOptions.ALL)))
        .containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(rig.sent).doesNotContain(MessageKind.CANCEL).hasSizeGreaterThan(20);
  }

  @Test
  void functionExceptionEndsTheIterationWithItsCause() {
    int[] seen = new int[1];
    rig.counting(
        entry -> {
          if (++seen[0] == 400) {
            throw new ArithmeticException("a user's mistake");
          }
        });
    CloseableIterator<String> all = transformed(ScanOptions.ALL.batch(256));
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(() -> drained(all))
        .withCauseInstanceOf(ArithmeticException.class)
        .satisfies(e -> assertThat(e.nodeName()).isEqualTo("self"));
    assertThat(all.hasNext()).isFalse();
    rig.assertNothingLeft();
  }

  @Test
  void ownTimeoutAppliesAndOwnersAreCancelled() {
    rig.startsAtOnce = false;
    CloseableIterator<String> all = keys(ScanOptions.ALL.timeoutNanos(TimeUnit.SECONDS.toNanos(1)));
    long began = rig.clock.nanoTime();
    assertThatExceptionOfType(CallTimeoutException.class).isThrownBy(all::hasNext);
    assertThat(rig.clock.nanoTime() - began).isEqualTo(TimeUnit.SECONDS.toNanos(1));
    assertThat(rig.sent).contains(MessageKind.CANCEL);
    rig.startsAtOnce = true;
    while (!rig.started.isEmpty()) {
      rig.started.removeFirst().run();
    }
    rig.assertNothingLeft();
  }

  @Test
  void unansweredPullIsResentUnderItsNumber() {
    rig.startsAtOnce = false;
    CloseableIterator<String> all = keys(ScanOptions.ALL);
    rig.clock.whileParked.add(() -> rig.clock.advance(CallPace.SCAN.answerNanos()));
    rig.clock.whileParked.add(
        () -> {
          rig.startsAtOnce = true;
          // Each request runs once at the owner, although it was sent twice.
          assertThat(rig.started).hasSize((int) rig.metrics.figures().running());
          while (!rig.started.isEmpty()) {
            rig.started.removeFirst().run();
          }
        });
    assertThat(drained(all)).containsExactlyInAnyOrderElementsOf(rig.keys());
    rig.assertNothingLeft();
  }

  @Test
  void slowPullsLoseNothingAtMostOnce() {
    rig.startsAtOnce = false;
    CloseableIterator<String> all = keys(ScanOptions.ALL.delivery(Delivery.AT_MOST_ONCE));
    rig.clock.whileParked.add(() -> rig.clock.advance(2 * CallPace.SCAN.answerNanos()));
    rig.clock.whileParked.add(
        () -> {
          rig.startsAtOnce = true;
          while (!rig.started.isEmpty()) {
            rig.started.removeFirst().run();
          }
        });
    assertThat(drained(all)).containsExactlyInAnyOrderElementsOf(rig.keys());
    rig.assertNothingLeft();
  }

  @Test
  @SuppressWarnings("MustBeClosedChecker")
  void tenThousandAbandonedIterationsLeakNothing() {
    for (int i = 0; i < 10_000; i++) {
      keys(ScanOptions.ALL.batch(4)).next();
    }
    assertThat(rig.messaging.pendingCount()).isZero();
    assertThat(rig.metrics.figures().running()).isZero();
    assertThat(rig.sent).doesNotContain(MessageKind.CANCEL);
  }

  @Test
  void closeIsIdempotent() {
    CloseableIterator<String> all = keys(ScanOptions.ALL);
    all.next();
    all.close();
    all.close();
    assertThat(all.hasNext()).isFalse();
    rig.assertNothingLeft();
  }

  @Test
  void unreadableElementIsReadAgain() {
    int[] reads = new int[1];
    CloseableIterator<String> all =
        rig.scanner.iterate(
            new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, ScanOptions.ALL),
            (Input in) -> {
              String key = ScanFixture.key(in);
              if (++reads[0] == 10) {
                throw new IllegalStateException("not this time");
              }
              return key;
            });
    List<String> found = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      found.add(all.next());
    }
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(all::next);
    found.addAll(drained(all));
    assertThat(found).containsExactlyInAnyOrderElementsOf(rig.keys());
  }
}
