package io.cantle.core.ownership;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Topologies and ownerships for tests, with defaults for what a test is not about. */
public final class TopologyFixture {
  /** The id of the grid of all these topologies. */
  public static final UUID GRID = new UUID(1, 2);

  /** The most bytes of a topology to which a cache or a member may still be added. */
  public static final int MAX_BYTES_AT_CACHE_CREATION =
      TopologySizeLimit.MAX_BYTES_AT_CACHE_CREATION;

  /** See {@link #MAX_BYTES_AT_CACHE_CREATION}. */
  public static final int MAX_BYTES_AT_ADMISSION = TopologySizeLimit.MAX_BYTES_AT_ADMISSION;

  private TopologyFixture() {}

  /** Returns a membership of founders. */
  public static Membership membership(List<Member> members, boolean oldestDecides) {
    return Membership.ofFounders(members, member -> MemberCapacity.DEFAULT, oldestDecides);
  }

  /** Returns the membership of a later topology, in which all members may vote. */
  public static Membership changed(
      Membership before,
      long number,
      List<Member> present,
      List<Member> leaving,
      boolean oldestDecides) {
    return before.withChanges(
        number,
        present,
        member -> MemberCapacity.DEFAULT,
        leaving,
        oldestDecides,
        member -> true,
        false);
  }

  /** Returns the same membership, which has let a member go. */
  public static Membership releasing(Membership membership, Member... letGo) {
    return membership.releasing(List.of(letGo));
  }

  /** Returns a topology with caches and with members that all joined in the first topology. */
  public static Topology of(
      long number, long hashSeed, List<Member> members, List<CacheOwnership> caches) {
    return new Topology(
        number,
        GridDefinition.ofNewGrid(GRID, 0, hashSeed, PartitionHandling.STOP).withWritten(true),
        membership(members, false),
        CacheCatalog.of(caches));
  }

  /** Returns the same topology, of a grid that is known to be written. */
  public static Topology written(Topology topology) {
    return withWritten(topology, true);
  }

  /** Returns the same topology, of a grid that nothing was written to. */
  public static Topology unwritten(Topology topology) {
    return withWritten(topology, false);
  }

  private static Topology withWritten(Topology topology, boolean written) {
    return new Topology(
        topology.number(),
        topology.gridDefinition().withWritten(written),
        topology.membership(),
        topology.caches());
  }

  /** Returns the same topology with founders that have stated their capacities. */
  public static Topology with(Topology topology, Map<Member, MemberCapacity> capacities) {
    Membership membership =
        Membership.ofFounders(
            topology.members(),
            member -> capacities.getOrDefault(member, MemberCapacity.DEFAULT),
            topology.gridDefinition().oldestDecides());
    return new Topology(
        topology.number(), topology.gridDefinition(), membership, topology.caches());
  }

  /** Returns the topology of a grid without a cache. */
  public static Topology founded(Member... members) {
    return of(1, 3, List.of(members), List.of());
  }

  /** Returns the next topology, with these members. */
  public static Topology next(Topology before, Member... members) {
    long number = before.number() + 1;
    Membership membership =
        changed(
            before.membership(),
            number,
            List.of(members),
            List.of(),
            before.gridDefinition().oldestDecides());
    return new Topology(number, before.gridDefinition(), membership, before.caches());
  }

  /** Returns a grid of these members whose only cache has this one segment. */
  public static Topology withSegment(SegmentOwnership segment, Member... members) {
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(1));
    return of(9, 3, List.of(members), List.of(new CacheOwnership(0, 0, one, List.of(segment))));
  }

  /** Returns a steady ownership by these owners, of a segment that began in its first epoch. */
  public static SegmentOwnership owned(int epoch, Member... owners) {
    return owned(epoch, List.of(owners));
  }

  /** Returns a steady ownership by these owners, of a segment that began in its first epoch. */
  public static SegmentOwnership owned(int epoch, List<Member> owners) {
    return new SegmentOwnership(epoch, 1, owners, owners, List.of(), List.of(), List.of());
  }
}
