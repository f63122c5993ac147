package io.cantle.core.node;

import io.cantle.MembershipEvent;
import io.cantle.MembershipEvent.MajorityLost;
import io.cantle.MembershipEvent.MajorityRegained;
import io.cantle.MembershipEvent.MemberJoined;
import io.cantle.MembershipEvent.MemberLeft;
import io.cantle.MembershipEvent.MemberLost;
import io.cantle.core.base.Clock;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Finds out, from one topology to the next, which members have joined, have left or are lost, and
 * whether this node reaches the majority. Each event is one line of the log, and is passed on. A
 * node that is back with its store is one line for both of its events.
 *
 * <p>The story begins when this node is admitted; a node that restarts knows a topology before
 * that. It goes on when the node gives its grid up for another, or continues in a fork: what counts
 * are the members that were there last.
 *
 * <p><b>Threading:</b> {@link #begin} before there is a topology; everything else guarded by the
 * lock of the topology driver.
 */
final class MembershipReporter {
  /** The most names in one line. */
  private static final int MAX_NAMES = 20;

  private final Member self;
  private final String gridName;
  private final Clock clock;
  private final Function<Member, String> addresses;
  private final Consumer<String> log;
  private final Consumer<MembershipEvent> sink;

  /** Where members listen, or listened before they were gone. */
  private final Map<Member, String> knownAddresses = new HashMap<>();

  private Topology last = Topology.NONE;
  private long beganNanos;
  private boolean reachesMajority;

  /**
   * Creates a reporter of nothing yet.
   *
   * @param addresses finds where a member listens; empty if that is not known
   * @param log takes a line for the operator
   * @param sink takes each event
   */
  MembershipReporter(
      Member self,
      String gridName,
      Clock clock,
      Function<Member, String> addresses,
      Consumer<String> log,
      Consumer<MembershipEvent> sink) {
    this.self = self;
    this.gridName = gridName;
    this.clock = clock;
    this.addresses = addresses;
    this.log = log;
    this.sink = sink;
  }

  /** Records when this node began to join, by a reading of the clock. */
  void begin(long nanos) {
    beganNanos = nanos;
  }

  /** Takes the next topology of a grid. */
  void onAdopted(Topology topology) {
    if (last.isFounded()) {
      reportChanges(topology);
    } else if (topology.members().contains(self)) {
      last = topology;
      topology.members().forEach(this::addressOf);
      reachesMajority = true;
      log.accept(describeAdmission(topology));
      sink.accept(
          new MemberJoined(self.name(), addressOf(self), names(topology), voterCount(topology)));
    }
  }

  private void reportChanges(Topology topology) {
    Topology before = last;
    last = topology;
    for (Member gone : missing(before, topology)) {
      if (topology.members().stream().anyMatch(gone::isSameNode)) {
        sink.accept(
            new MemberLost(gone.name(), addressOf(gone), names(topology), voterCount(topology)));
      } else if (topology.membership().isReleased(gone)) {
        report(
            " has left grid %s".formatted(quotedGrid()),
            gone,
            new MemberLeft(gone.name(), addressOf(gone), names(topology), voterCount(topology)));
      } else {
        report(
            gone.equals(self)
                ? " was excluded from grid %s, whose majority did not hear of it%s"
                    .formatted(
                        quotedGrid(),
                        before.leaving().contains(self)
                            ? " while it was leaving"
                            : "; it asks to be admitted again")
                : " is lost to grid %s: it has crashed or is cut off".formatted(quotedGrid()),
            gone,
            new MemberLost(gone.name(), addressOf(gone), names(topology), voterCount(topology)));
      }
    }
    for (Member added : missing(topology, before)) {
      boolean isBack = before.members().stream().anyMatch(added::isSameNode);
      report(
          (isBack ? " has started again, and is back in grid %s" : " has joined grid %s")
              .formatted(quotedGrid()),
          added,
          new MemberJoined(added.name(), addressOf(added), names(topology), voterCount(topology)));
    }
    knownAddresses.keySet().retainAll(topology.members());
  }

  private void report(String change, Member member, MembershipEvent event) {
    log.accept(describe(member) + change + "; now " + describeCounts(event));
    sink.accept(event);
  }

  /** Takes that this node does not reach the majority, as often as that is found. */
  void onCutOff(String problem) {
    if (reachesMajority) {
      reachesMajority = false;
      log.accept(
          "%s has lost the majority of grid %s%s"
              .formatted(
                  describe(self),
                  quotedGrid(),
                  problem.isEmpty() ? ", and goes on with those it reaches" : ": " + problem));
      sink.accept(new MajorityLost(problem, names(last), voterCount(last)));
    }
  }

  /** Takes that this node reaches the majority, as often as that is found. */
  void onLeaseHeld() {
    if (last.isFounded() && !reachesMajority) {
      reachesMajority = true;
      MembershipEvent event = new MajorityRegained(names(last), voterCount(last));
      log.accept(
          "%s reaches a majority of grid %s again; now %s"
              .formatted(describe(self), quotedGrid(), describeCounts(event)));
      sink.accept(event);
    }
  }

  private String describeAdmission(Topology topology) {
    return "%s has %s grid %s in %,d ms, with Cantle %s; now %s, %s"
        .formatted(
            describe(self),
            topology.number() == 1 ? "founded" : "joined",
            quotedGrid(),
            TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - beganNanos),
            ProductVersion.TEXT,
            describeCounts(topology.members().size(), voterCount(topology)),
            shorten(names(topology)));
  }

  /** Names members, and says how many more there are if there are many. */
  static String shorten(List<String> names) {
    return names.size() <= MAX_NAMES
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, MAX_NAMES))
            + " and %s more".formatted(names.size() - MAX_NAMES);
  }

  private String quotedGrid() {
    return '"' + gridName + '"';
  }

  private String describe(Member member) {
    return describe(member, addressOf(member));
  }

  /** Names a member for people, with its address if that is known. */
  static String describe(Member member, String address) {
    return address.isEmpty() ? member.name() : member.name() + " (" + address + ")";
  }

  private static String describeCounts(MembershipEvent event) {
    return describeCounts(event.members().size(), event.voterCount());
  }

  private static String describeCounts(int members, int voters) {
    return "%s %s and %s %s"
        .formatted(
            members, members == 1 ? "member" : "members", voters, voters == 1 ? "voter" : "voters");
  }

  private String addressOf(Member member) {
    String address = addresses.apply(member);
    if (!address.isEmpty()) {
      knownAddresses.put(member, address);
    }
    return knownAddresses.getOrDefault(member, "");
  }

  /** The members of one topology that are not members of another. */
  private static List<Member> missing(Topology of, Topology in) {
    List<Member> missing = new ArrayList<>(of.members());
    missing.removeAll(in.members());
    return missing;
  }

  private static List<String> names(Topology topology) {
    return topology.members().stream().map(Member::name).toList();
  }

  private static int voterCount(Topology topology) {
    return topology.membership().voters().size();
  }
}
