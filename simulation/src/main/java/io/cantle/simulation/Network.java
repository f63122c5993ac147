package io.cantle.simulation;

import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The network between the hosts of a seed: messages take their time, overtake each other, are lost
 * and sent again; membership is truthful and every member sees the same views in the same order,
 * each when it pleases.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Network {
  private final Scheduler scheduler;
  private final EventLog log;
  private final Weather weather;
  private final SplittableRandom random;
  private final Function<byte[], String> describer;
  private final List<SimulatedTransport> links = new ArrayList<>();
  private List<Member> view = List.of();
  private int viewNumber;
  private long changedNanos;

  /**
   * @param describer what the trace says about a message
   */
  Network(
      Scheduler scheduler,
      EventLog log,
      Weather weather,
      SplittableRandom random,
      Function<byte[], String> describer) {
    this.scheduler = scheduler;
    this.log = log;
    this.weather = weather;
    this.random = random;
    this.describer = describer;
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

  /** A message, for the trace. */
  String describe(byte[] message) {
    return describer.apply(message) + ", " + message.length + " bytes";
  }

  SplittableRandom random() {
    return random;
  }

  /** How many times the membership has changed. */
  int viewNumber() {
    return viewNumber;
  }

  /** The transport of a host that has none yet. */
  SimulatedTransport attach(Host host) {
    UUID id = new UUID(random.nextLong(), random.nextLong());
    SimulatedTransport link =
        new SimulatedTransport(this, host, links.size(), new Member(id, host.name()));
    links.add(link);
    return link;
  }

  /** The transport of a member, or null when it is none of this network. */
  @Nullable SimulatedTransport link(Member member) {
    for (SimulatedTransport link : links) {
      if (link.member().equals(member)) {
        return link;
      }
    }
    return null;
  }

  /** Makes a host a member. */
  void join(SimulatedTransport link) {
    List<Member> members = new ArrayList<>(view);
    members.add(link.member());
    publish(members);
  }

  /** Takes a host out of the membership. */
  void remove(SimulatedTransport link) {
    List<Member> members = new ArrayList<>(view);
    if (members.remove(link.member())) {
      publish(members);
    }
  }

  /** Kills a host; the others notice later. */
  void crash(SimulatedTransport link) {
    link.host().kill();
    link.fade(random);
    scheduler.at(weather.detectionNanos(random), null, () -> remove(link));
  }

  /** When the membership has changed last. */
  long changedNanos() {
    return changedNanos;
  }

  /** Whether every live member knows the present view, and only live ones are in it. */
  boolean settled() {
    for (SimulatedTransport link : links) {
      if (view.contains(link.member()) && !(link.host().alive() && link.upToDate())) {
        return false;
      }
    }
    return true;
  }

  private void publish(List<Member> members) {
    view = List.copyOf(members);
    viewNumber++;
    changedNanos = scheduler.nowNanos();
    for (SimulatedTransport link : links) {
      if (view.contains(link.member())) {
        link.show(view);
      }
    }
  }
}
