package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheIdentity.CacheFate;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests what becomes of a cache that is to be destroyed, and of the next one of its name. */
final class DestroyedCacheTest {
  private static final CacheDefinition USERS =
      new CacheDefinition("users", CacheConfig.distributed().segments(2));

  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final ManualFacts facts = new ManualFacts();

  private Topology destroyed() {
    Topology two = facts.founded(a, b);
    facts.requestedCaches.clear();
    facts.destroyedCaches.add(0);
    return TopologyPlanner.plan(two, facts);
  }

  @Test
  void destroyedCacheIsGoneAndNamedUntilAllMembersKnow() {
    Topology topology = destroyed();
    assertThat(topology.caches()).isEmpty();
    assertThat(topology.caches().destroyed())
        .containsExactly(Map.entry(0, new CacheCatalog.DestroyedCache("users", topology.number())));
    assertThat(topology.caches().lastDestroyNumber()).isEqualTo(topology.number());
    assertThat(TopologyPlanner.plan(topology, facts))
        .as("nobody has adopted it")
        .isSameAs(topology);
    facts.adoptedNumbers.put(a, topology.number());
    assertThat(TopologyPlanner.plan(topology, facts)).isSameAs(topology);
    facts.adoptedNumbers.put(b, topology.number());
    Topology next = TopologyPlanner.plan(topology, facts);
    assertThat(next.caches().destroyed()).isEmpty();
    assertThat(next.caches().isGoneEverywhere(0)).isTrue();
    facts.adoptAll(next);
    assertThat(TopologyPlanner.plan(next, facts)).isSameAs(next);
  }

  @Test
  void anExcludedMemberIsNotAwaited() {
    Topology topology = destroyed();
    facts.adoptedNumbers.put(a, topology.number());
    facts.crash(b);
    Topology next = TopologyPlanner.plan(topology, facts);
    assertThat(next.members()).containsExactly(a);
    assertThat(next.caches().destroyed()).isEmpty();
  }

  @Test
  void nameIsTakenUntilAllMembersKnowAndThenGetsAnotherIndex() {
    Topology topology = destroyed();
    facts.requestedCaches.add(USERS);
    facts.adoptedNumbers.put(a, topology.number());
    assertThat(TopologyPlanner.plan(topology, facts).caches()).isEmpty();
    facts.adoptedNumbers.put(b, topology.number());
    Topology free = TopologyPlanner.plan(topology, facts);
    Topology begun = free.caches().isEmpty() ? TopologyPlanner.plan(free, facts) : free;
    assertThat(begun.cacheIndex("users")).isEqualTo(1);
    assertThat(begun.caches().getFirst().createdNumber()).isEqualTo(begun.number());
    assertThat(begun.caches().getFirst().segments())
        .allSatisfy(segment -> assertThat(segment.epoch()).isEqualTo(1));
    facts.destroyedCaches.add(0);
    facts.requestedCaches.clear();
    assertThat(TopologyPlanner.plan(begun, facts).cacheIndex("users"))
        .as("a late request names the one that is gone")
        .isEqualTo(1);
  }

  /** A topology that names more than there may be could not be read. */
  @Test
  void cachesThatNotAllKnowToBeDestroyedTakeUpRoom() {
    CacheConfig small = CacheConfig.distributed().segments(1);
    Topology two = facts.founded(a, b);
    facts.requestedCaches.clear();
    for (int i = 1; i < Topology.MAX_CACHES; i++) {
      facts.requestedCaches.add(new CacheDefinition("c" + i, small));
    }
    Topology full = TopologyPlanner.plan(two, facts);
    assertThat(full.caches().size()).isEqualTo(Topology.MAX_CACHES);
    CacheDefinition more = new CacheDefinition("more", small);
    assertThat(TopologySizeLimit.refusalReason(full, more))
        .contains("\"more\"", "10000 caches", "destroy", "Grid.destroy");

    facts.requestedCaches.clear();
    facts.destroyedCaches.add(0);
    Topology destroyed = TopologyPlanner.plan(full, facts);
    facts.requestedCaches.add(more);
    assertThat(TopologySizeLimit.refusalReason(destroyed, more)).isNull();
    assertThat(TopologyPlanner.plan(destroyed, facts).cacheIndex("more")).isNegative();
    facts.adoptAll(destroyed);
    assertThat(TopologyPlanner.plan(destroyed, facts).cacheIndex("more"))
        .isEqualTo(Topology.MAX_CACHES);
  }

  /** Where caches come and go all the time, some member is always about to adopt the last one. */
  @Test
  void eachDestroyedCacheIsForgottenForItself() {
    Topology first = destroyed();
    facts.adoptAll(first);
    facts.requestedCaches.add(new CacheDefinition("other", CacheConfig.distributed().segments(1)));
    Topology withOther = TopologyPlanner.plan(first, facts);
    assertThat(withOther.cacheIndex("other")).isEqualTo(1);
    facts.requestedCaches.clear();
    facts.destroyedCaches.add(1);
    Topology second = TopologyPlanner.plan(withOther, facts);
    facts.requestedCaches.add(new CacheDefinition("third", CacheConfig.distributed().segments(1)));
    facts.adoptedNumbers.put(a, second.number());
    Topology withThird = TopologyPlanner.plan(second, facts);
    facts.requestedCaches.clear();
    facts.destroyedCaches.add(2);
    Topology third = TopologyPlanner.plan(withThird, facts);
    assertThat(third.caches().destroyed()).containsOnlyKeys(1, 2);
    facts.adoptedNumbers.put(a, second.number());
    facts.adoptedNumbers.put(b, second.number());
    Topology next = TopologyPlanner.plan(third, facts);
    assertThat(next.caches().isGoneEverywhere(1)).isTrue();
    assertThat(next.caches().isGoneEverywhere(2)).isFalse();
  }

  @Test
  void otherCachesKeepTheirIndexes() {
    facts.requestedCaches.add(new CacheDefinition("other", CacheConfig.replicated().segments(1)));
    Topology two = facts.founded(a, b);
    int other = two.cacheIndex("other");
    int users = two.cacheIndex("users");
    facts.requestedCaches.clear();
    facts.destroyedCaches.add(Math.min(other, users));
    Topology next = TopologyPlanner.plan(two, facts);
    assertThat(next.caches()).hasSize(1);
    assertThat(next.caches().getFirst()).isEqualTo(two.caches().get(Math.max(other, users)));
  }

  @Test
  void identityIsKnownInGridsThatDescendFromTheOneWhereTheCacheWasCreated() {
    Topology two = facts.founded(a, b);
    CacheIdentity identity = CacheIdentity.of(two, two.caches().getFirst());
    assertThat(identity.fateIn(two)).isEqualTo(CacheFate.PRESENT);
    assertThat(identity.fateIn(TopologyFixture.founded(a, b)))
        .as("not created yet")
        .isEqualTo(CacheFate.UNKNOWN);
    UUID id = new UUID(4, 4);
    Topology recovered = GridRecovery.recoverGrid(two, Set.of(b.nodeId()), a, id);
    assertThat(identity.fateIn(recovered)).isEqualTo(CacheFate.PRESENT);
    facts.destroyedCaches.add(0);
    facts.requestedCaches.clear();
    assertThat(identity.fateIn(TopologyPlanner.plan(two, facts))).isEqualTo(CacheFate.DESTROYED);
  }

  /** The voters that were given up may have created caches that the one that goes on never saw. */
  @Test
  void recoveredGridGivesNoIndexThatMayHaveBeenGiven() {
    Topology two = facts.founded(a, b);
    Topology recovered = GridRecovery.recoverGrid(two, Set.of(b.nodeId()), a, new UUID(4, 4));
    assertThat(recovered.caches().nextIndex()).isGreaterThan(two.caches().nextIndex() + 100);
    assertThat(List.copyOf(recovered.caches().present())).hasSize(1);
  }
}
