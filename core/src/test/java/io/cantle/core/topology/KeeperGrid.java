package io.cantle.core.topology;

import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Several keepers on one network and one clock, both moved by the test. */
final class KeeperGrid {
  final HandClock clock = new HandClock();
  final HandNetwork network = new HandNetwork();
  final World world = new World(clock, Runnable::run, new Random(11));
  final Map<String, Node> nodes = new TreeMap<>();

  /** A keeper and what it did. */
  final class Node implements Requests.Handler {
    final Member self;
    final Requests requests;
    final TopologyKeeper keeper;
    final List<Topology> adopted = new ArrayList<>();
    int foreign;
    int topologiesCame;

    Node(String name, int initialMembers) {
      self = HandNetwork.member(name);
      requests = new Requests(network.transport(self), world, this);
      keeper =
          new TopologyKeeper(
              requests,
              world,
              new TopologyKeeper.Founding(initialMembers, false),
              adopted::add,
              () -> foreign++);
      requests.start();
      nodes.put(name, this);
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
    return new Node(name, 1);
  }

  Node start(String name, int initialMembers) {
    return new Node(name, initialMembers);
  }

  void view(Node... present) {
    Member[] members = new Member[present.length];
    for (int i = 0; i < present.length; i++) {
      members[i] = present[i].self;
    }
    network.viewToAll(members);
  }

  void millis(long count) {
    for (long i = 0; i < count; i++) {
      network.deliverAll();
      clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    }
    network.deliverAll();
  }

  /** Lets everything happen that is to happen. */
  void settle() {
    for (int i = 0; i < 20; i++) {
      millis(5);
      nodes.values().forEach(Node::receiveAll);
    }
  }

  void crash(Node node) {
    network.crash(node.self);
    node.keeper.close();
    nodes.values().remove(node);
  }
}
