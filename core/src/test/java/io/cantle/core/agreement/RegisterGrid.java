package io.cantle.core.agreement;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.ManualNetwork.SentMessage;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Registers alone, without lease renewals or topology drivers. A random schedule decides which node
 * proposes what and what becomes of each message. Whatever it decides, topologies with the same
 * number must be equal.
 */
final class RegisterGrid {
  final ManualClock clock = new ManualClock();
  final ManualNetwork network = new ManualNetwork();
  final Random random;
  final List<Node> nodes = new ArrayList<>();
  final Map<Long, Topology> decided = new TreeMap<>();
  private long values;

  /** How often nodes propose, and how unreliable the network is; both differ between schedules. */
  private final int calls;

  private final int lossPercent;
  private final int doublePercent;

  /**
   * The loss, in percent, of messages that would tell a proposer to stop, where it exceeds the
   * normal loss.
   */
  private final int silencePercent;

  private final int maxMessages;

  RegisterGrid(long seed, int members, int more) {
    random = new Random(seed);
    calls = 8 + random.nextInt(60);
    lossPercent = random.nextInt(30);
    doublePercent = random.nextInt(20);
    silencePercent = random.nextInt(3) * 49;
    maxMessages = 10 + random.nextInt(40);
    for (int i = 0; i < members + more; i++) {
      nodes.add(new Node("n" + i));
    }
    Topology first =
        TopologyFixture.founded(
            nodes.subList(0, members).stream().map(node -> node.self).toArray(Member[]::new));
    nodes.subList(0, members).forEach(node -> node.learn(first));
  }

  /** A register, and what a topology driver does for it. */
  final class Node implements MessagingService.Handler {
    final Member self;
    final TopologyRegister register;
    private final MessagingService messaging;
    private final LeaseTable leaseTable = new LeaseTable();
    private final Lease lease = new Lease(clock);
    private Topology current = Topology.NONE;

    Node(String name) {
      self = ManualNetwork.member(name);
      Environment environment = TestEnvironment.of(clock, Runnable::run, random);
      messaging = new MessagingService(network.transport(self), environment, this);
      register = new TopologyRegister(self, leaseTable, new IncarnationTable(self));
      messaging.start();
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
      messaging.enterGrid(topology.gridId(), false, topology.members());
      lease.onTopologyAdopted(topology.membership(), self);
      leaseTable.onTopologyAdopted(topology.membership(), clock.nanoTime());
      step(new RegisterEvent.TopologyAdopted(topology));
      if (!votes()) {
        register.resign();
      }
      messaging.replayEarly();
    }

    @Override
    public void handle(MessageKind kind, Member from, long request, Input in) {
      switch (kind) {
        case TOPOLOGY -> learn(Topology.read(in));
        default -> {
          RegisterMessage message = RegisterMessage.read(kind, in);
          if (message instanceof RegisterMessage.Prepare(Ballot _, Topology base)) {
            learn(base);
          }
          step(new RegisterEvent.MessageReceived(from, message));
        }
      }
    }

    @Override
    public void onMembersChanged(List<Member> members) {}

    Topology currentTopology() {
      return current;
    }

    void step(RegisterEvent event) {
      register.step(event, clock.nanoTime()).forEach(this::perform);
    }

    private void perform(AgreementEffect effect) {
      switch (effect) {
        case AgreementEffect.Send(List<Member> to, Message message) ->
            to.forEach(member -> messaging.postAsync(member, message));
        case AgreementEffect.SendTopology(List<Member> to, Topology topology) ->
            to.forEach(member -> sendTopology(member, topology));
        case AgreementEffect.SendAnswer(var _, Member to, RegisterMessage message) ->
            messaging.postAsync(to, message);
        case AgreementEffect.SaveAdopted _,
            AgreementEffect.BecomeReady _,
            AgreementEffect.ReportMissedTime _ -> {}
        case AgreementEffect.RenounceLease _ -> lease.renounce();
        case AgreementEffect.LimitLease _ -> lease.limitDuration();
        case AgreementEffect.DelayEvent(long nanos, RegisterEvent.DelayEnded end) ->
            clock.schedule(nanos, () -> step(end));
        case AgreementEffect.Decide(Topology topology) -> learn(topology);
      }
    }

    private void sendTopology(Member to, Topology topology) {
      Output out = messaging.newMessage(to, MessageKind.TOPOLOGY);
      topology.write(out);
      messaging.postAsync(to, out);
    }

    void startLeading() {
      step(new RegisterEvent.LeadRequested());
    }

    void resend() {
      step(new RegisterEvent.ResendDue());
    }

    void propose(Topology next) {
      step(new RegisterEvent.TopologyProposed(next));
    }

    /**
     * Proposes a topology that no other node proposes, of some members, perhaps with other voters.
     */
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
          TopologyFixture.changed(current.membership(), number, present, List.of(), oldest);
      GridDefinition value =
          GridDefinition.ofNewGrid(
              current.gridId(),
              0,
              ++values,
              oldest ? PartitionHandling.OLDEST_DECIDES : PartitionHandling.STOP);
      propose(new Topology(number, value, next, CacheCatalog.NONE));
    }
  }

  /** Lets one random event happen. */
  void performRandomEvent() {
    Node one = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(calls)) {
      case 0 -> {
        if (one.votes()) {
          one.startLeading();
        }
      }
      case 1, 2, 3 -> {
        if (one.register.isReady()) {
          one.propose();
        }
      }
      case 4 -> one.resend();
      case 5 -> clock.advance(random.nextLong(TimeUnit.MILLISECONDS.toNanos(700)));
      case 6 -> {
        // Some node sends the topology it knows, so that nodes that are behind catch up.
        Node teller = nodes.get(random.nextInt(nodes.size()));
        if (teller.current.isFounded()) {
          teller.sendTopology(one.self, teller.current);
        }
      }
      default -> deliver();
    }
  }

  /** A random message arrives, perhaps twice, or is lost. */
  private void deliver() {
    if (network.inFlight.isEmpty()) {
      return;
    }
    List<SentMessage> all = new ArrayList<>(network.inFlight);
    SentMessage sent = all.get(random.nextInt(all.size()));
    if (all.size() > maxMessages || random.nextInt(100) >= doublePercent) {
      network.inFlight.remove(sent);
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

  /** All messages arrive in their order, and one voter proposes as long as it is a voter. */
  void quiet() {
    network.inFlight.clear();
    Node leader = latestVoter();
    for (Node node : nodes) {
      if (node != leader) {
        node.register.resign();
      }
    }
    leader.startLeading();
    for (int round = 0; round < 40; round++) {
      network.deliverAll();
      clock.advance(TimeUnit.MILLISECONDS.toNanos(250));
      network.deliverAll();
      if (!leader.votes()) {
        leader = latestVoter();
        leader.startLeading();
      } else if (!leader.register.isLeading()) {
        leader.startLeading();
      } else if (leader.register.isReady()) {
        leader.propose();
      }
      leader.resend();
    }
  }

  /** Returns a voter that knows the latest topology that any node knows. */
  private Node latestVoter() {
    long latest = decided.keySet().stream().mapToLong(number -> number).max().orElseThrow();
    Topology topology = Objects.requireNonNull(decided.get(latest));
    Member voter = topology.membership().voters().getFirst();
    Node node = nodes.stream().filter(one -> one.self.equals(voter)).findFirst().orElseThrow();
    node.learn(topology);
    return node;
  }
}
