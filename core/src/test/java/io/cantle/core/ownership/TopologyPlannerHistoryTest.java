package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories of joins, leaves, exclusions, returns, received segments and adoptions. After
 * every step the test checks everything that must hold from one topology to the next. At the end
 * everything settles. A failure names its seed.
 */
@SuppressWarnings("ReferenceEquality") // An unchanged topology is the same object.
final class TopologyPlannerHistoryTest {
  private static final int STEP_COUNT = 120;
  private static final int MAX_MEMBERS = 9;

  private final ManualFacts facts = new ManualFacts();
  private final Set<Member> everLeaving = new HashSet<>();
  private final List<Member> excluded = new ArrayList<>();
  private int memberCount;

  static List<Long> seeds() {
    return new Random(20_250_801).longs(60).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyStepKeepsInvariants(long seed) {
    Random random = new Random(seed);
    facts.requestedCaches.add(
        new CacheDefinition(
            "spread", CacheConfig.distributed().segments(7).owners(1 + random.nextInt(3))));
    facts.requestedCaches.add(new CacheDefinition("copied", CacheConfig.replicated().segments(3)));
    boolean oldest = random.nextBoolean();
    Topology founded =
        new Topology(
            1,
            GridDefinition.ofNewGrid(
                    TopologyFixture.GRID,
                    0,
                    3,
                    oldest ? PartitionHandling.OLDEST_DECIDES : PartitionHandling.STOP)
                .withWritten(true),
            TopologyFixture.membership(List.of(newMember()), oldest),
            CacheCatalog.NONE);
    facts.adoptAll(founded);
    Topology now = TopologyPlanner.plan(founded, facts);
    for (int step = 0; step < STEP_COUNT; step++) {
      performRandomEvent(random, now);
      now = stepTo(now);
    }
    runToQuiescence(now);
  }

  private Topology stepTo(Topology now) {
    Topology next = TopologyPlanner.plan(now, facts);
    check(now, next);
    // As a leader does: what the topology shows need not be remembered.
    facts.leavingMembers.retainAll(next.members());
    facts.joiningMembers.removeAll(next.members());
    facts.silentMembers.retainAll(next.members());
    facts.acceptedLosses.clear();
    return next;
  }

  private Member newMember() {
    return ManualNetwork.member("m" + memberCount++);
  }

  private void performRandomEvent(Random random, Topology now) {
    List<Member> heard = new ArrayList<>(now.members());
    heard.removeAll(facts.silentMembers);
    for (int events = random.nextInt(4); events > 0; events--) {
      Member one = heard.get(random.nextInt(heard.size()));
      switch (random.nextInt(13)) {
        case 0 -> {
          if (now.members().size() + facts.joiningMembers.size() < MAX_MEMBERS) {
            facts.join(newMember());
          }
        }
        case 1 -> {
          if (heard.size() > 1 && random.nextInt(2) == 0) {
            heard.remove(one);
            facts.crash(one);
            excluded.add(one);
          }
        }
        case 2 -> {
          if (random.nextInt(3) == 0 && everLeaving.add(one)) {
            facts.leavingMembers.add(one);
          }
        }
        case 3 -> comeBack(random, now);
        case 4, 5 -> facts.adoptedNumbers.put(one, now.number());
        case 6 -> facts.suspended ^= random.nextInt(3) == 0;
        case 7 -> facts.written |= random.nextInt(5) == 0;
        case 8 -> {
          if (random.nextInt(4) == 0) {
            facts.acceptedLosses.add(random.nextInt(now.caches().size()));
          }
        }
        case 9 -> {
          if (random.nextBoolean()) {
            facts.openAll(now);
          }
        }
        default -> receiveSome(random, now);
      }
    }
  }

  /** A member that was excluded asks to be admitted again. */
  private void comeBack(Random random, Topology now) {
    excluded.removeIf(everLeaving::contains);
    if (!excluded.isEmpty() && now.members().size() + facts.joiningMembers.size() < MAX_MEMBERS) {
      Member back = excluded.get(random.nextInt(excluded.size()));
      if (!now.members().contains(back)) {
        excluded.remove(back);
        facts.join(back);
      }
    }
  }

  private void receiveSome(Random random, Topology now) {
    for (int cache = 0; cache < now.caches().size(); cache++) {
      List<SegmentOwnership> segments = now.caches().get(cache).segments();
      for (int segment = 0; segment < segments.size(); segment++) {
        SegmentOwnership ownership = segments.get(segment);
        for (SegmentOwnership.Joiner joiner : ownership.joiners()) {
          // A primary sends nothing that it does not serve.
          if (!ownership.isUnconfirmed() && random.nextInt(3) == 0) {
            int epoch = ownership.epoch() - (random.nextInt(8) == 0 ? 1 : 0);
            facts.receive(cache, segment, epoch, joiner.member());
          }
        }
      }
    }
  }

  // ------------------------------------------------------------------ what must hold

  private void check(Topology before, Topology after) {
    if (after == before) {
      return;
    }
    assertThat(after.number()).isEqualTo(before.number() + 1);
    assertThat(after.gridId()).isEqualTo(before.gridId());
    assertThat(after.hashSeed()).isEqualTo(before.hashSeed());
    assertThat(after.gridDefinition().isWritten())
        .isEqualTo(before.gridDefinition().isWritten() || facts.written);
    assertThat(after.gridDefinition().isRebalanceSuspended()).isEqualTo(facts.suspended);
    assertThat(after.caches()).hasSameSizeAs(before.caches());
    Output out = new Output(64);
    after.write(out);
    assertThat(Topology.read(out.toInput())).isEqualTo(after);
    checkMembers(before, after);
    for (int cache = 0; cache < before.caches().size(); cache++) {
      CacheOwnership from = before.caches().get(cache);
      for (int segment = 0; segment < from.segments().size(); segment++) {
        check(
            cache,
            segment,
            from.segments().get(segment),
            after.ownership(cache, segment),
            before,
            after);
      }
    }
  }

  private void checkMembers(Topology before, Topology after) {
    List<Member> expected = new ArrayList<>();
    List<Member> free = new ArrayList<>();
    int shown = 0;
    int hidden = 0;
    for (Member member : before.members()) {
      boolean knows = facts.adoptedNumber(member) >= before.number();
      if (facts.silentMembers.contains(member)) {
        continue;
      }
      expected.add(member);
      if (before.leaving().contains(member) && !before.needs(member) && knows) {
        free.add(member);
      } else if (before.membership().voters().contains(member)) {
        shown += knows ? 1 : 0;
        hidden += knows ? 0 : 1;
      }
    }
    boolean anyStays = expected.size() > free.size();
    if (anyStays && (shown > hidden || shown + hidden == 0)) {
      expected.removeAll(free);
    }
    if (expected.isEmpty()) {
      expected.addAll(before.members());
    } else {
      facts.joiningMembers.stream()
          .filter(m -> !before.members().contains(m))
          .forEach(expected::add);
    }
    assertThat(after.members()).isEqualTo(expected).containsAll(after.leaving());
    for (Member member : after.members()) {
      long admission = before.membership().admissionNumber(member);
      assertThat(after.membership().admissionNumber(member))
          .isEqualTo(admission == 0 ? after.number() : admission);
    }
    List<Member> voters = after.membership().voters();
    assertThat(after.members()).containsAll(voters);
    assertThat(voters).doesNotHaveDuplicates();
    // Former voters, and members that have shown that they are alive; all members if there are
    // none.
    List<Member> may = new ArrayList<>(before.membership().voters());
    before.members().stream()
        .filter(
            member -> facts.adoptedNumber(member) >= before.membership().admissionNumber(member))
        .forEach(may::add);
    may.retainAll(after.members());
    List<Member> all = may.isEmpty() ? after.members() : may.stream().distinct().toList();
    assertThat(all).containsAll(voters);
    if (after.gridDefinition().oldestDecides() && all.size() == 2) {
      assertThat(voters)
          .containsExactly(
              after.members().stream().filter(all::contains).findFirst().orElseThrow());
    } else {
      assertThat(voters).hasSize(Math.min(Membership.MAX_VOTERS, all.size()));
    }
    boolean sameVoters = voters.equals(before.membership().voters());
    assertThat(after.membership().votersSinceNumber())
        .isEqualTo(sameVoters ? before.membership().votersSinceNumber() : after.number());
  }

  private void check(
      int cache,
      int segment,
      SegmentOwnership from,
      SegmentOwnership to,
      Topology before,
      Topology after) {
    List<Member> present = after.members();
    if (from.equals(to)) {
      if (!from.isLost()) {
        assertThat(present).containsAll(from.writers());
      }
      return;
    }
    if (to.epoch() == from.epoch()) {
      assertThat(facts.isOpened(cache, segment, from.epoch())).isTrue();
      assertThat(to).isEqualTo(from.asConfirmed());
      assertThat(from.isUnconfirmed()).isTrue();
      return;
    }
    assertThat(to.epoch()).isEqualTo(from.epoch() + 1);
    Set<Member> mustBeTold = new LinkedHashSet<>(from.retiring());
    mustBeTold.removeIf(member -> facts.adoptedNumber(member) >= before.number());
    mustBeTold.addAll(from.writers());
    mustBeTold.retainAll(present);
    mustBeTold.removeAll(to.writers());
    assertThat(to.retiring()).containsExactlyInAnyOrderElementsOf(mustBeTold);
    List<Member> holders = new ArrayList<>(from.owners());
    from.joiners().stream()
        .filter(joiner -> facts.hasReceived(cache, segment, from.epoch(), joiner))
        .forEach(joiner -> holders.add(joiner.member()));
    holders.addAll(from.lastOwners());
    List<Member> survivors = holders.stream().filter(present::contains).toList();
    if (from.isLost() && survivors.isEmpty()) {
      assertThat(facts.acceptedLosses).as("its loss was accepted").contains(cache);
      assertThat(to.birthEpoch()).isEqualTo(to.epoch());
      assertThat(to.owners()).isEqualTo(to.targetOwners());
      assertThat(to.lastOwners()).isEmpty();
      return;
    }
    assertThat(to.birthEpoch()).as("what is held goes on").isEqualTo(from.birthEpoch());
    assertThat(to.isLost()).as("lost only if all went that hold it").isEqualTo(survivors.isEmpty());
    assertThat(to.lastOwners())
        .as("who may bring it back")
        .isEqualTo(holders.stream().filter(holder -> !present.contains(holder)).toList());
    if (to.isLost()) {
      assertThat(to.owners()).isEmpty();
      assertThat(to.joiners()).as("one may hold it, unheard").isEqualTo(from.joiners());
      return;
    }
    checkWriters(from, to, after);
    for (SegmentOwnership.Joiner joiner : to.joiners()) {
      int since =
          from.joiners().stream()
              .filter(earlier -> earlier.member().equals(joiner.member()))
              .map(SegmentOwnership.Joiner::sinceEpoch)
              .findFirst()
              .orElse(to.epoch());
      assertThat(joiner.sinceEpoch()).isEqualTo(since);
    }
    assertThat(survivors).as("who owns has received everything").containsAll(to.owners());
    if (survivors.containsAll(to.targetOwners())) {
      assertThat(to.owners()).isEqualTo(to.targetOwners());
    } else {
      // Leaving members stay owners only until there are as many owners as wanted.
      List<Member> free = new ArrayList<>(survivors);
      free.removeAll(to.owners());
      assertThat(after.leaving()).containsAll(free);
      assertThat(free).noneMatch(to.targetOwners()::contains);
      assertThat(to.owners())
          .hasSizeGreaterThanOrEqualTo(free.isEmpty() ? 1 : to.targetOwners().size());
      assertThat(to.owners())
          .as("their order stays, and with it the primary")
          .isEqualTo(survivors.stream().filter(to.owners()::contains).toList());
    }
  }

  private static void checkWriters(SegmentOwnership from, SegmentOwnership to, Topology after) {
    List<Member> present = after.members();
    assertThat(to.owners()).doesNotHaveDuplicates();
    assertThat(to.targetOwners()).isNotEmpty().doesNotHaveDuplicates();
    assertThat(to.writers()).allMatch(present::contains);
    assertThat(to.retiring()).allMatch(present::contains);
    assertThat(to.writers()).doesNotHaveDuplicates().noneMatch(to.retiring()::contains);
    List<Member> joining = new ArrayList<>(to.targetOwners());
    if (to.owners().size() < to.targetOwners().size()) {
      from.joiners().stream().map(SegmentOwnership.Joiner::member).forEach(joining::add);
      joining.retainAll(present);
    }
    joining.removeAll(to.owners());
    assertThat(to.joiners().stream().map(SegmentOwnership.Joiner::member))
        .as("those of the target that are not owners join, others while they may be needed")
        .containsExactlyElementsOf(joining.stream().distinct().toList());
  }

  // ------------------------------------------------------------------ settling

  private void runToQuiescence(Topology last) {
    Topology now = last;
    facts.suspended = false;
    for (int i = 0; i < 12; i++) {
      facts.receiveAll(now);
      facts.openAll(now);
      facts.adoptAll(now);
      Topology next = stepTo(now);
      if (next == now) {
        checkSettled(now);
        return;
      }
      now = next;
    }
    throw new AssertionError("did not settle in twelve steps: " + now);
  }

  /** The members that may own segments: those that stay, or all if all leave. */
  private static List<Member> eligible(Topology now) {
    List<Member> staying = new ArrayList<>(now.members());
    staying.removeAll(now.leaving());
    return staying.isEmpty() ? now.members() : staying;
  }

  private static void checkSettled(Topology now) {
    List<Member> eligible = eligible(now);
    if (!now.leaving().containsAll(now.members())) {
      assertThat(now.leaving()).as("whom nobody needs is let go").isEmpty();
    }
    for (CacheOwnership cache : now.caches()) {
      CacheConfig config = cache.definition().config();
      int owners =
          config.mode() == CacheMode.REPLICATED
              ? eligible.size()
              : Math.min(config.owners(), eligible.size());
      for (SegmentOwnership segment : cache.segments()) {
        if (segment.isLost()) {
          assertThat(segment.lastOwners()).isNotEmpty().noneMatch(now.members()::contains);
        } else {
          assertThat(segment.isSteady()).isTrue();
          assertThat(segment.isUnconfirmed()).isFalse();
          assertThat(eligible).containsAll(segment.owners());
          assertThat(segment.owners()).hasSize(owners);
        }
      }
    }
  }
}
