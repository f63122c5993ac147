package io.cantle.core.topology;

import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Notes;
import io.cantle.core.base.World;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.HandNetwork.Sent;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Registers alone, without leases that are renewed or anybody who watches: a schedule says who
 * proposes what and what becomes of each message. Whatever it says, the topologies of one number
 * must be the same.
 */
final class RegisterGrid {
  final HandClock clock = new HandClock();
  final HandNetwork network = new HandNetwork();
  final Random random;
  final List<Node> nodes = new ArrayList<>();
  final Map<Long, Topology> decided = new TreeMap<>();
  private long values;

  /** How restless proposers are and how bad the network is; each schedule has its own weather. */
  private final int calls;

  private final int lossPercent;
  private final int doublePercent;

  /** How much more often those messages are lost that would tell a proposer to stop. */
  private final int silencePercent;

  private final int most;

  RegisterGrid(long seed, int members, int more) {
    random = new Random(seed);
    calls = 8 + random.nextInt(60);
    lossPercent = random.nextInt(30);
    doublePercent = random.nextInt(20);
    silencePercent = random.nextInt(3) * 49;
    most = 10 + random.nextInt(40);
    for (int i = 0; i < members + more; i++) {
      nodes.add(new Node("n" + i));
    }
    Topology first =
        HandTopology.founded(
            nodes.subList(0, members).stream().map(node -> node.self).toArray(Member[]::new));
    nodes.subList(0, members).forEach(node -> node.learn(first));
  }

  /** A register and what a keeper does for it. */
  final class Node implements Requests.Handler, Register.Owner {
    final Member self;
    final Register register;
    private final Requests requests;
    private final Grants grants = new Grants(clock);
    private final Lease lease = new Lease(clock);
    private Topology current = Topology.NONE;

    Node(String name) {
      self = HandNetwork.member(name);
      World world = new World(clock, Runnable::run, random);
      requests = new Requests(network.transport(self), world, this);
      ReentrantLock lock = new ReentrantLock();
      register =
          new Register(
              requests,
              world,
              lock,
              grants,
              lease,
              new Lives(requests),
              new Ledger(Notes.NONE, world, lock),
              this);
      requests.start();
    }

    boolean votes() {
      return current.membership().voters().contains(self);
    }

    void learn(Topology topology) {
      if (topology.number() <= current.number()) {
        return;
      }
      Topology other = decided.putIfAbsent(topology.number(), topology);
      if (other != null && !other.equals(topology)) {
        throw new AssertionError("two topologies:\n" + topology + "\n" + other);
      }
      current = topology;
      requests.grid(topology.gridId(), false);
      lease.adopted(topology.membership(), self);
      grants.adopted(topology.membership());
      register.adopted();
      if (!votes()) {
        register.resign();
      }
      requests.replay();
    }

    @Override
    public void handle(Kind kind, Member from, long request, Input in) {
      switch (kind) {
        case TOPOLOGY -> learn(Topology.read(in));
        case PREPARE -> {
          Ballot ballot = Ballot.read(in);
          Topology base = Topology.read(in);
          learn(base);
          register.prepareAsked(from, ballot, base.number());
        }
        case PROMISED -> register.promised(from, in);
        case ACCEPT ->
            register.acceptAsked(from, Ballot.read(in), Topology.read(in), in.readLong());
        case ACCEPTED -> register.accepted(from, in);
        case REJECTED -> register.rejected(in);
        case DECIDED -> register.decidedAsked(in.readLong(), Ballot.read(in));
        default -> throw new AssertionError(kind + " is nothing for a register");
      }
    }

    @Override
    public void members(List<Member> members) {}

    @Override
    public Topology current() {
      return current;
    }

    @Override
    public void decided(Topology topology) {
      learn(topology);
    }

    @Override
    public void ready() {}

    /** Proposes a topology nobody else proposes, of some members, perhaps with other voters. */
    void propose() {
      List<Member> present = new ArrayList<>(current.members());
      Member other = nodes.get(random.nextInt(nodes.size())).self;
      if (!present.remove(other)) {
        present.add(other);
      }
      if (present.isEmpty() || random.nextInt(3) == 0) {
        present = current.members();
      }
      long number = current.number() + 1;
      boolean oldest = random.nextInt(4) == 0;
      Membership next =
          HandTopology.changed(current.membership(), number, present, List.of(), oldest);
      Charter value =
          Charter.founded(current.gridId(), 0, ++values, oldest ? Mode.OLDEST_DECIDES : Mode.STOP);
      register.propose(new Topology(number, value, next, List.of()));
    }
  }

  /** One thing of many happens. */
  void happen() {
    Node one = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(calls)) {
      case 0 -> {
        if (one.votes()) {
          one.register.lead();
        }
      }
      case 1, 2, 3 -> {
        if (one.register.ready()) {
          one.propose();
        }
      }
      case 4 -> one.register.remind();
      case 5 -> clock.advance(random.nextLong(TimeUnit.MILLISECONDS.toNanos(700)));
      case 6 -> {
        // Who has fallen behind is told by somebody.
        Node teller = nodes.get(random.nextInt(nodes.size()));
        if (teller.current.founded()) {
          teller.register.tell(one.self, teller.current);
        }
      }
      default -> carry();
    }
  }

  /** Some message arrives, perhaps twice, or is lost. */
  private void carry() {
    if (network.underWay.isEmpty()) {
      return;
    }
    List<Sent> all = new ArrayList<>(network.underWay);
    Sent sent = all.get(random.nextInt(all.size()));
    if (all.size() > most || random.nextInt(100) >= doublePercent) {
      network.underWay.remove(sent);
    }
    boolean stops =
        switch (sent.kind()) {
          case REJECTED, DECIDED, TOPOLOGY -> true;
          default -> false;
        };
    if (random.nextInt(100) >= (stops ? Math.max(lossPercent, silencePercent) : lossPercent)) {
      network.deliver(sent);
    }
  }

  /** Everything arrives in its order, and one voter, as long as it is one, proposes. */
  void calm() {
    network.underWay.clear();
    Node leader = latestVoter();
    for (Node node : nodes) {
      if (node != leader) {
        node.register.resign();
      }
    }
    leader.register.lead();
    for (int round = 0; round < 40; round++) {
      network.deliverAll();
      clock.advance(TimeUnit.MILLISECONDS.toNanos(250));
      network.deliverAll();
      if (!leader.votes()) {
        leader = latestVoter();
        leader.register.lead();
      } else if (!leader.register.leading()) {
        leader.register.lead();
      } else if (leader.register.ready()) {
        leader.propose();
      }
      leader.register.remind();
    }
  }

  /** A voter that knows of the latest topology anybody knows of. */
  private Node latestVoter() {
    long latest = decided.keySet().stream().mapToLong(number -> number).max().orElseThrow();
    Topology topology = Objects.requireNonNull(decided.get(latest));
    Member voter = topology.membership().voters().getFirst();
    Node node = nodes.stream().filter(one -> one.self.equals(voter)).findFirst().orElseThrow();
    node.learn(topology);
    return node;
  }
}
