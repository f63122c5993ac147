package io.cantle.core.topology;

import io.cantle.CacheMode;
import io.cantle.Durability;
import io.cantle.core.segment.Assignment;
import io.cantle.core.segment.Seat;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The pure function from the segments of a cache in one topology to those in the next. Each segment
 * moves alone, and each change of it is an epoch.
 *
 * <p><b>A holder</b> of a segment is a member whose copy has every acknowledged write: an owner, an
 * excluded owner since whose exclusion nobody has served, or a joiner that has received everything,
 * for it takes part in every write from the epoch in which it began to join. The rules below keep
 * holders:
 *
 * <ul>
 *   <li>A joiner becomes an owner in the next epoch once it is a holder, whatever the others do.
 *   <li>An owner that is no longer wanted retires only when all wanted owners are in sync.
 *   <li>While fewer owners are in sync than are wanted, no joiner is sent away: it may be a holder
 *       although nobody has heard of it yet.
 *   <li>A segment is lost, or in an available grid begins empty, only if no holder is present that
 *       is known as one. While it is lost its joiners keep their copies, and each says whether it
 *       is a holder.
 * </ul>
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
@SuppressWarnings("ReferenceEquality") // "Nothing changed" is the same object.
final class CachePlanner {

  /**
   * The members of the next topology.
   *
   * @param present all of them
   * @param leaving those that are handing over what they have
   * @param eligible those that may own segments of the cache
   * @param seats of the members there are and those to come
   */
  record Members(
      List<Member> present,
      List<Member> leaving,
      List<Member> eligible,
      Function<? super Member, Seat> seats) {}

  private final Topology now;
  private final Evolution.Facts facts;
  private final Members members;
  private final List<Member> present;
  private final int cache;
  private final boolean keeps;
  private final Durability durability;

  /** How many copies a segment has. */
  private final int copies;

  /** Whether a segment that has had no owner may begin. */
  private final boolean begins;

  /**
   * A planner of one cache.
   *
   * @param cache the place of the cache in the topology
   * @param begins whether a segment that has had no owner may begin
   */
  CachePlanner(
      Topology now,
      Evolution.Facts facts,
      Members members,
      int cache,
      CacheDefinition definition,
      boolean begins) {
    this.now = now;
    this.facts = facts;
    this.members = members;
    this.present = members.present();
    this.cache = cache;
    this.keeps = definition.keeps();
    this.durability = definition.config().durability();
    this.begins = begins;
    // Where nobody may own anything there are no copies, as anywhere.
    int most = Math.max(1, members.eligible().size());
    this.copies =
        definition.config().mode() == CacheMode.REPLICATED
            ? most
            : Math.min(definition.config().owners(), most);
  }

  /** The next segments, or the same object if nothing is to change. */
  CacheOwnership next(CacheOwnership before, boolean reassign) {
    List<Ownership> known = before.segments().stream().map(this::withoutThoseThatLeft).toList();
    boolean vacant =
        begins && !members.eligible().isEmpty() && known.stream().anyMatch(Ownership::vacant);
    List<List<Member>> targets = targets(known, reassign || vacant || anyFound(known));
    boolean changed = false;
    List<Ownership> segments = new ArrayList<>();
    for (int segment = 0; segment < known.size(); segment++) {
      Ownership from = known.get(segment);
      Ownership to = from.vacant() && !begins ? from : next(segment, from, targets.get(segment));
      changed |= to != before.segments().get(segment);
      segments.add(to);
    }
    return changed ? new CacheOwnership(before.definition(), segments) : before;
  }

  // ------------------------------------------------------------------ who shall own what

  /** Who shall own each segment, given who holds it. */
  List<List<Member>> assigned(List<List<Member>> held) {
    return Assignment.assign(held, members.eligible(), members.seats(), copies);
  }

  /** Whether a segment that was lost is to have owners again. */
  private boolean anyFound(List<Ownership> known) {
    for (int segment = 0; segment < known.size(); segment++) {
      Ownership from = known.get(segment);
      if (from.lost()
          && (!staysLost(segment, from)
              || !inSync(segment, from, holders(segment, from)).isEmpty())) {
        return true;
      }
    }
    return false;
  }

  /** Whether a lost segment stays so unless somebody is there who holds it. */
  private boolean staysLost(int segment, Ownership lost) {
    return !facts.lossAccepted(cache, segment, lost.epoch())
        && (!lost.last().isEmpty() || mayBeHeld(segment, lost));
  }

  private List<List<Member>> targets(List<Ownership> known, boolean anew) {
    List<List<Member>> held = new ArrayList<>();
    for (Ownership segment : known) {
      held.add(anew ? assignable(segment) : segment.target());
    }
    if (!anew) {
      return held;
    }
    List<List<Member>> assigned = assigned(held);
    if (!facts.suspended()) {
      return assigned;
    }
    List<List<Member>> targets = new ArrayList<>();
    for (int segment = 0; segment < held.size(); segment++) {
      boolean stays =
          !held.get(segment).isEmpty()
              && members.leaving().stream().noneMatch(known.get(segment).owners()::contains);
      targets.add(stays ? held.get(segment) : assigned.get(segment));
    }
    return targets;
  }

  /** Who holds or fetches a segment and may go on: what a new assignment should keep. */
  private List<Member> assignable(Ownership segment) {
    LinkedHashSet<Member> all = new LinkedHashSet<>();
    if (segment.unconfirmed()) {
      // Those that are back hold everything; who began to join does not.
      all.addAll(segment.owners());
      segment.last().stream().filter(Predicate.not(this::isBackWithoutCopies)).forEach(all::add);
    }
    all.addAll(segment.target());
    all.addAll(segment.owners());
    segment.joiners().forEach(joiner -> all.add(joiner.member()));
    return all.stream()
        .map(this::life)
        .distinct()
        .filter(members.eligible()::contains)
        .limit(copies)
        .toList();
  }

  // ------------------------------------------------------------------ who is back, with what

  /** Who was excluded and has left for another grid brings nothing, although it is back. */
  private Ownership withoutThoseThatLeft(Ownership from) {
    Predicate<Member> which = this::isBackWithoutCopies;
    return from.last().stream().anyMatch(which) ? from.without(which) : from;
  }

  /** Whether a member's node is there, in that life of it or another, and brings nothing. */
  private boolean isBackWithoutCopies(Member member) {
    if (!keeps && facts.discarded(member)) {
      return true;
    }
    Member life = life(member);
    return present.contains(life) ? facts.withoutCopies(life) : isBackInAnyLife(member);
  }

  /**
   * Who stands for a former holder: itself, or the next life of its node, which has its copy on
   * disk if the cache is one that is kept there.
   */
  private Member life(Member member) {
    if (!keeps || present.contains(member)) {
      return member;
    }
    return present.stream()
        .filter(life -> life.sameNode(member) && !facts.withoutCopies(life))
        .findFirst()
        .orElse(member);
  }

  /** Those whose copies have every acknowledged write, be they there or not. */
  private Set<Member> holders(int segment, Ownership from) {
    LinkedHashSet<Member> holders = new LinkedHashSet<>(from.owners());
    for (Joiner joiner : from.joiners()) {
      if (received(segment, from, joiner)) {
        holders.add(joiner.member());
      }
    }
    holders.addAll(from.last());
    // Who said that it has nothing of it: others go on without, or it is lost.
    holders.removeIf(member -> facts.dropped(cache, segment, member));
    return holders;
  }

  /**
   * Those of the holders that are there, or who stands for them. Who is back may lack what was
   * acknowledged before it was on disk. Then it counts only if nobody is there who has never been
   * away, be it a joiner that has yet to say whether it is a holder; and one of them alone: two
   * might lack different things.
   */
  private List<Member> inSync(int segment, Ownership from, Set<Member> holders) {
    List<Member> there =
        holders.stream().map(this::life).distinct().filter(present::contains).toList();
    if (durability.kind() != Durability.Kind.PERIODIC || holders.containsAll(there)) {
      return there;
    }
    List<Member> same = there.stream().filter(holders::contains).toList();
    if (!same.isEmpty()) {
      return same;
    }
    return isJoinerAsked(segment, from) ? List.of() : there.subList(0, 1);
  }

  // ------------------------------------------------------------------ what becomes of a segment

  private Ownership next(int segment, Ownership from, List<Member> target) {
    Set<Member> holders = holders(segment, from);
    List<Member> inSync = inSync(segment, from, holders);
    if (inSync.isEmpty()) {
      return unowned(segment, from, target, last(segment, from, holders));
    }
    List<Member> gone = holders.stream().filter(Predicate.not(this::isBackInAnyLife)).toList();
    List<Member> owners = owners(inSync, target);
    List<Member> wanted = target.isEmpty() ? owners : target;
    List<Joiner> joiners = joiners(from, owners, wanted);
    if (!owners.equals(from.owners())
        || !joiners.equals(from.joiners())
        || !wanted.equals(from.target())) {
      List<Member> writers = new ArrayList<>(owners);
      joiners.forEach(joiner -> writers.add(joiner.member()));
      List<Member> retiring = retiring(from, writers);
      return new Ownership(from.epoch() + 1, from.born(), owners, wanted, joiners, retiring, gone);
    }
    return from.unconfirmed() && facts.opened(cache, segment, from.epoch())
        ? from.confirmed()
        : from;
  }

  /**
   * Of a segment without an owner: who may bring it back, be it there already and not asked yet, or
   * has said that it holds it no more.
   */
  private List<Member> last(int segment, Ownership from, Set<Member> holders) {
    List<Member> last = new ArrayList<>();
    for (Member holder : holders) {
      if (!isBackInAnyLife(holder) || present.contains(life(holder))) {
        last.add(holder);
      }
    }
    Stream.concat(from.owners().stream(), from.last().stream())
        .filter(member -> facts.dropped(cache, segment, member))
        .forEach(last::add);
    return last;
  }

  private boolean isBackInAnyLife(Member member) {
    return present.stream().anyMatch(member::sameNode);
  }

  /** A segment of which no holder is known to be present. */
  private Ownership unowned(int segment, Ownership from, List<Member> target, List<Member> last) {
    if (from.vacant() && target.isEmpty()) {
      return from;
    }
    boolean isLost =
        from.lost()
            ? staysLost(segment, from)
            : now.charter().used() && (!last.isEmpty() || mayBeHeld(segment, from));
    if (!isLost || now.charter().available()) {
      // All are back without what they held; or what those that are gone hold of it is merged when
      // they are back; or there is nothing yet, or it is given up.
      return Ownership.empty(from.epoch() + 1, target, retiring(from, target));
    }
    if (from.lost()) {
      return from;
    }
    List<Member> joining = from.joiners().stream().map(Joiner::member).toList();
    return Ownership.lost(
        from.epoch() + 1, from.born(), from.joiners(), retiring(from, joining), last);
  }

  private boolean received(int segment, Ownership from, Joiner joiner) {
    return facts.received(cache, segment, from.epoch(), joiner);
  }

  /**
   * Whether a joiner may hold everything although it was not heard to say so: one that is there, or
   * may come back.
   */
  private boolean mayBeHeld(int segment, Ownership from) {
    return unheardJoiners(segment, from)
        .anyMatch(member -> present.contains(member) || !isBackInAnyLife(member));
  }

  /** Whether a joiner that is there has yet to say whether it is a holder. */
  private boolean isJoinerAsked(int segment, Ownership from) {
    return unheardJoiners(segment, from).anyMatch(present::contains);
  }

  private Stream<Member> unheardJoiners(int segment, Ownership from) {
    return from.joiners().stream()
        .map(Joiner::member)
        .filter(member -> !facts.dropped(cache, segment, member));
  }

  /**
   * The next owners: those that shall be, once all of them are in sync. Until then nobody goes but
   * one that leaves and is not needed for as many copies, on as many racks, as there shall be; and
   * the primary stays.
   */
  private List<Member> owners(List<Member> inSync, List<Member> target) {
    if (!target.isEmpty() && inSync.containsAll(target)) {
      return target;
    }
    List<Member> owners = new ArrayList<>(inSync);
    for (Member member : inSync) {
      List<Member> others = owners.stream().filter(one -> !one.equals(member)).toList();
      if (members.leaving().contains(member)
          && !target.isEmpty()
          && !target.contains(member)
          && others.size() >= target.size()
          && racks(others) >= racks(target)) {
        owners.remove(member);
      }
    }
    return owners;
  }

  private long racks(List<Member> some) {
    List<String> named = some.stream().map(member -> members.seats().apply(member).rack()).toList();
    long own = named.stream().filter(String::isEmpty).count();
    return own + named.stream().filter(Predicate.not(String::isEmpty)).distinct().count();
  }

  /** Who may still believe in an earlier epoch and has no part in the next. */
  private List<Member> retiring(Ownership from, List<Member> writers) {
    LinkedHashSet<Member> retiring = new LinkedHashSet<>(from.retiring());
    retiring.removeIf(member -> facts.adopted(member) >= now.number());
    retiring.addAll(from.writers());
    retiring.removeIf(member -> !present.contains(member) || writers.contains(member));
    return List.copyOf(retiring);
  }

  /** Who joins: who shall own and does not, and others that do while too few are in sync. */
  private List<Joiner> joiners(Ownership from, List<Member> owners, List<Member> target) {
    LinkedHashSet<Member> joining = new LinkedHashSet<>(target);
    if (owners.size() < target.size()) {
      from.joiners().stream().map(Joiner::member).filter(present::contains).forEach(joining::add);
    }
    owners.forEach(joining::remove);
    return joining.stream().map(member -> new Joiner(member, since(from, member))).toList();
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
