package io.cantle.core.ownership;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How long a topology may become that nodes with stores record. In a grid without any, nothing is
 * limited.
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
public final class TopologySizeLimit {
  /**
   * The most bytes a topology may have when a cache is created in a grid of nodes with stores.
   * While segments move, a topology is longer, as far as can be foreseen up to four times. A record
   * holds two topologies, and a store has room for that much. A longer record would stop all stores
   * at the same moment.
   */
  static final int MAX_BYTES_AT_CACHE_CREATION = 2 << 20;

  /**
   * The most bytes a topology may have when a node is admitted: caches of which every member has a
   * replica grow by one more replica.
   */
  static final int MAX_BYTES_AT_ADMISSION = 2 * MAX_BYTES_AT_CACHE_CREATION;

  private TopologySizeLimit() {}

  /** Why a cache cannot be created beside the existing ones, or null if it can. */
  public static @Nullable String refusalReason(Topology topology, CacheDefinition wanted) {
    if (topology.caches().nextIndex() >= CacheCatalog.MAX_CREATED) {
      return ("cache \"%s\" cannot be created: the grid has created %s caches, which is the limit;"
              + " start a new grid")
          .formatted(wanted.name(), CacheCatalog.MAX_CREATED);
    }
    if (topology.caches().size() >= Topology.MAX_CACHES) {
      return ("cache \"%s\" cannot be created: the grid has %s caches, which is the limit; destroy"
              + " one that is not needed (Grid.destroy)")
          .formatted(wanted.name(), Topology.MAX_CACHES);
    }
    long bytes = topologyBytes(topology) + addedBytes(topology.members(), wanted);
    return bytes <= MAX_BYTES_AT_CACHE_CREATION
        ? null
        : ("cache \"%s\" with %s segments would make what nodes with stores note of their grid"
                + " %s bytes long; the limit is %s: open fewer caches, or with fewer"
                + " CacheConfig.segments")
            .formatted(
                wanted.name(), wanted.config().segments(), bytes, MAX_BYTES_AT_CACHE_CREATION);
  }

  /**
   * Why the grid cannot have these members, because its record would be too long; null if it can.
   */
  public static @Nullable String refusalReason(Topology topology, List<Member> members) {
    if (members.stream().noneMatch(Member::hasStore)) {
      return null;
    }
    long bytes = sizeOf(topology::write);

    for (Topology.CacheOwnership cache : topology.caches()) {
      CacheConfig config = cache.definition().config();
      int moreCopies =
          replicaCount(config, members.size()) - replicaCount(config, topology.members().size());
      bytes += Math.max(0, moreCopies) * replicaBytes(members) * config.segments();
    }
    return bytes <= MAX_BYTES_AT_ADMISSION
        ? null
        : ("with %s members what nodes with stores note of their grid would be %s bytes long; the"
                + " limit is %s, and replicated caches need more of it with each member")
            .formatted(members.size(), bytes, MAX_BYTES_AT_ADMISSION);
  }

  private static int replicaCount(CacheConfig config, int members) {
    boolean isOnAll = config.mode() == CacheMode.REPLICATED || config.mode() == CacheMode.SCATTERED;
    return isOnAll ? members : Math.min(config.owners(), members);
  }

  /**
   * The bytes one replica adds to a segment in the record: once as an owner, once as a target
   * owner.
   */
  private static long replicaBytes(List<Member> members) {
    return 2L * (members.size() > 127 ? 2 : 1);
  }

  /** The length in bytes of the topology in the record; 0 if no member has a store. */
  static long topologyBytes(Topology topology) {
    return topology.members().stream().noneMatch(Member::hasStore) ? 0 : sizeOf(topology::write);
  }

  /** The bytes that another cache adds to the record. */
  static long addedBytes(List<Member> members, CacheDefinition wanted) {
    if (members.stream().noneMatch(Member::hasStore)) {
      return 0;
    }
    CacheConfig config = wanted.config();
    // Two epochs and the lengths of five lists of members.
    long segmentBytes = 7 + replicaCount(config, members.size()) * replicaBytes(members);
    return sizeOf(wanted::write) + segmentBytes * config.segments();
  }

  private static long sizeOf(Consumer<Output> content) {
    Output out = new Output(1_024);
    content.accept(out);
    return out.position();
  }
}
