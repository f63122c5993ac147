package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
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
final class Lives {
  private final Requests requests;
  private volatile Map<UUID, Member> latest = Map.of();
  private volatile List<Member> view = List.of();

  Lives(Requests requests) {
    this.requests = requests;
  }

  /** Who is in sight. */
  void view(List<Member> present) {
    view = List.copyOf(present);
  }

  /** Somebody who votes has said something. */
  void heard(Member from) {
    Map<UUID, Member> known = latest;
    if (from.durable() && !from.equals(known.get(from.node()))) {
      Map<UUID, Member> next = new HashMap<>(known);
      next.put(from.node(), from);
      latest = next;
    }
  }

  /** Of those that do not vote any more nobody need know. */
  void adopted(Membership membership) {
    Map<UUID, Member> next = new HashMap<>(latest);
    if (next.values().removeIf(life -> !membership.votes(life))) {
      latest = next;
    }
  }

  /** The life of a voter that was heard of last. */
  Member latest(Member voter) {
    return voter.sameNode(requests.self())
        ? requests.self()
        : latest.getOrDefault(voter.node(), voter);
  }

  /** Whom to send what is for a voter. */
  List<Member> of(Member voter) {
    if (!voter.durable()) {
      return List.of(voter);
    }
    if (voter.sameNode(requests.self())) {
      return List.of(requests.self());
    }
    Stream<Member> seen = view.stream().filter(voter::sameNode);
    return Stream.concat(seen, Stream.of(latest(voter))).distinct().toList();
  }

  /** Whether a life of a voter is in sight. */
  boolean inSight(Member voter) {
    return view.stream().anyMatch(voter::sameNode);
  }

  /** Another life of a member's node that is in sight: the member is dead. */
  @Nullable Member other(Member member) {
    return member.durable()
        ? view.stream()
            .filter(life -> life.sameNode(member) && !life.equals(member))
            .findFirst()
            .orElse(null)
        : null;
  }
}
