package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.call.CallPace;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.topology.DriverFixture;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessageOnlyHandler;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.Response;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.ScanTarget;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests when a scan sends its requests to two nodes, whose answers each test makes up. */
final class ScanClientTest {
  private final ManualClock clock = new ManualClock();
  private final ManualNetwork network = new ManualNetwork();
  private final Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(1));
  private final Member self = ManualNetwork.member("self");
  private final Member second = ManualNetwork.member("second");
  private final List<String> requests = new ArrayList<>();

  /** How many requests to count are answered that the lease is not held. */
  private int refusals;

  /** Whether this node has entries that only the primary may return. */
  private boolean selfIsDirty;

  private final MessagingService messaging = newNode(self);
  private final MessagingService secondMessaging = newNode(second);
  private final TopologyDriver driver = DriverFixture.driver(messaging, environment, 9);
  private final long startNanos = clock.nanoTime();

  private MessagingService newNode(Member node) {
    return new MessagingService(
        network.transport(node),
        environment,
        (MessageOnlyHandler)
            (kind, from, request, body) -> onMessage(node, kind, from, request, body));
  }

  /** Begins a scan of a cache with these owners, with memory of this size for its answers. */
  private ScanContext open(List<SegmentOwnership> segments, int bufferBytes) {
    CacheDefinition cache =
        new CacheDefinition("one", CacheConfig.distributed().segments(segments.size()));
    Topology topology =
        TopologyFixture.of(
            1,
            3,
            List.of(self, second),
            List.of(new Topology.CacheOwnership(0, 0, cache, segments)));
    messaging.start();
    secondMessaging.start();
    secondMessaging.enterGrid(topology.gridId(), false);
    Output out = new Output(64);
    topology.write(out);
    driver.onMessage(MessageKind.TOPOLOGY, second, out.toInput());
    network.inFlight.clear();
    return new ScanContext(
        messaging,
        driver,
        ClosedNodeGuard.NONE,
        new ScanMetrics(),
        new ScanBufferPool(new MemoryAccount(bufferBytes), environment),
        topology.gridId(),
        "one",
        0,
        null,
        TimeUnit.SECONDS.toNanos(10));
  }

  /** Answers a request. Every segment has one entry. */
  private void onMessage(Member to, MessageKind kind, Member from, long request, Input body) {
    if (kind != MessageKind.COUNT && kind != MessageKind.PULL) {
      return;
    }
    requests.add(kind + " at " + to);
    MessagingService node = to.equals(self) ? messaging : secondMessaging;
    switch (ScanMessage.Request.read(kind, body).body()) {
      case ScanMessage.CountRequest _ when refusals > 0 -> {
        refusals--;
        node.respond(from, request, new ScanFailure.ScanRefused());
      }
      case ScanMessage.CountRequest count ->
          node.respond(from, request, new CountReply(count.segments().size(), null));
      case PullRequest pull ->
          node.respond(from, request, pullAnswer(pull, to.equals(self) && selfIsDirty));
      default -> throw new AssertionError(kind);
    }
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

  private void deliverWhileParked() {
    for (int i = 0; i < 4; i++) {
      clock.whileParked.add(network::deliverAll);
    }
  }

  private void deliverOrAdvance() {
    if (network.inFlight.isEmpty()) {
      clock.advance(CallPace.SCAN.pauseNanos() / 2);
    } else {
      network.deliverAll();
    }
  }

  private void assertNoTimePassed() {
    assertThat(clock.nanoTime() - startNanos).as("nanoseconds").isZero();
  }

  @Test
  void countGoesOnAfterTheFirstAnswerWhereMemoryIsShort() {
    List<SegmentOwnership> segments =
        List.of(TopologyFixture.owned(1, self), TopologyFixture.owned(1, second));
    // Enough for one answer; a second request would need half of the memory to be free.
    ScanContext context = open(segments, 8 << 10);
    deliverWhileParked();
    assertThat(ReductionClient.count(context, ScanOptions.ALL)).isEqualTo(2);
    assertThat(requests).containsExactly("COUNT at second", "COUNT at self");
    assertNoTimePassed();
  }

  /** The pause may end at any time: after it was in the way of a request, before the wait too. */
  @ParameterizedTest
  @MethodSource("readingsOfTheClock")
  void countGoesOnAfterAPauseThatEndsBetweenTwoReadings(int reading) {
    ScanContext context = open(List.of(TopologyFixture.owned(1, second)), 64 << 20);
    refusals = 1;
    clock.whileParked.add(
        () -> {
          network.deliverAll();
          for (int i = 0; i < reading; i++) {
            clock.onNextReading.add(() -> {});
          }
          clock.onNextReading.add(() -> clock.advance(CallPace.SCAN.pauseNanos()));
        });
    for (int i = 0; i < 20; i++) {
      clock.whileParked.add(this::deliverOrAdvance);
    }
    assertThat(ReductionClient.count(context, ScanOptions.ALL)).isEqualTo(1);
    assertThat(requests).containsExactly("COUNT at second", "COUNT at second");
    assertThat(clock.nanoTime() - startNanos)
        .as("nanoseconds")
        .isLessThanOrEqualTo(3 * CallPace.SCAN.pauseNanos());
  }

  static IntStream readingsOfTheClock() {
    return IntStream.range(0, 20);
  }

  @Test
  void pageAsksThePrimaryAtOnceForWhatTheOwnBackupCannotReturn() {
    selfIsDirty = true;
    ScanContext context = open(List.of(TopologyFixture.owned(1, second, self)), 64 << 20);
    deliverWhileParked();
    PageClient<Integer> page = new PageClient<>(context, 10, Input::readByte);
    page.read(new ScanTarget(0, SegmentCursor.START));
    assertThat(page.elements()).hasSize(1);
    assertThat(requests).containsExactly("PULL at self", "PULL at second");
    assertNoTimePassed();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 63, 64, 65, 128, 199, 200, 1_000})
  void pageGoesOnOverAllSegmentsThatItHasRoomFor(int limit) {
    ScanContext context = open(Collections.nCopies(200, TopologyFixture.owned(1, self)), 64 << 20);
    PageClient<Integer> page = new PageClient<>(context, limit, Input::readByte);
    ScanTarget next = page.read(new ScanTarget(0, SegmentCursor.START));
    assertThat(page.elements()).hasSize(Math.min(limit, 200));
    assertThat(next).isEqualTo(new ScanTarget(Math.min(limit, 200), SegmentCursor.START));
  }
}
