package io.cantle.core.agreement;

import io.cantle.core.ownership.Membership;
import io.cantle.core.transport.Member;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Tracks which process speaks for a voting node. A node with a store votes in each incarnation,
 * because each one keeps the promises of the earlier ones. The topology names the incarnation that
 * was a member when it was decided. At most one runs at a time, but messages of an earlier one may
 * arrive late.
 *
 * <p><b>Threading:</b> changed with the lock of {@code TopologyDriver} held, read by any thread,
 * because a thread that sends a report holds no lock. So what is known is never changed but
 * replaced.
 */
public final class IncarnationTable {
  private final Member self;
  private volatile Map<UUID, Member> latestByNode = Map.of();
  private volatile List<Member> view = List.of();

  IncarnationTable(Member self) {
    this.self = self;
  }

  /** Takes the nodes that are in view. */
  public void updateView(List<Member> present) {
    view = List.copyOf(present);
  }

  /** Records that a voter was heard. */
  void recordHeard(Member from) {
    Map<UUID, Member> known = latestByNode;
    if (from.hasStore() && !from.equals(known.get(from.nodeId()))) {
      Map<UUID, Member> next = new HashMap<>(known);
      next.put(from.nodeId(), from);
      latestByNode = next;
    }
  }

  /** Forgets nodes that vote no more. */
  void onTopologyAdopted(Membership membership) {
    Map<UUID, Member> next = new HashMap<>(latestByNode);
    if (next.values().removeIf(incarnation -> !membership.isVoter(incarnation))) {
      latestByNode = next;
    }
  }

  /** The incarnation of a voter that was heard last. */
  public Member latestOf(Member voter) {
    return voter.isSameNode(self) ? self : latestByNode.getOrDefault(voter.nodeId(), voter);
  }

  /** The incarnations to which a message for a voter is sent. */
  List<Member> addressesOf(Member voter) {
    if (!voter.hasStore()) {
      return List.of(voter);
    }
    if (voter.isSameNode(self)) {
      return List.of(self);
    }
    Stream<Member> seen = view.stream().filter(voter::isSameNode);
    return Stream.concat(seen, Stream.of(latestOf(voter))).distinct().toList();
  }

  /** The incarnations to which a message for all of these voters is sent. */
  public List<Member> addressesOf(List<Member> voters) {
    return voters.stream().flatMap(voter -> addressesOf(voter).stream()).toList();
  }

  /** Whether an incarnation of a voter is in view. */
  public boolean isVisible(Member voter) {
    return view.stream().anyMatch(voter::isSameNode);
  }
}
