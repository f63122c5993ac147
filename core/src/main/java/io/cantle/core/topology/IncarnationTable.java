package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which process speaks for a node that votes. A node with a store votes in each of its lives, for
 * each keeps what the former ones promised; the topology names the one that was a member when it
 * was decided. At most one is there at a time, but what a former one sent may come late.
 *
 * <p><b>Threading:</b> changed with the lock of the keeper held, read by any thread: who reports
 * something holds no lock. So what is known is never changed but replaced.
 */
final class IncarnationTable {
  private final MessagingService messaging;
  private volatile Map<UUID, Member> latestByNode = Map.of();
  private volatile List<Member> view = List.of();

  IncarnationTable(MessagingService messaging) {
    this.messaging = messaging;
  }

  /** Who is in sight. */
  void updateView(List<Member> present) {
    view = List.copyOf(present);
  }

  /** Somebody who votes has said something. */
  void recordHeard(Member from) {
    Map<UUID, Member> known = latestByNode;
    if (from.hasStore() && !from.equals(known.get(from.nodeId()))) {
      Map<UUID, Member> next = new HashMap<>(known);
      next.put(from.nodeId(), from);
      latestByNode = next;
    }
  }

  /** Of those that do not vote any more nobody need know. */
  void onTopologyAdopted(Membership membership) {
    Map<UUID, Member> next = new HashMap<>(latestByNode);
    if (next.values().removeIf(life -> !membership.isVoter(life))) {
      latestByNode = next;
    }
  }

  /** The life of a voter that was heard of last. */
  Member latestOf(Member voter) {
    return voter.isSameNode(messaging.self())
        ? messaging.self()
        : latestByNode.getOrDefault(voter.nodeId(), voter);
  }

  /** Whom to send what is for a voter. */
  List<Member> addressesOf(Member voter) {
    if (!voter.hasStore()) {
      return List.of(voter);
    }
    if (voter.isSameNode(messaging.self())) {
      return List.of(messaging.self());
    }
    Stream<Member> seen = view.stream().filter(voter::isSameNode);
    return Stream.concat(seen, Stream.of(latestOf(voter))).distinct().toList();
  }

  /** Whether a life of a voter is in sight. */
  boolean isVisible(Member voter) {
    return view.stream().anyMatch(voter::isSameNode);
  }

  /** Another life of a member's node that is in sight: the member is dead. */
  @Nullable Member visibleSuccessor(Member member) {
    return member.hasStore()
        ? view.stream()
            .filter(life -> life.isSameNode(member) && !life.equals(member))
            .findFirst()
            .orElse(null)
        : null;
  }
}
