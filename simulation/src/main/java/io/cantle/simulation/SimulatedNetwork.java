package io.cantle.simulation;

import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The network between the hosts of a seed: messages take their time, overtake each other, are lost
 * or doubled, ways are cut and healed, and everybody is told something about who is there.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class SimulatedNetwork {
  private final SimulationScheduler scheduler;
  private final EventLog log;
  private final SplittableRandom random;
  private final Function<byte[], String> messageDescriber;
  private final List<SimulatedTransport> links = new ArrayList<>();
  private final Map<Member, SimulatedTransport> byMember = new HashMap<>();
  private final List<NetworkCut> cuts = new ArrayList<>();
  private final MembershipViews views;
  private NetworkConditions conditions;
  private boolean disturbed = true;
  private int changes;
  private long changedNanos;

  /**
   * @param hints whether views are hints rather than the truth
   * @param messageDescriber what the trace says about a message
   */
  SimulatedNetwork(
      SimulationScheduler scheduler,
      EventLog log,
      NetworkConditions conditions,
      boolean hints,
      SplittableRandom random,
      Function<byte[], String> messageDescriber) {
    this.scheduler = scheduler;
    this.log = log;
    this.conditions = conditions;
    this.random = random;
    this.messageDescriber = messageDescriber;
    this.views = hints ? new UnreliableViews(this, random.split()) : new ReliableViews(this);
  }

  SimulationScheduler scheduler() {
    return scheduler;
  }

  EventLog log() {
    return log;
  }

  NetworkConditions conditions() {
    return conditions;
  }

  /** From now on it is seen within another time that a member was killed. */
  void setDetectionLimit(long nanos) {
    conditions = conditions.withMaxDetection(nanos);
  }

  MembershipViews views() {
    return views;
  }

  /** A message, for the trace. */
  String describe(byte[] message) {
    return messageDescriber.apply(message) + ", " + message.length + " bytes";
  }

  SplittableRandom random() {
    return random;
  }

  /** Every transport there ever was, each at its place. */
  List<SimulatedTransport> links() {
    return links;
  }

  /** How many times something about who is there has changed. */
  int changes() {
    return changes;
  }

  /** When that was the last time. */
  long changedNanos() {
    return changedNanos;
  }

  /** Something about who is there changes now. */
  void recordChange() {
    changes++;
    changedNanos = scheduler.nowNanos();
  }

  /** The transport of a host that has none yet. */
  SimulatedTransport attachTransport(SimulatedHost host) {
    return attachTransport(host, null);
  }

  /**
   * The transport of a host that has none yet.
   *
   * @param node which node's disk it has, or null for none
   */
  SimulatedTransport attachTransport(SimulatedHost host, @Nullable UUID node) {
    UUID id = new UUID(random.nextLong(), random.nextLong());
    Member member = new Member(id, node == null ? id : node, host.name());
    SimulatedTransport link = new SimulatedTransport(this, host, links.size(), member);
    links.add(link);
    byMember.put(link.member(), link);
    return link;
  }

  /** The transport of a member, or null when it is none of this network. */
  @Nullable SimulatedTransport link(Member member) {
    return byMember.get(member);
  }

  /** Kills a host; the others notice later. */
  void crash(SimulatedTransport link) {
    link.host().kill();
    link.loseMessages(random);
    views.onCrash(link);
  }

  /** Whether nothing gets from one place to another now. */
  boolean isCut(int from, int to) {
    for (NetworkCut cut : cuts) {
      if (cut.isCut(from, to)) {
        return true;
      }
    }
    return false;
  }

  /** Whether any way is cut. */
  boolean isAnyLinkCut() {
    return !cuts.isEmpty();
  }

  /** Cuts ways from now on. */
  void cut(NetworkCut cut) {
    cuts.add(cut);
    views.onReachChange();
  }

  /** Ends a cut, if it was not ended before. */
  void heal(NetworkCut cut) {
    if (cuts.remove(cut)) {
      views.onReachChange();
      links.forEach(SimulatedTransport::releaseRetained);
    }
  }

  /** Ends every cut. */
  void healAll() {
    List.copyOf(cuts).forEach(this::heal);
  }

  /** Whether anything may go wrong still. */
  boolean isDisturbed() {
    return disturbed;
  }

  /** Ends every cut, and from now on nothing goes wrong. */
  void endDisturbances() {
    disturbed = false;
    conditions = NetworkConditions.FAIR;
    cuts.clear();
    views.onReachChange();
    links.forEach(SimulatedTransport::releaseRetained);
  }
}
