package io.cantle.core.topology;

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

/**
 * The pure function from one topology to the next: who is a member, who leaves, which caches there
 * are. What becomes of the segments of a cache says {@link CachePlanner}.
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
@SuppressWarnings("ReferenceEquality") // "Nothing changed" is the same object.
public final class Evolution {

  /** What the leader has been told; read only while {@link #next} runs. */
  public interface Facts {
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

    /**
     * Whether another life of a member's node was here, which ends the member for certain, and was
     * told to come as a new node: what the member had in memory is gone.
     */
    default boolean discarded(Member member) {
      return false;
    }

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

    /**
     * Whether a joiner said that it holds all of a segment, in an epoch up to this one. It has
     * taken part in every write since it began to join: once it holds everything it does until it
     * joins no more.
     */
    boolean received(int cache, int segment, int epoch, Joiner joiner);

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
  public static Topology next(Topology now, Facts facts) {
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
      CacheOwnership after = planner(cache, before.definition()).next(before, reassign);
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

  private CachePlanner planner(int cache, CacheDefinition definition) {
    return new CachePlanner(
        now,
        facts,
        new CachePlanner.Members(
            present, leaving, definition.keeps() ? durable : eligible, this::seat),
        cache,
        definition,
        !definition.keeps() || lasts());
  }

  private CacheOwnership founded(CacheDefinition definition) {
    List<List<Member>> nobody = new ArrayList<>();
    for (int segment = 0; segment < definition.config().segments(); segment++) {
      nobody.add(List.of());
    }
    List<Ownership> segments = new ArrayList<>();
    for (List<Member> owners : planner(now.caches().size(), definition).assigned(nobody)) {
      segments.add(Ownership.empty(1, owners, List.of()));
    }
    return new CacheOwnership(definition, segments);
  }
}
