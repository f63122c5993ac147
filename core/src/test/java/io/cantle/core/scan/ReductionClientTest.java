package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CallTimeoutException;
import io.cantle.Delivery;
import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.core.base.Input;
import io.cantle.core.call.CallPace;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.ResponseHandler;
import io.cantle.core.wire.ReduceRequest;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.ScanTarget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Tests reductions, whose partial results are requested until everything is counted. A reduction
 * that does not end fails the test.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class ReductionClientTest {
  private final ScanFixture rig = new ScanFixture(8).filled(1_000, 3);

  private long reduce(ScanOptions options) {
    long[] total = new long[1];
    rig.scanner.reduce(
        ScanFixture.task(),
        options,
        partial -> {
          total[0] += partial.readVarint();
          return true;
        });
    rig.assertNothingLeft();
    return total[0];
  }

  @Test
  void everythingIsCountedOnce() {
    assertThat(reduce(ScanOptions.ALL)).isEqualTo(1_000);
    assertThat(rig.sent).containsExactly(MessageKind.REDUCE);
  }

  @Test
  void longReductionContinuesWithoutRepeatingWork() {
    List<String> seen = new ArrayList<>();
    rig.counting(
        entry -> {
          seen.add(ScanFixture.key(entry));
          rig.clock.advance(TimeUnit.MILLISECONDS.toNanos(40));
        });
    // Forty seconds of work: four times as long as the scan may go without progress.
    assertThat(reduce(ScanOptions.ALL)).isEqualTo(1_000);
    assertThat(seen).hasSize(1_000).doesNotHaveDuplicates();
    assertThat(rig.sent.size()).isBetween(20, 80);
  }

  @Test
  void ownersMayUseSeveralThreads() {
    ScanFixture.Counting counting = rig.counting(entry -> {});
    List<Long> partials = new ArrayList<>();
    rig.scanner.reduce(
        ScanFixture.task(),
        ScanOptions.ALL.parallel(true),
        partial -> partials.add(partial.readVarint()));
    assertThat(partials).hasSize(2);
    assertThat(counting.reductions).isEqualTo(2);
    assertThat(partials.stream().mapToLong(Long::longValue).sum()).isEqualTo(1_000);
  }

  /** Writes this many bytes for each entry, which it counts; records how long each result was. */
  private List<Integer> writing(int bytes) {
    List<Integer> lengths = new ArrayList<>();
    rig.taskInterpreter =
        new ScanFixture.Counting() {
          @Override
          public Reduction readReduction(byte[] task) {
            return (entries, out) -> {
              List<String> keys = new ArrayList<>();
              entries.forEachRemaining(entry -> keys.add(ScanFixture.key(entry)));
              out.writeVarint(keys.size());
              for (String key : keys) {
                out.writeString(key);
                out.writeBlob(new byte[bytes]);
              }
              lengths.add(out.position());
            };
          }
        };
    return lengths;
  }

  @Test
  void oversizedResultIsRecomputedFromFewerEntries() {
    ScanFixture few = new ScanFixture(8).filled(90, 3);
    for (boolean parallel : new boolean[] {false, true}) {
      rig.taskInterpreter = few.taskInterpreter;
      List<Integer> lengths = writing(1 << 20);
      few.taskInterpreter = rig.taskInterpreter;
      List<String> seen = new ArrayList<>();
      List<Integer> completed = new ArrayList<>();
      few.scanner.reduce(
          ScanFixture.task(),
          ScanOptions.ALL.parallel(parallel).listener(completed::add),
          partial -> {
            for (long count = partial.readVarint(); count > 0; count--) {
              seen.add(ScanFixture.key(partial));
              partial.readBlob();
            }
            return true;
          });
      assertThat(seen).containsExactlyInAnyOrderElementsOf(few.keys());
      assertThat(completed).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
      assertThat(lengths).allMatch(length -> length <= ReductionServer.MAX_RESULT_BYTES + 64);
      few.assertNothingLeft();
    }
  }

  /** Writes this many bytes for each entry and reports them as made. */
  private static ScanFixture.Counting making(ToIntFunction<String> bytes, Predicate<String> again) {
    return new ScanFixture.Counting() {
      @Override
      public Reduction readReduction(byte[] task) {
        return (entries, out) -> {
          while (entries.hasNext()) {
            String key = ScanFixture.key(entries.next());
            assertThat(again.test(key)).as("it comes to an end").isTrue();
            int made = bytes.applyAsInt(key);
            entries.addMadeBytes(made);
            out.writeString(key);
            out.writeBlob(new byte[made]);
          }
        };
      }
    };
  }

  @Test
  void lastEntryIsLeftOutWhenTheResultWouldBeTooLong() {
    ScanFixture few = new ScanFixture(1).filled(2, 3);
    List<String> order = new ArrayList<>();
    few.taskInterpreter = making(key -> 1, order::add);
    few.scanner.reduce(ScanFixture.task(), ScanOptions.ALL, partial -> true);
    Map<String, Integer> times = new HashMap<>();
    few.taskInterpreter =
        making(
            key -> (key.equals(order.getFirst()) ? 10 : 55) << 20,
            key -> times.merge(key, 1, Integer::sum) < 100);
    List<String> seen = new ArrayList<>();
    few.scanner.reduce(
        ScanFixture.task(),
        ScanOptions.ALL,
        partial -> {
          while (partial.remaining() > 0) {
            seen.add(partial.readString());
            partial.readBlob();
          }
          return true;
        });
    assertThat(seen).containsExactlyElementsOf(order);
    few.assertNothingLeft();
  }

  @Test
  void longerAnswersAreMadeOfFewerEntries() {
    ScanFixture longOnes = new ScanFixture(8).filled(80, 1 << 20);
    List<Integer> lengths = writing(1 << 20);
    longOnes.taskInterpreter = rig.taskInterpreter;
    longOnes.scanner.reduce(ScanFixture.task(), ScanOptions.ALL, partial -> true);
    // At first 32 MiB of entries, then half as many until an answer is short enough.
    assertThat(lengths.getFirst()).isBetween(20 << 20, 33 << 20);
    assertThat(lengths.getLast()).isLessThan(17 << 20);
  }

  @Test
  void oversizedResultOfOneEntryIsReportedAsSuch() {
    writing(ReductionServer.MAX_RESULT_BYTES);
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> reduce(ScanOptions.ALL))
        .isNotInstanceOf(FunctionException.class)
        .withMessageContaining("node self")
        .withMessageContaining("67108864 bytes")
        .withMessageContaining("map an entry to what is needed");
    rig.assertNothingLeft();
  }

  @Test
  void endsWhenNoMoreResultsAreNeeded() {
    rig.counting(entry -> rig.clock.advance(TimeUnit.MILLISECONDS.toNanos(40)));
    int[] partials = new int[1];
    rig.scanner.reduce(ScanFixture.task(), ScanOptions.ALL, partial -> ++partials[0] < 2);
    assertThat(partials[0]).isEqualTo(2);
    assertThat(rig.sent).containsExactly(MessageKind.REDUCE, MessageKind.REDUCE);
    rig.assertNothingLeft();
  }

  @Test
  void onlyRequestedSegmentsAreReduced() {
    SegmentSet some = SegmentSet.of(1, 5);
    long expected = rig.segmentOf.values().stream().filter(some::contains).count();
    assertThat(reduce(ScanOptions.ALL.segments(some))).isEqualTo(expected);
    assertThat(rig.scanner.count(ScanOptions.ALL.segments(some))).isEqualTo(expected);
  }

  @Test
  void onlyRequestedKeysAreSeenAcrossTimeSlices() {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 300; i += 3) {
      keys.add(ScanFixture.bytes("k" + i));
      keys.add(ScanFixture.bytes("absent" + i));
      keys.add(ScanFixture.bytes("k" + i));
    }
    List<String> seen = new ArrayList<>();
    rig.counting(
        entry -> {
          seen.add(ScanFixture.key(entry));
          assertThat(seen.size()).isLessThanOrEqualTo(100);
          rig.clock.advance(TimeUnit.MILLISECONDS.toNanos(100));
        });
    ScanOptions options = ScanOptions.ALL.keys(keys);
    assertThat(reduce(options)).isEqualTo(100);
    assertThat(seen).hasSize(100).doesNotHaveDuplicates().contains("k0", "k3", "k297");
    assertThat(rig.scanner.count(options)).isEqualTo(100);
    assertThat(
            rig.scanner.count(
                options.segments(SegmentSet.of(rig.segmentOf.getOrDefault("k3", -1)))))
        .isLessThan(100)
        .isPositive();
  }

  @Test
  void emptyKeySetSendsNoRequests() {
    assertThat(reduce(ScanOptions.ALL.keys(List.of()))).isZero();
    assertThat(rig.sent).isEmpty();
  }

  /** Makes all segments move once, when this many entries were seen. */
  private List<String> movesAfter(int entries) {
    List<String> seen = new ArrayList<>();
    rig.counting(
        entry -> {
          seen.add(ScanFixture.key(entry));
          if (seen.size() == entries) {
            rig.move();
          }
        });
    return seen;
  }

  @Test
  void movingSegmentCountsOnce() {
    List<String> seen = movesAfter(500);
    assertThat(reduce(ScanOptions.ALL)).isEqualTo(1_000);
    assertThat(seen).hasSizeGreaterThan(1_000);
  }

  @Test
  void atLeastOnceKeepsResultsOfMovedSegments() {
    List<String> seen = movesAfter(500);
    assertThat(reduce(ScanOptions.ALL.delivery(Delivery.AT_LEAST_ONCE)))
        .isEqualTo(seen.size())
        .isGreaterThan(1_000);
  }

  @Test
  void atMostOnceDoesNotRetryMovedSegments() {
    List<String> seen = movesAfter(500);
    List<Integer> completed = new ArrayList<>();
    long counted = reduce(ScanOptions.ALL.delivery(Delivery.AT_MOST_ONCE).listener(completed::add));
    assertThat(seen).doesNotHaveDuplicates();
    assertThat(counted).isLessThan(1_000);
    assertThat(completed).doesNotHaveDuplicates().hasSizeLessThan(8);
    assertThat(counted)
        .isEqualTo(rig.segmentOf.values().stream().filter(completed::contains).count());
  }

  @Test
  void atMostOnceLosesNothingWhenNothingMoves() {
    assertThat(reduce(ScanOptions.ALL.delivery(Delivery.AT_MOST_ONCE))).isEqualTo(1_000);
  }

  @Test
  void atMostOnceSlowOwnerLosesAndRepeatsNothing() {
    List<String> seen = new ArrayList<>();
    rig.counting(entry -> seen.add(ScanFixture.key(entry)));
    rig.startsAtOnce = false;
    for (int i = 0; i < 3; i++) {
      rig.clock.whileParked.add(() -> rig.clock.advance(CallPace.SCAN.answerNanos()));
    }
    rig.clock.whileParked.add(() -> rig.started.removeFirst().run());
    assertThat(reduce(ScanOptions.ALL.delivery(Delivery.AT_MOST_ONCE))).isEqualTo(1_000);
    assertThat(seen).hasSize(1_000).doesNotHaveDuplicates();
    assertThat(rig.sent).containsExactly(MessageKind.REDUCE);
  }

  @Test
  void atMostOnceDoesNotResendAfterALostAnswer() {
    rig.startsAtOnce = false;
    assertThatExceptionOfType(CallTimeoutException.class)
        .isThrownBy(() -> reduce(ScanOptions.ALL.delivery(Delivery.AT_MOST_ONCE)));
    assertThat(rig.sent).containsExactly(MessageKind.REDUCE, MessageKind.CANCEL);
  }

  @Test
  void eachSegmentCompletesOnce() {
    ScanFixture sparse = new ScanFixture(8);
    sparse.write("only", 1);
    List<Integer> completed = new ArrayList<>();
    sparse.scanner.reduce(ScanFixture.task(), ScanOptions.ALL.listener(completed::add), in -> true);
    assertThat(completed).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    completed.clear();
    assertThat(sparse.scanner.count(ScanOptions.ALL.listener(completed::add))).isEqualTo(1);
    assertThat(completed).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
  }

  @Test
  void partlyReadSegmentDoesNotComplete() {
    rig.taskInterpreter =
        new ScanFixture.Counting() {
          @Override
          public Reduction readReduction(byte[] task) {
            return (entries, out) -> {
              // All of the first of eight segments, and one entry of the next.
              String first = ScanFixture.key(entries.next());
              int segment = rig.segmentOf.getOrDefault(first, -1);
              while (rig.segmentOf.getOrDefault(ScanFixture.key(entries.next()), -1) == segment) {}
              out.writeVarint(0);
            };
          }
        };
    List<Integer> completed = new ArrayList<>();
    reduce(ScanOptions.ALL.listener(completed::add));
    assertThat(completed).containsExactly(0);
    assertThat(rig.sent).containsExactly(MessageKind.REDUCE);
  }

  @Test
  void functionExceptionArrivesWithCauseAndNodeName() {
    rig.counting(
        entry -> {
          throw new IllegalStateException("a user's mistake", new java.io.IOException("below"));
        });
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(() -> reduce(ScanOptions.ALL))
        .withMessage(
            "a function of this call failed on node self: java.lang.IllegalStateException: a user's"
                + " mistake; the call itself wrote nothing")
        .satisfies(
            e -> {
              assertThat(e.nodeName()).isEqualTo("self");
              assertThat(e.getCause())
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessage("a user's mistake")
                  .hasRootCauseMessage("below");
            });
    rig.assertNothingLeft();
  }

  @Test
  void timesOutWithoutProgressAndCancelsOwners() {
    rig.startsAtOnce = false;
    long began = rig.clock.nanoTime();
    assertThatExceptionOfType(CallTimeoutException.class)
        .isThrownBy(() -> reduce(ScanOptions.ALL.timeoutNanos(TimeUnit.SECONDS.toNanos(2))))
        .withMessageStartingWith("no answer within 2000 ms to a scan of ")
        .withMessageEndingWith(
            ", which may be slow functions of it: make them faster, or allow more time"
                + " (GridConfig.timeout); trying again is safe");
    assertThat(rig.clock.nanoTime() - began).isEqualTo(TimeUnit.SECONDS.toNanos(2));
    assertThat(rig.sent).containsExactly(MessageKind.REDUCE, MessageKind.CANCEL);
    int[] looked = new int[1];
    rig.counting(entry -> looked[0]++);
    rig.started.removeFirst().run();
    assertThat(looked[0]).as("entries after it was called off").isLessThan(3);
    rig.assertNothingLeft();
  }

  private long ask(List<Input> answers) {
    long number =
        rig.messaging.register(
            new ResponseHandler() {
              @Override
              public void onResponse(Member from, Input body) {
                answers.add(body);
              }

              @Override
              public void wake() {}
            });
    came(number);
    return number;
  }

  private void came(long number) {
    List<ScanTarget> wants = new ArrayList<>();
    for (int segment = 0; segment < 8; segment++) {
      wants.add(new ScanTarget(segment, io.cantle.core.container.SegmentCursor.START));
    }
    ReduceRequest reduce = new ReduceRequest(0, ScanFixture.task(), false, false, 1 << 20, wants);
    rig.receive(rig.scanServer, number, reduce);
  }

  @Test
  void duplicateRequestIsNotStartedTwice() {
    long[] number = new long[1];
    int[] entries = new int[1];
    ScanFixture.Counting counting =
        rig.counting(
            entry -> {
              if (++entries[0] == 10) {
                came(number[0]);
              }
            });
    List<Input> answers = new ArrayList<>();
    rig.startsAtOnce = false;
    number[0] = ask(answers);
    came(number[0]);
    assertThat(rig.started).hasSize(1);
    rig.started.removeFirst().run();
    assertThat(rig.started).isEmpty();
    assertThat(counting.reductions).isEqualTo(1);
    assertThat(answers).hasSize(1);
  }

  @Test
  void cancelledRequestStopsAndIsNotAnswered() {
    long[] number = new long[1];
    int[] entries = new int[1];
    rig.counting(
        entry -> {
          if (++entries[0] == 1) {
            rig.scanServer.onCancellation(rig.self, new ScanMessage.Cancellation(number[0]));
          }
        });
    List<Input> answers = new ArrayList<>();
    rig.startsAtOnce = false;
    number[0] = ask(answers);
    rig.started.removeFirst().run();
    assertThat(answers).isEmpty();
    assertThat(entries[0]).isLessThan(4);
    assertThat(rig.metrics.figures().running()).isZero();
  }

  @Test
  void requestOfAGoneMemberStops() {
    int[] entries = new int[1];
    rig.counting(
        entry -> {
          if (++entries[0] == 1) {
            rig.messaging.onMembersChanged(List.of());
          }
        });
    rig.startsAtOnce = false;
    ask(new ArrayList<>());
    rig.started.removeFirst().run();
    assertThat(entries[0]).isLessThan(4);
  }

  @Test
  void runningRequestsAreBoundedAndRefusedOnesRetry() {
    rig.startsAtOnce = false;
    List<Input> answers = new ArrayList<>();
    for (int i = 0; i < RunningScans.MAX_REQUESTS + 5; i++) {
      ask(answers);
    }
    assertThat(rig.started).hasSize(RunningScans.MAX_REQUESTS);
    assertThat(answers).hasSize(5).allMatch(in -> in.readByte() == ScanStatus.REFUSED);
    assertThat(rig.metrics.figures().mostRunning()).isEqualTo(RunningScans.MAX_REQUESTS);
  }
}
