package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Input;
import io.cantle.core.call.CallPace;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Response;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.ScanTarget;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests when a scan sends its requests to two nodes, whose answers each test makes up. */
final class ScanClientTest {
  private final TwoNodes nodes = new TwoNodes(this::answer);

  /** How many pulls are answered that the lease is not held. */
  private int refusals;

  /** Whether this node has entries that only the primary may return. */
  private boolean selfIsDirty;

  /** Every segment has one entry. */
  private Response answer(Member to, ScanMessage.ScanBody body) {
    if (refusals > 0) {
      refusals--;
      return new ScanFailure.ScanRefused();
    }
    return pullAnswer((PullRequest) body, to.equals(nodes.self) && selfIsDirty);
  }

  private static Response pullAnswer(PullRequest pull, boolean isDirty) {
    return out -> {
      out.writeByte(ScanStatus.OK);
      for (ScanTarget target : pull.targets().stream().limit(pull.maxElements()).toList()) {
        out.writeVarint(target.segment() + 1);
        out.writeInt(isDirty ? 0 : 1);
        out.writeInt(isDirty ? 0 : 1);
        if (isDirty) {
          out.writeByte(ScanStatus.DIRTY);
          SegmentCursor.START.write(out);
        } else {
          out.writeByte(1);
          out.writeByte(ScanStatus.DONE);
        }
      }
      out.writeVarint(0);
    };
  }

  /** The pause may end at any time: after it was in the way of a request, before the wait too. */
  @ParameterizedTest
  @MethodSource("readingsOfTheClock")
  void pageGoesOnAfterAPauseThatEndsBetweenTwoReadings(int reading) {
    ScanContext context = nodes.open(List.of(TopologyFixture.owned(1, nodes.second)), 64 << 20);
    refusals = 1;
    nodes.clock.whileParked.add(
        () -> {
          nodes.network.deliverAll();
          for (int i = 0; i < reading; i++) {
            nodes.clock.onNextReading.add(() -> {});
          }
          nodes.clock.onNextReading.add(() -> nodes.clock.advance(CallPace.SCAN.pauseNanos()));
        });
    for (int i = 0; i < 20; i++) {
      nodes.clock.whileParked.add(nodes::deliverOrAdvance);
    }
    PageClient<Integer> page = new PageClient<>(context, 10, Input::readByte);
    page.read(new ScanTarget(0, SegmentCursor.START));
    assertThat(page.elements()).hasSize(1);
    assertThat(nodes.requests).containsExactly("PULL at second", "PULL at second");
    assertThat(nodes.elapsedNanos())
        .as("nanoseconds")
        .isLessThanOrEqualTo(3 * CallPace.SCAN.pauseNanos());
  }

  static IntStream readingsOfTheClock() {
    return IntStream.range(0, 20);
  }

  @Test
  void pageAsksThePrimaryAtOnceForWhatTheOwnBackupCannotReturn() {
    selfIsDirty = true;
    ScanContext context =
        nodes.open(List.of(TopologyFixture.owned(1, nodes.second, nodes.self)), 64 << 20);
    nodes.deliverWhileParked();
    PageClient<Integer> page = new PageClient<>(context, 10, Input::readByte);
    page.read(new ScanTarget(0, SegmentCursor.START));
    assertThat(page.elements()).hasSize(1);
    assertThat(nodes.requests).containsExactly("PULL at self", "PULL at second");
    assertThat(nodes.elapsedNanos()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 63, 64, 65, 128, 199, 200, 1_000})
  void pageGoesOnOverAllSegmentsThatItHasRoomFor(int limit) {
    ScanContext context =
        nodes.open(Collections.nCopies(200, TopologyFixture.owned(1, nodes.self)), 64 << 20);
    PageClient<Integer> page = new PageClient<>(context, limit, Input::readByte);
    ScanTarget next = page.read(new ScanTarget(0, SegmentCursor.START));
    assertThat(page.elements()).hasSize(Math.min(limit, 200));
    assertThat(next).isEqualTo(new ScanTarget(Math.min(limit, 200), SegmentCursor.START));
  }
}
