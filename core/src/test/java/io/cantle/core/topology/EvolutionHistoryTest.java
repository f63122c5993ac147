package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.core.base.Output;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories of joins, leaves, crashes, receipts and adoptions. After every step all that
 * must hold from one topology to the next is checked; at the end everything is let settle. A
 * failure names its seed.
 */
@SuppressWarnings("ReferenceEquality") // "Nothing changed" is the same object.
final class EvolutionHistoryTest {
  private static final int STEPS = 120;

  private final HandFacts facts = new HandFacts();
  private final Set<Member> everLeaving = new HashSet<>();
  private int born;
  private long term = 1;

  static List<Long> seeds() {
    return new Random(20_250_801).longs(60).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyStepKeepsWhatWasPromised(long seed) {
    Random random = new Random(seed);
    facts.present.add(newMember());
    facts.wanted.add(
        new CacheDefinition(
            "spread", CacheConfig.distributed().segments(7).owners(1 + random.nextInt(3))));
    facts.wanted.add(new CacheDefinition("copied", CacheConfig.replicated().segments(3)));
    Topology now =
        Evolution.next(
            new Topology(1, new UUID(1, 2), 3, List.of(), List.of(), List.of()), facts, term);
    for (int step = 0; step < STEPS; step++) {
      happen(random, now);
      Topology next = Evolution.next(now, facts, term);
      check(now, next);
      now = next;
    }
    settle(now);
  }

  private Member newMember() {
    return HandNetwork.member("m" + born++);
  }

  private void happen(Random random, Topology now) {
    for (int events = random.nextInt(4); events > 0; events--) {
      switch (random.nextInt(10)) {
        case 0 -> {
          if (facts.present.size() < 8) {
            facts.present.add(newMember());
          }
        }
        case 1 -> {
          if (facts.present.size() > 1 && random.nextInt(2) == 0) {
            Member crashed = facts.present.remove(random.nextInt(facts.present.size()));
            facts.leaving.remove(crashed);
            facts.adopted.remove(crashed);
            term += random.nextInt(2);
          }
        }
        case 2 -> {
          Member leaver = facts.present.get(random.nextInt(facts.present.size()));
          if (random.nextInt(3) == 0 && everLeaving.add(leaver)) {
            facts.leaving.add(leaver);
          }
        }
        case 3 -> {
          // Those go whom nobody needs any more.
          for (Member leaver : List.copyOf(facts.leaving)) {
            if (now.leaving().contains(leaver) && !now.needs(leaver) && facts.present.size() > 1) {
              facts.present.remove(leaver);
              facts.leaving.remove(leaver);
            }
          }
        }
        case 4, 5 ->
            facts.adopted.put(
                facts.present.get(random.nextInt(facts.present.size())), now.number());
        default -> receiveSome(random, now);
      }
    }
  }

  private void receiveSome(Random random, Topology now) {
    for (int cache = 0; cache < now.caches().size(); cache++) {
      List<Ownership> segments = now.caches().get(cache).segments();
      for (int segment = 0; segment < segments.size(); segment++) {
        Ownership ownership = segments.get(segment);
        for (Ownership.Joiner joiner : ownership.joiners()) {
          if (random.nextInt(3) == 0) {
            int epoch = ownership.epoch() - (random.nextInt(8) == 0 ? 1 : 0);
            facts.receive(cache, segment, epoch, joiner.member());
          }
        }
      }
    }
  }

  private void check(Topology before, Topology after) {
    if (after == before) {
      return;
    }
    assertThat(after.number()).isGreaterThan(before.number());
    assertThat(after.gridId()).isEqualTo(before.gridId());
    assertThat(after.hashSeed()).isEqualTo(before.hashSeed());
    assertThat(after.members()).isEqualTo(facts.present);
    assertThat(after.members()).containsAll(after.leaving());
    assertThat(after.caches()).hasSameSizeAs(before.caches());
    Output out = new Output(64);
    after.write(out);
    assertThat(Topology.read(out.toInput())).isEqualTo(after);
    for (int cache = 0; cache < before.caches().size(); cache++) {
      CacheOwnership from = before.caches().get(cache);
      for (int segment = 0; segment < from.segments().size(); segment++) {
        check(
            cache, segment, from.segments().get(segment), after.ownership(cache, segment), before);
      }
    }
  }

  private void check(int cache, int segment, Ownership from, Ownership to, Topology before) {
    if (from.equals(to)) {
      return;
    }
    assertThat(to.epoch()).isEqualTo(from.epoch() + 1);
    assertThat(from.lost()).as("lost stays lost").isFalse();
    List<Member> survivors = from.owners().stream().filter(facts.present::contains).toList();
    assertThat(to.lost()).as("lost only if all owners crashed").isEqualTo(survivors.isEmpty());
    if (to.lost()) {
      assertThat(to.writers()).isEmpty();
      return;
    }
    assertThat(to.owners()).doesNotHaveDuplicates();
    assertThat(to.target()).isNotEmpty().doesNotHaveDuplicates();
    assertThat(to.writers()).allMatch(facts.present::contains);
    assertThat(to.retiring()).allMatch(facts.present::contains);
    assertThat(to.writers()).doesNotHaveDuplicates().noneMatch(to.retiring()::contains);
    for (Member owner : to.owners()) {
      assertThat(
              from.owners().contains(owner) || facts.received(cache, segment, from.epoch(), owner))
          .as("%s owns without having received in epoch %s", owner, from.epoch())
          .isTrue();
    }
    assertThat(to.joiners().stream().map(Ownership.Joiner::member))
        .as("those of the target that are not owners join")
        .containsExactlyElementsOf(
            to.target().stream().filter(m -> !to.owners().contains(m)).toList());
    for (Ownership.Joiner joiner : to.joiners()) {
      int since =
          from.joiners().stream()
              .filter(earlier -> earlier.member().equals(joiner.member()))
              .map(Ownership.Joiner::since)
              .findFirst()
              .orElse(to.epoch());
      assertThat(joiner.since()).isEqualTo(since);
    }
    Set<Member> mustBeTold = new LinkedHashSet<>(from.retiring());
    mustBeTold.removeIf(member -> facts.adopted(member) >= before.number());
    mustBeTold.addAll(from.writers());
    mustBeTold.retainAll(facts.present);
    mustBeTold.removeAll(to.writers());
    assertThat(to.retiring()).containsExactlyInAnyOrderElementsOf(mustBeTold);
    if (!to.owners().equals(from.owners()) && !to.owners().equals(survivors)) {
      assertThat(to.owners())
          .as("owners change to the target or not at all")
          .isEqualTo(to.target());
    }
  }

  private void settle(Topology last) {
    Topology now = last;
    for (int i = 0; i < 10; i++) {
      facts.receiveAll(now);
      facts.adoptAll(now);
      Topology next = Evolution.next(now, facts, term);
      check(now, next);
      if (next == now) {
        checkSettled(now);
        return;
      }
      now = next;
    }
    throw new AssertionError("did not settle in ten steps: " + now);
  }

  private void checkSettled(Topology now) {
    List<Member> eligible = new ArrayList<>(facts.present);
    eligible.removeAll(facts.leaving);
    if (eligible.isEmpty()) {
      eligible.addAll(facts.present);
    }
    for (CacheOwnership cache : now.caches()) {
      CacheConfig config = cache.definition().config();
      int owners =
          config.mode() == CacheMode.REPLICATED
              ? eligible.size()
              : Math.min(config.owners(), eligible.size());
      for (Ownership segment : cache.segments()) {
        if (!segment.lost()) {
          assertThat(segment.steady()).isTrue();
          assertThat(eligible).containsAll(segment.owners());
          assertThat(segment.owners()).hasSize(owners);
        }
      }
    }
    for (Member member : facts.present) {
      if (!eligible.contains(member)) {
        assertThat(now.needs(member)).isFalse();
      }
    }
  }
}
