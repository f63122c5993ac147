package io.cantle.core.topology;

import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * How a grid goes on whose voters are gone for good: an operator gives them up, and one node that
 * is left decides alone. That makes a <em>new grid</em> of the old one, with an id of its own: no
 * lease, vote or write of the old one reaches it, and it remembers who was given up. Should such a
 * node come back it is told so, and joins as a new node without what it held.
 *
 * <p>The price: what only the nodes that are given up hold is lost, and so is what they decided
 * that this node does not know of. Segments without a holder stay lost until {@link
 * io.cantle.Grid#acceptLoss}.
 *
 * <p>Who is left and was not given up follows: the new grid is to it like a later topology. Two
 * recoveries of one grid are two grids, of which one refuses when they meet.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class GridRecovery {
  private GridRecovery() {}

  /**
   * The first topology of the grid that goes on.
   *
   * @param parent the last topology that is known of the grid, and may be decided: what one voter
   *     has accepted others may have acted by
   * @param lost the nodes that are given up
   * @param voter who decides alone from here on; the present life of its node or a former one
   * @param id of the new grid
   */
  static Topology recoverGrid(Topology parent, Set<UUID> lost, Member voter, UUID id) {
    List<Member> gone =
        parent.members().stream().filter(member -> lost.contains(member.nodeId())).toList();
    boolean isMember = parent.members().stream().anyMatch(voter::isSameNode);
    List<Member> back = isMember ? List.of() : List.of(voter);
    Topology left = TopologyPlanner.plan(parent, new ForkPlanner.AbsenceFacts(parent, gone, back));
    int epoch = 1 + ForkPlanner.highestEpoch(left);
    List<CacheOwnership> caches = new ArrayList<>();
    for (CacheOwnership cache : left.caches()) {
      List<SegmentOwnership> segments = new ArrayList<>();
      for (SegmentOwnership segment : cache.segments()) {
        segments.add(ForkPlanner.withEpoch(segment, epoch, lastOwners(segment, lost)));
      }
      caches.add(new CacheOwnership(cache.definition(), segments));
    }
    long number = parent.number() + 1;
    List<Member> members = left.members();
    GridDefinition gridDefinition =
        parent.gridDefinition().recovered(id, parent.number(), members.size(), List.copyOf(lost));
    Membership membership =
        new Membership(
            members,
            // What is under way in the old grid is of a session that is over.
            Collections.nCopies(members.size(), number),
            members.stream().map(left.membership()::capacityOf).toList(),
            members.stream().filter(voter::isSameNode).toList(),
            number,
            left.leaving());
    return new Topology(number, gridDefinition, membership, caches);
  }

  /** Of the excluded owners those count that may return; a lost segment is not empty without. */
  private static List<Member> lastOwners(SegmentOwnership segment, Set<UUID> lost) {
    List<Member> last =
        segment.lastOwners().stream().filter(member -> !lost.contains(member.nodeId())).toList();
    return segment.isLost() && last.isEmpty() ? segment.lastOwners() : last;
  }

  /** Everybody whose node is a member, or may come back with what it held. */
  static List<Member> relevantMembers(Topology topology) {
    List<Member> all = new ArrayList<>(topology.members());
    for (CacheOwnership cache : topology.caches()) {
      for (SegmentOwnership segment : cache.segments()) {
        for (Member member : segment.lastOwners()) {
          if (all.stream().noneMatch(member::isSameNode)) {
            all.add(member);
          }
        }
      }
    }
    return all;
  }

  /**
   * The nodes to be given up, by name.
   *
   * @param last the topologies of which one was decided last
   * @param decides the node that is to decide alone
   * @throws IllegalArgumentException if a name is nobody's, or too few are named
   */
  static Set<UUID> resolveLost(List<Topology> last, UUID decides, Collection<String> names) {
    Set<UUID> nodes = new TreeSet<>();
    for (String name : names) {
      List<UUID> its =
          last.stream()
              .flatMap(topology -> relevantMembers(topology).stream())
              .filter(member -> member.name().equals(name))
              .map(Member::nodeId)
              .toList();
      if (its.isEmpty()) {
        throw new IllegalArgumentException(
            "\""
                + name
                + "\" is no member of the grid: those are "
                + joinNames(last.getLast().members()));
      }
      nodes.addAll(its);
    }
    last.forEach(topology -> checkMajorityLost(topology, decides, nodes));
    return nodes;
  }

  /**
   * Checks that the others are no majority without the one that is to decide alone: they could go
   * on as well.
   *
   * @throws IllegalArgumentException if they are
   */
  private static void checkMajorityLost(Topology topology, UUID decides, Set<UUID> lost) {
    List<Member> others =
        topology.membership().voters().stream()
            .filter(voter -> !voter.nodeId().equals(decides) && !lost.contains(voter.nodeId()))
            .toList();
    if (lost.isEmpty() || topology.membership().isMajority(others.size())) {
      throw new IllegalArgumentException(
          "of those that decide, "
              + joinNames(topology.membership().voters())
              + ", too few are given up: without this node and the given up ones the others must"
              + " be no majority; name all that are gone for good");
    }
  }

  /** How many segments nobody holds who is left. */
  static long lostSegmentCount(Topology recovered) {
    return recovered.caches().stream()
        .flatMap(cache -> cache.segments().stream())
        .filter(SegmentOwnership::isLost)
        .count();
  }

  /** The same for people, by cache. */
  static String describeLoss(Topology recovered) {
    List<String> texts = new ArrayList<>();
    for (CacheOwnership cache : recovered.caches()) {
      long lost = cache.segments().stream().filter(SegmentOwnership::isLost).count();
      if (lost > 0) {
        texts.add(
            lost
                + " of "
                + cache.segments().size()
                + " segments of cache \""
                + cache.definition().name()
                + "\"");
      }
    }
    return texts.isEmpty() ? "no segment is lost" : String.join(", ", texts) + " are lost";
  }

  static String joinNames(Collection<Member> some) {
    return some.stream().map(Member::name).collect(Collectors.joining(", "));
  }

  /** The lost segments a node may hold on disk, by cache; for people. */
  static List<String> lostMemberNames(Topology current, Member node) {
    List<String> texts = new ArrayList<>();
    for (CacheOwnership cache : current.caches()) {
      long lost =
          !cache.definition().isDurable()
              ? 0
              : cache.segments().stream()
                  .filter(
                      segment ->
                          segment.isLost()
                              && segment.lastOwners().stream().anyMatch(node::isSameNode))
                  .count();
      if (lost > 0) {
        texts.add(lost + " segments of cache \"" + cache.definition().name() + "\"");
      }
    }
    return texts;
  }
}
