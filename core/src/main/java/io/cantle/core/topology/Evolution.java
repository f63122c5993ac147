package io.cantle.core.topology;

import io.cantle.CacheMode;
import io.cantle.Durability;
import io.cantle.core.segment.Assignment;
import io.cantle.core.segment.Seat;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The pure function from one topology to the next. A segment moves alone and in two steps: first
 * the new owners join and every write goes to old and new ones; when all of them have received the
 * rest, they become the owners and the others retire. Each step is an epoch of the segment.
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
@SuppressWarnings("ReferenceEquality") // "Nothing changed" is the same object.
final class Evolution {

  /** What the leader has been told; read only while {@link #next} runs. */
  interface Facts {
    /** Members that have been silent for so long that they are to be excluded. */
    List<Member> silent();

    /** Who asks to be admitted. */
    List<Member> joining();

    /** The seat of one that asks. */
    Seat seat(Member member);

    /**
     * Whether one that asks has left this grid meanwhile, or its node never was in it, so that it
     * has no copies.
     */
    boolean withoutCopies(Member member);

    /** Members that want to go. */
    List<Member> leaving();

    /** Caches somebody wants to open. */
    List<CacheDefinition> wanted();

    /** Whether somebody wants to write. */
    boolean used();

    /** Whether the moving of segments is to be suspended. */
    boolean suspended();

    /** Whether what a segment held that was lost in this epoch of it is given up. */
    boolean lossAccepted(int cache, int segment, int epoch);

    /** Whether who counts as one that holds a segment said that it has dropped its copy. */
    boolean dropped(int cache, int segment, Member member);

    /** Whether a joiner said that it holds all of a segment, in this epoch of it. */
    boolean received(int cache, int segment, int epoch, Member joiner);

    /** Whether the primary of a segment said that it has opened this epoch of it. */
    boolean opened(int cache, int segment, int epoch);

    /** The number of the topology a member said it has adopted, 0 if nothing is known. */
    long adopted(Member member);
  }

  private final Topology now;
  private final Facts facts;
  private final Set<Member> able;
  private final List<Member> present;
  private final List<Member> leaving;
  private final List<Member> eligible;
  private final List<Member> durable;
  private final boolean reassign;

  private Evolution(Topology now, Facts facts) {
    this.now = now;
    this.facts = facts;
    Set<Member> leavers = new LinkedHashSet<>(now.leaving());
    leavers.addAll(facts.leaving());
    present = present(leavers);
    leaving = leavers.stream().filter(present::contains).toList();
    able = able();
    eligible = eligible(present, leaving);
    durable = eligible(present.stream().filter(Member::durable).toList(), leaving);
    reassign =
        !eligible.equals(eligible(now.members(), now.leaving()))
            || now.charter().suspended() != facts.suspended();
  }

  /** The next topology, or the same object if nothing is to change. */
  static Topology next(Topology now, Facts facts) {
    return new Evolution(now, facts).next();
  }

  private Topology next() {
    Charter charter = now.charter();
    if (facts.used() && !charter.used()) {
      charter = charter.used(true);
    }
    if (facts.suspended() != charter.suspended()) {
      charter = charter.suspended(facts.suspended());
    }
    boolean changed = charter != now.charter();
    changed |= !present.equals(now.members()) || !leaving.equals(now.leaving());
    List<CacheOwnership> caches = new ArrayList<>();
    for (int cache = 0; cache < now.caches().size(); cache++) {
      CacheOwnership before = now.caches().get(cache);
      CacheOwnership after = step(cache, before);
      changed |= after != before;
      caches.add(after);
    }
    long room = facts.wanted().isEmpty() ? 0 : Ledger.MOST_FOUNDED_BYTES - Ledger.length(now);
    for (CacheDefinition wanted : facts.wanted()) {
      boolean known = caches.stream().anyMatch(c -> c.definition().name().equals(wanted.name()));
      if (!known
          && caches.size() < Topology.MAX_CACHES
          && beginsWithThoseThatLive()
          && (!wanted.keeps() || durable.isEmpty() || lasts())
          && room >= Ledger.added(now.members(), wanted)) {
        room -= Ledger.added(now.members(), wanted);
        caches.add(founded(wanted));
        changed = true;
      }
    }
    long number = now.number() + 1;
    Membership membership =
        now.membership()
            .changed(
                number,
                present,
                facts::seat,
                leaving,
                charter.oldestDecides(),
                this::showedItself,
                caches.stream().anyMatch(cache -> cache.definition().keeps())
                    || facts.wanted().stream().anyMatch(CacheDefinition::keeps));
    changed |= !membership.voters().equals(now.membership().voters());
    if (!changed) {
      return now;
    }
    return new Topology(number, charter, membership, caches);
  }

  /**
   * Whether a member has said that it knows of its admission. Only then it votes: of several that
   * are admitted together all may have died meanwhile, and would be most of the voters.
   */
  private boolean showedItself(Member member) {
    long admission = now.membership().admission(member);
    return admission > 0 && facts.adopted(member) >= admission;
  }

  /**
   * Whether everybody that is to own a part of a new cache is there. Some that founded the grid, or
   * were admitted just now, may have died meanwhile: once somebody writes, what only they own would
   * be lost, though nobody ever wrote to it. They show themselves or are excluded.
   */
  private boolean beginsWithThoseThatLive() {
    return eligible.stream().allMatch(this::showedItself);
  }

  /**
   * Whether those that decide remember it after a restart, and everybody knows them who is to own
   * what is kept on disk. What is acknowledged before that may be on all disks when all stop, and
   * everybody comes back knowing an earlier topology, most of whose voters never do.
   */
  private boolean lasts() {
    Membership membership = now.membership();
    return membership.voters().stream().allMatch(Member::durable)
        && durable.stream()
            .allMatch(
                member ->
                    showedItself(member) && facts.adopted(member) >= membership.votersSince());
  }

  /**
   * Who is in the next topology. Who leaves is let go once nobody needs it and it knows that
   * itself: until then it may believe that it owns something. Nor may its vote be needed: most of
   * the voters that stay have shown that they are there since it wants to go, for some may have
   * died just before. Who is excluded may come back in a later one.
   */
  private List<Member> present(Set<Member> leavers) {
    List<Member> staying = new ArrayList<>();
    List<Member> silent = facts.silent();
    for (Member member : now.members()) {
      if (silent.contains(member)) {
        // The next life of its node takes its place.
        facts.joining().stream()
            .filter(life -> life.sameNode(member) && !life.equals(member))
            .limit(1)
            .forEach(staying::add);
      } else {
        staying.add(member);
      }
    }
    List<Member> letGo =
        staying.stream()
            .filter(now.leaving()::contains)
            .filter(member -> !now.needs(member) && knows(member))
            .toList();
    List<Member> others = new ArrayList<>(now.membership().voters());
    others.retainAll(staying);
    others.removeAll(letGo);
    // When all leave that are there they go together, once the silent are excluded.
    boolean anyStays = staying.size() > letGo.size();
    if (anyStays
        && (others.isEmpty() || 2 * others.stream().filter(this::knows).count() > others.size())) {
      staying.removeAll(letGo);
    }
    if (staying.isEmpty()) {
      return now.members();
    }
    for (Member member : facts.joining()) {
      if (!now.members().contains(member) && staying.stream().noneMatch(member::sameNode)) {
        staying.add(member);
        leavers.remove(member);
      }
    }
    return staying;
  }

  /** Whether a member said that it has adopted the present topology. */
  private boolean knows(Member member) {
    return facts.adopted(member) >= now.number();
  }

  /** Who has capacity, of the members there are and those to come. */
  private Set<Member> able() {
    Set<Member> all = new HashSet<>(now.members());
    all.addAll(present);
    all.removeIf(member -> !seat(member).holdsEntries());
    return all;
  }

  private Seat seat(Member member) {
    return now.members().contains(member) ? now.membership().seat(member) : facts.seat(member);
  }

  /** Those that may own something. When everybody leaves that could, nobody is spared. */
  private List<Member> eligible(List<Member> members, List<Member> leavers) {
    List<Member> holding = members.stream().filter(able::contains).toList();
    List<Member> staying = holding.stream().filter(Predicate.not(leavers::contains)).toList();
    return staying.isEmpty() ? holding : staying;
  }

  /** Who may own segments of a cache: of one that is kept on disk, those that have one. */
  private List<Member> eligible(CacheDefinition definition) {
    return definition.keeps() ? durable : eligible;
  }

  /** How many copies a segment has; where nobody may own any there are fewer, as anywhere. */
  private int owners(CacheDefinition definition) {
    int most = Math.max(1, eligible(definition).size());
    return definition.config().mode() == CacheMode.REPLICATED
        ? most
        : Math.min(definition.config().owners(), most);
  }

  private CacheOwnership founded(CacheDefinition definition) {
    List<List<Member>> nobody = new ArrayList<>();
    for (int segment = 0; segment < definition.config().segments(); segment++) {
      nobody.add(List.of());
    }
    List<Ownership> segments = new ArrayList<>();
    for (List<Member> owners :
        Assignment.assign(nobody, eligible(definition), this::seat, owners(definition))) {
      segments.add(Ownership.empty(1, owners, List.of()));
    }
    return new CacheOwnership(definition, segments);
  }

  private CacheOwnership step(int cache, CacheOwnership before) {
    boolean keeps = before.definition().keeps();
    boolean begins = !keeps || lasts();
    boolean vacant = keeps && begins && before.segments().stream().anyMatch(Ownership::vacant);
    List<List<Member>> targets = targets(before, reassign || vacant || anyGivenUp(cache, before));
    boolean changed = false;
    List<Ownership> segments = new ArrayList<>();
    for (int segment = 0; segment < targets.size(); segment++) {
      Ownership known = before.segments().get(segment);
      if (known.vacant() && !begins) {
        segments.add(known);
        continue;
      }
      Ownership from = withoutThoseThatLeft(known, keeps);
      List<Member> target = targets.get(segment);
      int number = segment;
      Ownership to =
          step(
              from,
              before.definition().config().durability(),
              target,
              facts.lossAccepted(cache, number, from.epoch()),
              facts.opened(cache, number, from.epoch()),
              member -> facts.dropped(cache, number, member),
              joiner -> facts.received(cache, number, from.epoch(), joiner));
      changed |= to != known;
      segments.add(to);
    }
    return changed ? new CacheOwnership(before.definition(), segments) : before;
  }

  /** Who was excluded and has left for another grid brings nothing, although it is back. */
  private Ownership withoutThoseThatLeft(Ownership from, boolean keeps) {
    Predicate<Member> which = member -> isBackWithoutCopies(member, keeps);
    return from.last().stream().anyMatch(which) ? from.without(which) : from;
  }

  /** Whether a member's node is there, in that life of it or another, and brings nothing. */
  private boolean isBackWithoutCopies(Member member, boolean keeps) {
    Member life = life(member, keeps);
    return present.contains(life)
        ? facts.withoutCopies(life)
        : present.stream().anyMatch(member::sameNode);
  }

  /**
   * Who stands for a former owner: itself, or the next life of its node, which has its copy on disk
   * if the cache is one that is kept there.
   */
  private Member life(Member member, boolean keeps) {
    if (!keeps || present.contains(member)) {
      return member;
    }
    return present.stream()
        .filter(life -> life.sameNode(member) && !facts.withoutCopies(life))
        .findFirst()
        .orElse(member);
  }

  /**
   * Those of former owners that are there, or who stands for them. Who is back may lack what was
   * acknowledged before it was on disk. Then it counts only if nobody is there who has never been
   * away, and one of them alone: two might lack different things.
   */
  private List<Member> present(Set<Member> former, Durability durability) {
    List<Member> there =
        former.stream()
            .map(member -> life(member, durability.keeps()))
            .distinct()
            .filter(present::contains)
            .toList();
    if (durability.kind() != Durability.Kind.PERIODIC || former.containsAll(there)) {
      return there;
    }
    List<Member> same = there.stream().filter(former::contains).toList();
    return same.isEmpty() ? there.subList(0, 1) : same;
  }

  private boolean anyGivenUp(int cache, CacheOwnership before) {
    for (int segment = 0; segment < before.segments().size(); segment++) {
      Ownership ownership = before.segments().get(segment);
      if (ownership.lost() && facts.lossAccepted(cache, segment, ownership.epoch())) {
        return true;
      }
    }
    return false;
  }

  /** Who shall own each segment. */
  private List<List<Member>> targets(CacheOwnership before, boolean anew) {
    int owners = owners(before.definition());
    List<List<Member>> held = new ArrayList<>();
    for (Ownership segment : before.segments()) {
      held.add(anew ? holders(segment, owners, before.definition()) : segment.target());
    }
    if (!anew) {
      return held;
    }
    List<List<Member>> assigned =
        Assignment.assign(held, eligible(before.definition()), this::seat, owners);
    if (!facts.suspended()) {
      return assigned;
    }
    List<List<Member>> targets = new ArrayList<>();
    for (int segment = 0; segment < held.size(); segment++) {
      boolean stays =
          !held.get(segment).isEmpty()
              && leaving.stream().noneMatch(before.segments().get(segment).owners()::contains);
      targets.add(stays ? held.get(segment) : assigned.get(segment));
    }
    return targets;
  }

  /** Who holds or fetches a segment and may go on: what a new assignment should keep. */
  private List<Member> holders(Ownership segment, int owners, CacheDefinition definition) {
    boolean keeps = definition.keeps();
    LinkedHashSet<Member> holders = new LinkedHashSet<>();
    if (segment.unconfirmed()) {
      // Those that are back hold everything; who began to join does not.
      holders.addAll(segment.owners());
      segment.last().stream()
          .filter(member -> !isBackWithoutCopies(member, keeps))
          .forEach(holders::add);
    }
    holders.addAll(segment.target());
    holders.addAll(segment.owners());
    return holders.stream()
        .map(member -> life(member, keeps))
        .distinct()
        .filter(eligible(definition)::contains)
        .limit(owners)
        .toList();
  }

  /**
   * What becomes of a segment.
   *
   * @param durability how it is kept on disk
   * @param givenUp whether what it held is given up, should it be lost
   * @param opened whether its primary has opened the present epoch
   * @param dropped who said that it has nothing of it: others go on without, or it is lost
   */
  private Ownership step(
      Ownership from,
      Durability durability,
      List<Member> target,
      boolean givenUp,
      boolean opened,
      Predicate<Member> dropped,
      Predicate<Member> received) {
    LinkedHashSet<Member> all = new LinkedHashSet<>(from.owners());
    all.addAll(from.last());
    List<Member> without = all.stream().filter(dropped).toList();
    without.forEach(all::remove);
    List<Member> owners = present(all, durability);
    List<Member> gone =
        all.stream().filter(member -> present.stream().noneMatch(member::sameNode)).toList();
    if (from.vacant() && target.isEmpty()) {
      return from;
    }
    if (from.vacant()
        || (owners.isEmpty()
            && ((gone.isEmpty() && without.isEmpty())
                || now.charter().available()
                || !now.charter().used()))) {
      // All are back without what they held; or what those that are gone hold of it is merged when
      // they are back; or there is nothing yet.
      return Ownership.empty(from.epoch() + 1, target, retiring(from, target));
    }
    if (owners.isEmpty()) {
      if (!from.lost()) {
        List<Member> retiring = retiring(from, List.of());
        List<Member> last = Stream.concat(gone.stream(), without.stream()).toList();
        return Ownership.lost(from.epoch() + 1, from.born(), retiring, last);
      }
      return givenUp ? Ownership.empty(from.epoch() + 1, target, retiring(from, target)) : from;
    }
    List<Joiner> joiners = joiners(from, owners, target);
    boolean moved = !owners.equals(from.owners()) || !joiners.equals(from.joiners());
    if (joiners.isEmpty()
        || (!moved && joiners.stream().allMatch(joiner -> received.test(joiner.member())))) {
      owners = target;
      joiners = List.of();
      moved = !owners.equals(from.owners()) || !from.joiners().isEmpty();
    }
    if (moved || !target.equals(from.target())) {
      List<Member> writers = new ArrayList<>(owners);
      joiners.forEach(joiner -> writers.add(joiner.member()));
      List<Member> retiring = retiring(from, writers);
      return new Ownership(from.epoch() + 1, from.born(), owners, target, joiners, retiring, gone);
    }
    return opened && from.unconfirmed() ? from.confirmed() : from;
  }

  /** Who may still believe in an earlier epoch and has no part in the next. */
  private List<Member> retiring(Ownership from, List<Member> writers) {
    LinkedHashSet<Member> retiring = new LinkedHashSet<>(from.retiring());
    retiring.removeIf(this::knows);
    retiring.addAll(from.writers());
    retiring.removeIf(member -> !present.contains(member) || writers.contains(member));
    return List.copyOf(retiring);
  }

  private static List<Joiner> joiners(Ownership from, List<Member> owners, List<Member> target) {
    List<Joiner> joiners = new ArrayList<>();
    for (Member member : target) {
      if (!owners.contains(member)) {
        joiners.add(new Joiner(member, since(from, member)));
      }
    }
    return joiners;
  }

  private static int since(Ownership from, Member member) {
    for (Joiner joiner : from.joiners()) {
      if (joiner.member().equals(member)) {
        return joiner.since();
      }
    }
    return from.epoch() + 1;
  }
}
