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
final class Network {
  private final Scheduler scheduler;
  private final EventLog log;
  private final SplittableRandom random;
  private final Function<byte[], String> describer;
  private final List<SimulatedTransport> links = new ArrayList<>();
  private final Map<Member, SimulatedTransport> byMember = new HashMap<>();
  private final List<Cut> cuts = new ArrayList<>();
  private final Views views;
  private Weather weather;
  private boolean disturbed = true;
  private int changes;
  private long changedNanos;

  /**
   * @param hints whether views are hints rather than the truth
   * @param describer what the trace says about a message
   */
  Network(
      Scheduler scheduler,
      EventLog log,
      Weather weather,
      boolean hints,
      SplittableRandom random,
      Function<byte[], String> describer) {
    this.scheduler = scheduler;
    this.log = log;
    this.weather = weather;
    this.random = random;
    this.describer = describer;
    this.views = hints ? new HintedViews(this, random.split()) : new TruthfulViews(this);
  }

  Scheduler scheduler() {
    return scheduler;
  }

  EventLog log() {
    return log;
  }

  Weather weather() {
    return weather;
  }

  /** From now on it is seen within another time that a member was killed. */
  void detectWithin(long nanos) {
    weather = weather.detecting(nanos);
  }

  Views views() {
    return views;
  }

  /** A message, for the trace. */
  String describe(byte[] message) {
    return describer.apply(message) + ", " + message.length + " bytes";
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
  void changed() {
    changes++;
    changedNanos = scheduler.nowNanos();
  }

  /** The transport of a host that has none yet. */
  SimulatedTransport attach(Host host) {
    return attach(host, null);
  }

  /**
   * The transport of a host that has none yet.
   *
   * @param node which node's disk it has, or null for none
   */
  SimulatedTransport attach(Host host, @Nullable UUID node) {
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
    link.fade(random);
    views.crashed(link);
  }

  /** Whether nothing gets from one place to another now. */
  boolean cut(int from, int to) {
    for (Cut cut : cuts) {
      if (cut.stops(from, to)) {
        return true;
      }
    }
    return false;
  }

  /** Whether any way is cut. */
  boolean anyCut() {
    return !cuts.isEmpty();
  }

  /** Cuts ways from now on. */
  void cut(Cut cut) {
    cuts.add(cut);
    views.reachChanged();
  }

  /** Ends a cut, if it was not ended before. */
  void heal(Cut cut) {
    if (cuts.remove(cut)) {
      views.reachChanged();
      links.forEach(SimulatedTransport::release);
    }
  }

  /** Ends every cut. */
  void healAll() {
    List.copyOf(cuts).forEach(this::heal);
  }

  /** Whether anything may go wrong still. */
  boolean disturbed() {
    return disturbed;
  }

  /** Ends every cut, and from now on nothing goes wrong. */
  void calm() {
    disturbed = false;
    weather = Weather.FAIR;
    cuts.clear();
    views.reachChanged();
    links.forEach(SimulatedTransport::release);
  }
}
