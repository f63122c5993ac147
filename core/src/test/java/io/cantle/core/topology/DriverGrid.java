package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.WhenCut;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.StableStore;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.discovery.DiscoveryEffect.ForeignGridReport;
import io.cantle.core.discovery.DiscoveryEffect.ReportForeignGrid;
import io.cantle.core.discovery.DiscoveryEffect.ReportPartitionHandling;
import io.cantle.core.discovery.DiscoveryEffect.ReportStoreRefusal;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.discovery.JoinSettings;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Several topology drivers on one network and one clock, both moved by the test. */
final class DriverGrid {
  /** How long a node waits to be admitted. */
  static final Duration TIMEOUT = Duration.ofMillis(2_500);

  final ManualClock clock = new ManualClock();
  final ManualNetwork network = new ManualNetwork();
  final Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(11));
  final Map<String, Node> nodes = new TreeMap<>();
  final Map<String, ManualStableStore> stores = new TreeMap<>();
  private int incarnationCount;
  private Predicate<ManualNetwork.SentMessage> lost = sent -> false;

  /** Asserts that these nodes, and no others, are the members of one and the same topology. */
  static void assertAgreed(Node... nodes) {
    for (Node node : nodes) {
      assertThat(node.current()).isEqualTo(nodes[0].current());
      // A node that gave a grid up begins anew in the other.
      List<Topology> inThisGrid =
          node.adopted.subList(node.adopted.lastIndexOf(Topology.NONE) + 1, node.adopted.size());
      assertThat(inThisGrid).extracting(Topology::number).isSorted().doesNotHaveDuplicates();
    }
    assertThat(nodes[0].current().members())
        .containsExactlyInAnyOrder(
            Arrays.stream(nodes).map(node -> node.self).toArray(Member[]::new));
  }

  /** A topology driver, and a record of what it did. */
  final class Node implements MessagingService.Handler, TopologyListener {
    final Member self;
    final MessagingService messaging;
    final TopologyDriver driver;
    final List<Topology> adopted = new ArrayList<>();
    final List<PartitionHandling> refusedBy = new ArrayList<>();
    final List<JoinRefusal> refusals = new ArrayList<>();
    int foreignGrids;
    int topologyMessages;

    Node(String name, int initialMembers, WhenCut whenCut, MemberCapacity memberCapacity) {
      this(ManualNetwork.member(name), NodeStore.NONE, initialMembers, whenCut, memberCapacity);
    }

    Node(
        Member self,
        StableStore stableStore,
        int initialMembers,
        WhenCut whenCut,
        MemberCapacity memberCapacity) {
      this.self = self;
      messaging = new MessagingService(network.transport(self), environment, this);
      driver =
          new TopologyDriver(
              messaging,
              environment,
              new JoinSettings(initialMembers, whenCut, memberCapacity, TIMEOUT),
              this,
              stableStore);
      messaging.start();
      nodes.put(self.name(), this);
    }

    @Override
    public void handle(MessageKind kind, Member from, long request, Input body) {
      topologyMessages += kind == MessageKind.TOPOLOGY ? 1 : 0;
      driver.onMessage(kind, from, body);
    }

    @Override
    public void onMembersChanged(List<Member> members) {
      driver.onViewChange(members);
    }

    @Override
    public void adopt(Topology topology) {
      adopted.add(topology);
    }

    @Override
    public void onForeignGrid(ForeignGridReport report) {
      switch (report) {
        case ReportForeignGrid() -> foreignGrids++;
        case ReportStoreRefusal(JoinRefusal refusal) -> refusals.add(refusal);
        case ReportPartitionHandling(PartitionHandling gridMode) -> refusedBy.add(gridMode);
      }
    }

    Topology current() {
      return driver.current();
    }

    boolean hasLease() {
      return driver.lease().isHeld();
    }

    /** A final refusal for this node. */
    JoinRefusal refusal(JoinRefusal.Reason reason, UUID gridId, String text) {
      return new JoinRefusal(reason, gridId, self.nodeId(), self.id(), true, text);
    }

    /** Reports that this node has received every segment it joins. */
    void receiveAll() {
      Topology topology = current();
      for (Topology.CacheOwnership one : topology.caches()) {
        int cache = one.index();
        List<SegmentOwnership> segments = one.segments();
        for (int segment = 0; segment < segments.size(); segment++) {
          for (SegmentOwnership.Joiner joiner : segments.get(segment).joiners()) {
            if (joiner.member().equals(self)) {
              driver.reportReceived(cache, segment, segments.get(segment).epoch());
            }
          }
        }
      }
    }
  }

  Node start(String name) {
    return start(name, 1);
  }

  Node start(String name, int initialMembers) {
    return new Node(name, initialMembers, WhenCut.stop(), MemberCapacity.DEFAULT);
  }

  Node start(String name, WhenCut whenCut) {
    return new Node(name, 1, whenCut, MemberCapacity.DEFAULT);
  }

  Node start(String name, MemberCapacity memberCapacity) {
    return new Node(name, 1, WhenCut.stop(), memberCapacity);
  }

  /**
   * Starts another incarnation of a node with a store, which founds no grid with fewer than three.
   */
  Node restart(String name) {
    return restart(name, 3, WhenCut.stop());
  }

  Node restart(String name, int initialMembers, WhenCut whenCut) {
    ManualStableStore notes = store(name);
    UUID id = new UUID(0, ++incarnationCount);
    UUID node = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    return new Node(
        new Member(id, node, name), notes, initialMembers, whenCut, MemberCapacity.DEFAULT);
  }

  /** The disk of a node. */
  ManualStableStore store(String name) {
    return stores.computeIfAbsent(name, same -> new ManualStableStore());
  }

  /** Starts these nodes, with stores, in one grid. */
  Node[] startDurable(String... names) {
    Node[] started = Stream.of(names).map(this::restart).toArray(Node[]::new);
    view(started);
    settle();
    return started;
  }

  /** Starts three nodes in one grid, of which the first leads. */
  Node[] startThree() {
    return startAll("a", "b", "c");
  }

  /** Starts these nodes in one grid, of which the first leads. */
  Node[] startAll(String... names) {
    Node[] started = Stream.of(names).map(this::start).toArray(Node[]::new);
    view(started);
    settle();
    return started;
  }

  void view(Node... present) {
    Member[] members = new Member[present.length];
    for (int i = 0; i < present.length; i++) {
      members[i] = present[i].self;
    }
    network.showViewToAll(members);
  }

  /** From now on nothing gets through between the two nodes, in either direction. */
  void cut(Node one, Node other) {
    loseMessages(
        sent ->
            (sent.from().equals(one.self) && sent.to().equals(other.self))
                || (sent.from().equals(other.self) && sent.to().equals(one.self)));
  }

  /** From now on these messages are lost as well. */
  void loseMessages(Predicate<ManualNetwork.SentMessage> more) {
    lost = lost.or(more);
  }

  /** From now on all messages get through again. */
  void heal() {
    lost = sent -> false;
  }

  void advanceMillis(long count) {
    for (long i = 0; i < count; i++) {
      deliverAll();
      clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    }
    deliverAll();
  }

  /** Delivers the next message, or lets a millisecond pass if there is none. */
  void millisOrMessage() {
    network.inFlight.removeIf(lost);
    if (!network.deliver()) {
      clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private void deliverAll() {
    network.inFlight.removeIf(lost);
    for (int i = 0; network.deliver(); i++) {
      network.inFlight.removeIf(lost);
      if (i > 1_000_000) {
        throw new IllegalStateException("messages cause messages without end");
      }
    }
  }

  /** Lets everything happen that is due, but not for so long that a member is excluded. */
  void settle() {
    for (int i = 0; i < 20; i++) {
      advanceMillis(5);
      nodes.values().forEach(Node::receiveAll);
    }
  }

  /**
   * Waits until silent members are excluded, whatever the views say, and everything has settled.
   */
  void awaitExclusions() {
    advanceMillis(5_000);
    settle();
  }

  /** Has a node receive a refusal, which may be forged. */
  void refuse(Member from, Node node, JoinRefusal refusal) {
    deliver(from, node, MessageKind.REFUSED, refusal::write);
  }

  /** Has a node receive a topology, which may be forged. */
  void show(Member from, Node node, Topology topology) {
    deliver(from, node, MessageKind.TOPOLOGY, topology::write);
  }

  private void deliver(Member from, Node node, MessageKind kind, Consumer<Output> body) {
    Output out = new Output(64);
    for (byte one : ManualNetwork.bytes(kind, 0)) {
      out.writeByte(one);
    }
    body.accept(out);
    network.deliver(new ManualNetwork.SentMessage(from, node.self, out.toByteArray()));
  }

  /** Crashes nodes with stores, which lose what was not synced; the others see them gone. */
  void crashAll(Node... crashed) {
    for (Node node : crashed) {
      crash(node);
      store(node.self.name()).losePending();
    }
    showAll();
  }

  /** Restarts nodes with stores; all nodes see each other. */
  Node[] restartAll(String... names) {
    Node[] restarted = Stream.of(names).map(this::restart).toArray(Node[]::new);
    showAll();
    return restarted;
  }

  private void showAll() {
    view(nodes.values().toArray(Node[]::new));
  }

  void crash(Node node) {
    network.crash(node.self);
    node.driver.close();
    nodes.values().remove(node);
  }
}
