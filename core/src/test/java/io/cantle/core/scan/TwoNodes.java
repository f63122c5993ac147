package io.cantle.core.scan;

import io.cantle.CacheConfig;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.call.CallPace;
import io.cantle.core.call.ClosedNodeGuard;
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
import io.cantle.core.wire.ScanMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Two nodes in a grid with one cache. The first scans; each test says what both answer. */
final class TwoNodes {
  final ManualClock clock = new ManualClock();
  final ManualNetwork network = new ManualNetwork();
  private final Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(1));
  final Member self = ManualNetwork.member("self");
  final Member second = ManualNetwork.member("second");

  /** The requests that have arrived: kind and node. */
  final List<String> requests = new ArrayList<>();

  private final BiFunction<Member, ScanMessage.ScanBody, @Nullable Response> answers;
  final MessagingService messaging;
  private final MessagingService secondMessaging;
  private final TopologyDriver driver;
  private final long startNanos = clock.nanoTime();

  /** Creates them; {@code answers} has the answer of a node to a request, or null for none. */
  TwoNodes(BiFunction<Member, ScanMessage.ScanBody, @Nullable Response> answers) {
    this.answers = answers;
    messaging = newNode(self);
    secondMessaging = newNode(second);
    driver = DriverFixture.driver(messaging, environment, 9);
  }

  private MessagingService newNode(Member node) {
    return new MessagingService(
        network.transport(node),
        environment,
        (MessageOnlyHandler)
            (kind, from, request, body) -> onMessage(node, kind, from, request, body));
  }

  /** Begins a scan of a cache with these owners, with memory of this size for its answers. */
  ScanContext open(List<SegmentOwnership> segments, int bufferBytes) {
    return open(segments, bufferBytes, 10_000);
  }

  /** The same, with a timeout. */
  ScanContext open(List<SegmentOwnership> segments, int bufferBytes, long timeoutMillis) {
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
    secondMessaging.enterGrid(topology.gridId(), false, List.of());
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
        TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
  }

  private void onMessage(Member to, MessageKind kind, Member from, long request, Input body) {
    if (kind != MessageKind.COUNT && kind != MessageKind.PULL) {
      return;
    }
    requests.add(kind + " at " + to);
    Response answer = answers.apply(to, ScanMessage.Request.read(kind, body).body());
    if (answer != null) {
      (to.equals(self) ? messaging : secondMessaging).respond(from, request, answer);
    }
  }

  void deliverWhileParked() {
    for (int i = 0; i < 4; i++) {
      clock.whileParked.add(network::deliverAll);
    }
  }

  void deliverOrAdvance() {
    if (network.inFlight.isEmpty()) {
      clock.advance(CallPace.SCAN.pauseNanos() / 2);
    } else {
      network.deliverAll();
    }
  }

  /** Returns the time that has passed on the clock. */
  long elapsedNanos() {
    return clock.nanoTime() - startNanos;
  }
}
