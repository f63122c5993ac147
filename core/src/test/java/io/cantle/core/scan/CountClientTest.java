package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CallTimeoutException;
import io.cantle.Delivery;
import io.cantle.GridException;
import io.cantle.core.call.CallPace;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Response;
import io.cantle.core.wire.ScanMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests how a count asks two nodes, whose answers each test makes up. */
final class CountClientTest {
  private static final Response REFUSAL = new ScanFailure.ScanRefused();

  private final TwoNodes nodes = new TwoNodes(this::answer);

  /** What is answered instead. */
  private final Queue<Response> otherAnswers = new ArrayDeque<>();

  private final List<SegmentSet> asked = new ArrayList<>();

  /** Every segment has 10 entries. */
  private Response answer(Member to, ScanMessage.ScanBody body) {
    SegmentSet segments = ((ScanMessage.CountRequest) body).segments();
    asked.add(segments);
    Response other = otherAnswers.poll();
    return other != null ? other : new CountReply(10L * segments.size(), null);
  }

  private ScanContext open(int segmentsOfEach) {
    return open(segmentsOfEach, 10_000);
  }

  private ScanContext open(int segmentsOfEach, long timeoutMillis) {
    List<SegmentOwnership> segments = new ArrayList<>();
    for (int i = 0; i < segmentsOfEach; i++) {
      segments.add(TopologyFixture.owned(1, nodes.self, nodes.second));
      segments.add(TopologyFixture.owned(1, nodes.second, nodes.self));
    }
    return nodes.open(segments, 64 << 20, timeoutMillis);
  }

  private void deliverOrAdvanceWhileParked() {
    for (int i = 0; i < 100; i++) {
      nodes.clock.whileParked.add(nodes::deliverOrAdvance);
    }
  }

  @Test
  void asksEachPrimaryOnceAndThisNodeLast() {
    ScanContext context = open(100);
    nodes.deliverWhileParked();
    List<Integer> completed = new ArrayList<>();

    assertThat(new CountClient(context, ScanOptions.ALL.listener(completed::add)).count())
        .isEqualTo(2_000);
    assertThat(nodes.requests).containsExactlyInAnyOrder("COUNT at second", "COUNT at self");
    assertThat(completed).hasSize(200).doesNotHaveDuplicates();
    assertThat(nodes.elapsedNanos()).isZero();
    assertThat(nodes.messaging.pendingCount()).isZero();
  }

  @Test
  void asksForTheSegmentsThatAreWantedAndForNoneIfNoneIs() {
    ScanContext context = open(5);
    nodes.deliverWhileParked();

    assertThat(new CountClient(context, ScanOptions.ALL.segments(SegmentSet.of(2, 4))).count())
        .isEqualTo(20);
    assertThat(new CountClient(context, ScanOptions.ALL.segments(SegmentSet.of())).count())
        .isZero();
    assertThat(nodes.requests).containsExactly("COUNT at self");
  }

  @Test
  void oneAfterTheOtherIfTheScanIsSequential() {
    ScanContext context = open(3);
    for (int i = 0; i < 4; i++) {
      nodes.clock.whileParked.add(
          () -> {
            assertThat(nodes.network.inFlight).hasSize(1);
            nodes.network.deliverAll();
          });
    }

    assertThat(new CountClient(context, ScanOptions.ALL.sequential(true)).count()).isEqualTo(60);
    assertThat(nodes.requests).hasSize(2);
  }

  @Test
  void asksAgainForWhatWasRefusedAndNotCounted() {
    ScanContext context = open(3);
    otherAnswers.add(new CountReply(10, SegmentSet.of(2, 3)));
    otherAnswers.add(REFUSAL);
    deliverOrAdvanceWhileParked();

    assertThat(new CountClient(context, ScanOptions.ALL).count()).isEqualTo(60);
    assertThat(asked.stream().mapToInt(SegmentSet::size)).hasSize(4);
    assertThat(nodes.elapsedNanos()).isLessThanOrEqualTo(3 * CallPace.SCAN.pauseNanos());
  }

  @Test
  void saysHowManySegmentsAreNotCountedWhenTheTimeIsUp() {
    ScanContext context = open(3, 200);
    for (int i = 0; i < 100; i++) {
      otherAnswers.add(REFUSAL);
      nodes.clock.whileParked.add(
          () -> {
            nodes.network.deliverAll();
            nodes.clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
          });
    }

    assertThatThrownBy(() -> new CountClient(context, ScanOptions.ALL).count())
        .isInstanceOf(CallTimeoutException.class)
        .hasMessage("no answer within 200 ms to a count of 6 more segments; trying again is safe");
  }

  /** Its entries cannot be counted now, and that they may be missing is what the caller allows. */
  @Test
  void segmentWithoutAnOwnerCountsAsNothingIfSegmentsMayBeMissing() {
    ScanContext context =
        nodes.open(
            List.of(
                TopologyFixture.owned(1, nodes.second, nodes.self),
                TopologyFixture.owned(2),
                TopologyFixture.owned(1, nodes.self, nodes.second)),
            64 << 20,
            10_000);
    nodes.deliverWhileParked();

    ScanOptions options = ScanOptions.ALL.delivery(Delivery.AT_MOST_ONCE);
    assertThat(new CountClient(context, options).count()).isEqualTo(20);
  }

  @Test
  void endsAtOnceWhenTheCallerIsInterruptedThoughSomeWasCounted() {
    ScanContext context = open(3);
    otherAnswers.add(new CountReply(10, SegmentSet.of(1)));
    nodes.clock.whileParked.add(
        () -> {
          nodes.network.deliverAll();
          Thread.currentThread().interrupt();
        });
    deliverOrAdvanceWhileParked();

    assertThatThrownBy(() -> new CountClient(context, ScanOptions.ALL).count())
        .isInstanceOf(GridException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(nodes.messaging.pendingCount()).isZero();
  }
}
