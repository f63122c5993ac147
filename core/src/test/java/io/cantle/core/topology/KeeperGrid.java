package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.WhenCut;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Notes;
import io.cantle.core.base.World;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
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
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Several keepers on one network and one clock, both moved by the test. */
final class KeeperGrid {
  /** How long a node waits to be let in. */
  static final Duration TIMEOUT = Duration.ofMillis(2_500);

  final HandClock clock = new HandClock();
  final HandNetwork network = new HandNetwork();
  final World world = new World(clock, Runnable::run, new Random(11));
  final Map<String, Node> nodes = new TreeMap<>();
  final Map<String, HandNotes> stores = new TreeMap<>();
  private int lives;
  private Predicate<HandNetwork.Sent> lost = sent -> false;

  /** Whether all of these, and nobody else, are in one and the same topology. */
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

  /** A keeper and what it did. */
  final class Node implements Requests.Handler {
    final Member self;
    final Requests requests;
    final TopologyKeeper keeper;
    final List<Topology> adopted = new ArrayList<>();
    final List<Mode> refused = new ArrayList<>();
    final List<Refusal> refusals = new ArrayList<>();
    int foreign;
    int topologiesCame;

    Node(String name, int initialMembers, WhenCut whenCut, Seat seat) {
      this(HandNetwork.member(name), Notes.NONE, initialMembers, whenCut, seat);
    }

    Node(Member self, Notes notes, int initialMembers, WhenCut whenCut, Seat seat) {
      this.self = self;
      requests = new Requests(network.transport(self), world, this);
      keeper =
          new TopologyKeeper(
              requests,
              world,
              new TopologyKeeper.Founding(initialMembers, whenCut, seat, TIMEOUT),
              adopted::add,
              new Foreign() {
                @Override
                public void met() {
                  foreign++;
                }

                @Override
                public void refused(Refusal refusal) {
                  refusals.add(refusal);
                }

                @Override
                public void refused(Mode its) {
                  refused.add(its);
                }
              },
              notes);
      requests.start();
      nodes.put(self.name(), this);
    }

    @Override
    public void handle(Kind kind, Member from, long request, Input body) {
      topologiesCame += kind == Kind.TOPOLOGY ? 1 : 0;
      keeper.came(kind, from, body);
    }

    @Override
    public void members(List<Member> members) {
      keeper.members(members);
    }

    Topology current() {
      return keeper.current();
    }

    boolean leased() {
      return keeper.lease().held();
    }

    /** Tells that everything it joins in has come. */
    void receiveAll() {
      Topology topology = current();
      for (int cache = 0; cache < topology.caches().size(); cache++) {
        List<Ownership> segments = topology.caches().get(cache).segments();
        for (int segment = 0; segment < segments.size(); segment++) {
          for (Ownership.Joiner joiner : segments.get(segment).joiners()) {
            if (joiner.member().equals(self)) {
              keeper.reportReceived(cache, segment, segments.get(segment).epoch());
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
    return new Node(name, initialMembers, WhenCut.stop(), Seat.USUAL);
  }

  Node start(String name, WhenCut whenCut) {
    return new Node(name, 1, whenCut, Seat.USUAL);
  }

  Node start(String name, Seat seat) {
    return new Node(name, 1, WhenCut.stop(), seat);
  }

  /** Another life of a node with a store, which founds no grid with fewer than three. */
  Node revive(String name) {
    return revive(name, 3, WhenCut.stop());
  }

  Node revive(String name, int initialMembers, WhenCut whenCut) {
    HandNotes notes = store(name);
    UUID id = new UUID(0, ++lives);
    UUID node = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    return new Node(new Member(id, node, name), notes, initialMembers, whenCut, Seat.USUAL);
  }

  /** What a node has on disk. */
  HandNotes store(String name) {
    return stores.computeIfAbsent(name, same -> new HandNotes());
  }

  /** These with stores in one grid. */
  Node[] durable(String... names) {
    Node[] started = Stream.of(names).map(this::revive).toArray(Node[]::new);
    view(started);
    settle();
    return started;
  }

  /** Three in one grid, the first of which leads. */
  Node[] three() {
    return of("a", "b", "c");
  }

  /** These in one grid, the first of which leads. */
  Node[] of(String... names) {
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
    network.viewToAll(members);
  }

  /** From now on nothing gets through between the two, in either direction. */
  void cut(Node one, Node other) {
    lose(
        sent ->
            (sent.from().equals(one.self) && sent.to().equals(other.self))
                || (sent.from().equals(other.self) && sent.to().equals(one.self)));
  }

  /** From now on these are lost as well. */
  void lose(Predicate<HandNetwork.Sent> more) {
    lost = lost.or(more);
  }

  /** From now on everything gets through again. */
  void heal() {
    lost = sent -> false;
  }

  void millis(long count) {
    for (long i = 0; i < count; i++) {
      deliverAll();
      clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    }
    deliverAll();
  }

  /** Delivers the next message, or lets a millisecond pass where there is none. */
  void millisOrMessage() {
    network.underWay.removeIf(lost);
    if (!network.deliver()) {
      clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private void deliverAll() {
    network.underWay.removeIf(lost);
    for (int i = 0; network.deliver(); i++) {
      network.underWay.removeIf(lost);
      if (i > 1_000_000) {
        throw new IllegalStateException("messages cause messages without end");
      }
    }
  }

  /** Lets everything happen that is to happen, but nobody be excluded. */
  void settle() {
    for (int i = 0; i < 20; i++) {
      millis(5);
      nodes.values().forEach(Node::receiveAll);
    }
  }

  /** Lets those be excluded that are silent, whatever the views say, and everything settle. */
  void exclude() {
    millis(5_000);
    settle();
  }

  void crash(Node node) {
    network.crash(node.self);
    node.keeper.close();
    nodes.values().remove(node);
  }
}
