package io.cantle.core.topology;

import io.cantle.core.segment.Seat;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * The pure function from the topology members leave together to the first one of their fork.
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
public final class ForkPlanner {
  private ForkPlanner() {}

  /**
   * The first topology of a fork.
   *
   * @param parent the topology its members leave
   * @param group its members, all of them members of the parent
   * @param id of the fork
   */
  public static Topology first(Topology parent, List<Member> group, UUID id) {
    List<Member> others = new ArrayList<>(parent.members());
    others.removeAll(group);
    Topology left = Evolution.next(parent, new Absence(parent, others, List.of()));
    // Those of the parent may use the same numbers later: nobody compares them with these.
    int epoch = 1 + highestEpoch(left);
    List<CacheOwnership> caches = new ArrayList<>();
    for (CacheOwnership cache : left.caches()) {
      List<Ownership> segments = new ArrayList<>();
      for (Ownership segment : cache.segments()) {
        segments.add(inEpoch(segment, epoch));
      }
      caches.add(new CacheOwnership(cache.definition(), segments));
    }
    Charter charter = parent.charter().forked(id, parent.number(), group.size());
    long number = charter.broughtCopies();
    List<Member> leaving = parent.leaving().stream().filter(group::contains).toList();
    Membership membership =
        new Membership(
            group,
            Collections.nCopies(group.size(), number),
            group.stream().map(parent.membership()::seat).toList(),
            left.membership().voters(),
            number,
            leaving);
    return new Topology(number, charter, membership, caches);
  }

  static int highestEpoch(Topology topology) {
    return topology.caches().stream()
        .flatMap(cache -> cache.segments().stream())
        .mapToInt(Ownership::epoch)
        .max()
        .orElse(0);
  }

  private static Ownership inEpoch(Ownership segment, int epoch) {
    return inEpoch(segment, epoch, List.of());
  }

  /** The same segment in another epoch, with other excluded owners. */
  static Ownership inEpoch(Ownership segment, int epoch, List<Member> last) {
    int before = segment.epoch();
    List<Joiner> joiners =
        segment.joiners().stream()
            .map(joiner -> joiner.since() == before ? new Joiner(joiner.member(), epoch) : joiner)
            .toList();
    return new Ownership(
        epoch,
        segment.born() == before ? epoch : segment.born(),
        segment.owners(),
        segment.target(),
        joiners,
        segment.retiring(),
        last);
  }

  /** All that is to happen is that some are gone, and that some are back. */
  record Absence(Topology topology, List<Member> silent, List<Member> joining)
      implements Evolution.Facts {

    @Override
    public Seat seat(Member member) {
      return Seat.USUAL;
    }

    @Override
    public boolean withoutCopies(Member member) {
      return false;
    }

    @Override
    public List<Member> leaving() {
      return List.of();
    }

    @Override
    public List<CacheDefinition> wanted() {
      return List.of();
    }

    @Override
    public boolean used() {
      return topology.charter().used();
    }

    @Override
    public boolean suspended() {
      return topology.charter().suspended();
    }

    @Override
    public boolean lossAccepted(int cache, int segment, int epoch) {
      return false;
    }

    @Override
    public boolean dropped(int cache, int segment, Member member) {
      return false;
    }

    @Override
    public boolean received(int cache, int segment, int epoch, Joiner joiner) {
      return false;
    }

    @Override
    public boolean opened(int cache, int segment, int epoch) {
      return false;
    }

    @Override
    public long adopted(Member member) {
      return 0;
    }
  }
}
