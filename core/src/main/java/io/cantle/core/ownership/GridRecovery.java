package io.cantle.core.ownership;

import io.cantle.core.ownership.Topology.CacheOwnership;
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
 * Lets a grid go on whose voters are gone for good. An operator gives them up, and one remaining
 * node decides alone. That makes a <em>new grid</em> of the old one, with an id of its own. No
 * lease, vote or write of the old grid reaches it, and it remembers the nodes that were given up.
 * If such a node comes back it is told so, and joins as a new node without what it held.
 *
 * <p>The price: what only the given-up nodes hold is lost, and so are their decisions that this
 * node does not know of. Segments without a holder stay lost until {@link
 * io.cantle.Grid#acceptLoss}.
 *
 * <p>Remaining nodes that were not given up follow: to them, the new grid is like a later topology.
 * Two recoveries of one grid make two grids, of which one refuses the other when they meet.
 *
 * <p><b>Threading:</b> pure functions.
 */
public final class GridRecovery {
  /** More caches than the nodes that were given up will have created shortly before. */
  private static final int SKIPPED_INDEXES = 1_000;

  private GridRecovery() {}

  /**
   * The first topology of the grid that goes on.
   *
   * @param parent the last known topology of the grid that may be decided: others may have acted by
   *     what one voter has accepted
   * @param lost the nodes that are given up
   * @param voter the node that decides alone from here on, in its present or a former incarnation
   * @param id the id of the new grid
   */
  public static Topology recoverGrid(Topology parent, Set<UUID> lost, Member voter, UUID id) {
    List<Member> gone =
        parent.members().stream().filter(member -> lost.contains(member.nodeId())).toList();
    boolean isMember = parent.members().stream().anyMatch(voter::isSameNode);
    List<Member> back = isMember ? List.of() : List.of(voter);
    Topology left = TopologyPlanner.plan(parent, new TopologyPlanner.AbsenceFacts(gone, back));
    int epoch = 1 + left.highestEpoch();

    long number = parent.number() + 1;
    List<Member> members = left.members();
    GridDefinition gridDefinition =
        parent
            .gridDefinition()
            .createSuccessor(id, parent.number(), members.size(), List.copyOf(lost));
    Membership membership =
        new Membership(
            members,
            // Everything under way in the old grid belongs to a session that is over.
            Collections.nCopies(members.size(), number),
            members.stream().map(left.membership()::capacityOf).toList(),
            members.stream().filter(voter::isSameNode).toList(),
            number,
            left.leaving(),
            left.membership().released());
    return new Topology(
        number,
        gridDefinition,
        membership,
        left.cachesInEpoch(epoch, segment -> lastOwners(segment, lost))
            .skippingIndexes(SKIPPED_INDEXES));
  }

  /**
   * The excluded owners that may still return. If none of a lost segment may, it keeps them all,
   * because without any it would count as empty.
   */
  private static List<Member> lastOwners(SegmentOwnership segment, Set<UUID> lost) {
    List<Member> last =
        segment.lastOwners().stream().filter(member -> !lost.contains(member.nodeId())).toList();
    return segment.isLost() && last.isEmpty() ? segment.lastOwners() : last;
  }

  /** The members, and former owners of other nodes that may come back with what they held. */
  public static List<Member> relevantMembers(Topology topology) {
    List<Member> all = new ArrayList<>(topology.members());
    topology
        .segments()
        .flatMap(segment -> segment.lastOwners().stream())
        .filter(member -> all.stream().noneMatch(member::isSameNode))
        .forEach(all::add);
    return all;
  }

  /**
   * The ids of the nodes to be given up, from their names.
   *
   * @param last the topologies of which one was decided last
   * @param decides the node that is to decide alone
   * @throws IllegalArgumentException if a name is not known, or too few are named
   */
  public static Set<UUID> resolveLost(List<Topology> last, UUID decides, Collection<String> names) {
    Set<UUID> nodes = new TreeSet<>();
    for (String name : names) {
      List<UUID> nodeIds =
          last.stream()
              .flatMap(topology -> relevantMembers(topology).stream())
              .filter(member -> member.name().equals(name))
              .map(Member::nodeId)
              .toList();
      if (nodeIds.isEmpty()) {
        throw new IllegalArgumentException(
            "\"%s\" is no member of the grid: those are %s"
                .formatted(name, joinNames(last.getLast().members())));
      }
      nodes.addAll(nodeIds);
    }
    last.forEach(topology -> checkMajorityLost(topology, decides, nodes));
    return nodes;
  }

  /**
   * Checks that the other voters, without the node that is to decide alone, are no majority. If
   * they were, they could go on as well.
   *
   * @throws IllegalArgumentException if they are a majority
   */
  private static void checkMajorityLost(Topology topology, UUID decides, Set<UUID> lost) {
    List<Member> others =
        topology.membership().voters().stream()
            .filter(voter -> !voter.nodeId().equals(decides) && !lost.contains(voter.nodeId()))
            .toList();
    if (lost.isEmpty() || topology.membership().isMajority(others.size())) {
      throw new IllegalArgumentException(
          ("of those that decide, %s, too few are given up: without this node and the given up"
                  + " ones the others must be no majority; name all that are gone for good")
              .formatted(joinNames(topology.membership().voters())));
    }
  }

  /** The number of segments that no remaining member holds. */
  public static long lostSegmentCount(Topology recovered) {
    return recovered.segments().filter(SegmentOwnership::isLost).count();
  }

  /** A text for people that says how many segments of each cache are lost. */
  public static String describeLoss(Topology recovered) {
    List<String> texts = new ArrayList<>();
    for (CacheOwnership cache : recovered.caches()) {
      long lost = cache.segments().stream().filter(SegmentOwnership::isLost).count();
      if (lost > 0) {
        texts.add(
            "%s of %s segments of cache \"%s\""
                .formatted(lost, cache.segments().size(), cache.definition().name()));
      }
    }
    return texts.isEmpty() ? "no segment is lost" : String.join(", ", texts) + " are lost";
  }

  /** The names of members, as a text for people. */
  public static String joinNames(Collection<Member> some) {
    return some.stream().map(Member::name).collect(Collectors.joining(", "));
  }

  /** Texts for people that say how many lost segments of each cache a node may hold on disk. */
  public static List<String> describeLostSegments(Topology current, Member node) {
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
