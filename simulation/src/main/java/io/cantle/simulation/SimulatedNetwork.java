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
 * The network between the hosts of a seed. Messages are delayed, reordered, lost or duplicated;
 * links are cut and healed; and every member is shown some membership view.
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

  /** From now on uses another limit for the time to detect that a member was killed. */
  void setDetectionLimit(long nanos) {
    conditions = conditions.withMaxDetection(nanos);
  }

  MembershipViews views() {
    return views;
  }

  /** Returns the description of a message, for the trace. */
  String describe(byte[] message) {
    return messageDescriber.apply(message) + ", " + message.length + " bytes";
  }

  SplittableRandom random() {
    return random;
  }

  /** Returns every transport there ever was, each at its index. */
  List<SimulatedTransport> links() {
    return links;
  }

  /** Returns how many times the membership or who hears whom has changed. */
  int changes() {
    return changes;
  }

  /** Returns when it last changed. */
  long changedNanos() {
    return changedNanos;
  }

  /** Records that it changes now. */
  void recordChange() {
    changes++;
    changedNanos = scheduler.nowNanos();
  }

  /** Attaches a transport to a host that has none yet. */
  SimulatedTransport attachTransport(SimulatedHost host) {
    return attachTransport(host, null);
  }

  /**
   * Attaches a transport to a host that has none yet.
   *
   * @param node which node's disk it has, or null for none
   */
  SimulatedTransport attachTransport(SimulatedHost host, @Nullable UUID node) {
    UUID id = new UUID(random.nextLong(), random.nextLong());
    return attachMember(host, new Member(id, node == null ? id : node, host.name()));
  }

  /** Attaches the transport of a member to a host that has none yet. */
  SimulatedTransport attachMember(SimulatedHost host, Member member) {
    SimulatedTransport link = new SimulatedTransport(this, host, links.size(), member);
    links.add(link);
    byMember.put(link.member(), link);
    return link;
  }

  /** Returns the transport of a member, or null when it is not of this network. */
  @Nullable SimulatedTransport link(Member member) {
    return byMember.get(member);
  }

  /** Kills a host; the others notice later. */
  void crash(SimulatedTransport link) {
    link.host().kill();
    link.loseMessages(random);
    views.onCrash(link);
  }

  /** Returns whether messages from one index to another are cut off now. */
  boolean isCut(int from, int to) {
    for (NetworkCut cut : cuts) {
      if (cut.isCut(from, to)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether any link is cut. */
  boolean isAnyLinkCut() {
    return !cuts.isEmpty();
  }

  /** Begins a cut. */
  void cut(NetworkCut cut) {
    cuts.add(cut);
    views.onReachChange();
  }

  /** Ends a cut, if it has not ended before. */
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

  /** Returns whether anything may still go wrong. */
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
