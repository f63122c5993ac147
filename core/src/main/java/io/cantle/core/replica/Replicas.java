package io.cantle.core.replica;

import io.cantle.Durability;
import io.cantle.core.base.Clock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.container.Decoded;
import io.cantle.core.store.Copy;
import io.cantle.core.store.Store;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * This node's replicas of all segments of all caches.
 *
 * <p><b>Threading:</b> any thread reads; {@link #adopt} is called by one thread at a time.
 */
public final class Replicas {
  private final Decoded decoded;
  private final HybridClock stamps;
  private final Clock clock;
  private final Store store;
  private final Orphans orphans = new Orphans();
  private final Eviction eviction;
  private Lives lives = Lives.NONE;
  private volatile Runnable news = () -> {};
  private volatile Replica[][] byCache = new Replica[0][];

  /** None yet, and none that are kept on disk. */
  public Replicas(Decoded decoded, HybridClock stamps, Clock clock) {
    this(decoded, stamps, clock, Store.NONE);
  }

  /** None yet; those of caches that survive are kept in a store. */
  public Replicas(Decoded decoded, HybridClock stamps, Clock clock, Store store) {
    this.decoded = decoded;
    this.stamps = stamps;
    this.clock = clock;
    this.store = store;
    this.eviction = new Eviction(store.memoryBytes(), clock, this::kept);
  }

  private List<Replica> kept() {
    return Arrays.stream(byCache).flatMap(Arrays::stream).filter(Replica::isKept).toList();
  }

  /** Has something run when more is committed because it is on disk. */
  public void whenOnDisk(Runnable task) {
    news = task;
  }

  /** What copies held that are copies of nothing any more. */
  public Orphans orphans() {
    return orphans;
  }

  /**
   * Runs something once everything these copies have taken is as safe here as their caches want, at
   * once unless some of them wait for the disk. Never, if that fails.
   */
  public static void whenHeld(List<Replica> all, Runnable then) {
    Set<Replica> waiting = new LinkedHashSet<>();
    for (Replica replica : all) {
      if (replica.holdsLater()) {
        waiting.add(replica);
      }
    }
    if (waiting.isEmpty()) {
      then.run();
      return;
    }
    AtomicInteger open = new AtomicInteger(waiting.size());
    for (Replica replica : waiting) {
      replica.whenHeld(
          () -> {
            if (open.decrementAndGet() == 0) {
              then.run();
            }
          });
    }
  }

  /** A replica whose part has changed. */
  public record Changed(Replica replica, Ownership ownership) {}

  /** Has every replica enter the epoch a topology gives its segment; returns those it is new to. */
  public List<Changed> adopt(Topology topology, Topology before, Member self) {
    boolean sameSessions =
        topology.membership().admissions().equals(before.membership().admissions())
            && topology.members().equals(before.members());
    if (!sameSessions) {
      lives = new Lives(sessions(topology)::contains, topology.number());
    }
    boolean isMember = topology.members().contains(self);
    grow(topology);
    List<Changed> changed = new ArrayList<>();
    for (int cache = 0; cache < topology.caches().size(); cache++) {
      List<Ownership> segments = topology.caches().get(cache).segments();
      for (int segment = 0; segment < segments.size(); segment++) {
        Replica replica = byCache[cache][segment];
        if (replica.enter(segments.get(segment), self, topology.charter(), isMember)) {
          changed.add(new Changed(replica, segments.get(segment)));
          orphan(before, cache, segment, replica.takeOrphaned());
        }
        if (!sameSessions) {
          replica.retainSessions(lives);
        }
      }
    }
    return changed;
  }

  private static Set<SessionId> sessions(Topology topology) {
    Set<SessionId> sessions = new HashSet<>();
    for (Member member : topology.members()) {
      sessions.add(new SessionId(member.id(), topology.membership().admission(member)));
    }
    return sessions;
  }

  /** Keeps what a copy held of a grid, to be merged. */
  private void orphan(Topology of, int cache, int segment, Partings.@Nullable Orphaned held) {
    if (held != null && !held.entries().isEmpty()) {
      Ownership ownership = of.ownership(cache, segment);
      orphans.add(
          new OrphanedCopy(
              of.caches().get(cache).definition(),
              segment,
              of.gridId(),
              of.charter().descent(),
              ownership.owners(),
              new Reach(ownership.born(), held.last().entered(), held.whole()),
              held.last(),
              held.partings(),
              held.entries(),
              held.time()));
    }
  }

  /**
   * Forgets everything: this node becomes part of another grid.
   *
   * @param last of the grid it was part of; what it wrote is kept for the other if that grid was
   *     one that stays available
   */
  public void forget(Topology last) {
    Replica[][] all = byCache;
    byCache = new Replica[0][];
    for (Replica[] cache : all) {
      for (Replica replica : cache) {
        Partings.Orphaned held = replica.retire();
        if (last.charter().available()) {
          orphan(last, replica.cache(), replica.segment(), held);
        }
      }
    }
    lives = Lives.NONE;
  }

  private void grow(Topology topology) {
    int known = byCache.length;
    if (topology.caches().size() > known) {
      Replica[][] more = Arrays.copyOf(byCache, topology.caches().size());
      for (int cache = known; cache < more.length; cache++) {
        Topology.CacheOwnership its = topology.caches().get(cache);
        Durability durability = its.definition().config().durability();
        more[cache] = new Replica[its.segments().size()];
        for (int segment = 0; segment < more[cache].length; segment++) {
          more[cache][segment] =
              store.keeps() && durability.keeps()
                  ? kept(cache, segment, durability)
                  : new Replica(cache, segment, new Contents(decoded, stamps, clock, lives), clock);
        }
      }
      byCache = more;
    }
  }

  /** One that is kept on disk as well, and goes on with what is there. */
  private Replica kept(int cache, int segment, Durability durability) {
    Keeping keeping =
        new Keeping(store.shelf(cache, segment), durability, () -> news.run(), eviction);
    Copy copy = store.take(cache, segment);
    Contents contents = new Contents(decoded, stamps, clock, lives, keeping, copy);
    Replica replica = new Replica(cache, segment, contents, clock);
    if (copy != null) {
      replica.goOn(copy);
    }
    return replica;
  }

  /** The replica of a segment, or null while this node knows no such segment. */
  public @Nullable Replica find(int cache, int segment) {
    Replica[][] all = byCache;
    return cache < all.length && segment < all[cache].length ? all[cache][segment] : null;
  }

  /** Every replica there is. */
  public Replica[][] all() {
    return byCache;
  }
}
