package io.cantle.core.topology;

import io.cantle.CacheMode;
import io.cantle.core.segment.Assignment;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Predicate;

/**
 * The pure function from one topology to the next. A segment moves alone and in two steps: first
 * the new owners join and every write goes to old and new ones; when all of them have received the
 * rest, they become the owners and the others retire. Each step is an epoch of the segment.
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
@SuppressWarnings("ReferenceEquality") // "Nothing changed" is the same object.
final class Evolution {

  /** What the coordinator has been told; read only while {@link #next} runs. */
  interface Facts {
    /** Who is there, the longest-standing first. */
    List<Member> present();

    /** Who wants to go. */
    List<Member> leaving();

    /** Caches somebody wants to open. */
    List<CacheDefinition> wanted();

    /** Whether a joiner said that it holds all of a segment, in this epoch of it. */
    boolean received(int cache, int segment, int epoch, Member joiner);

    /** The number of the topology a member said it has adopted, 0 if nothing is known. */
    long adopted(Member member);
  }

  private Evolution() {}

  /** The next topology, or the same object if nothing is to change. */
  static Topology next(Topology now, Facts facts, long term) {
    List<Member> present = facts.present();
    List<Member> leaving = facts.leaving().stream().filter(present::contains).toList();
    List<Member> eligible = eligible(present, leaving);
    boolean reassign = !eligible.equals(eligible(now.members(), now.leaving()));
    boolean changed = !present.equals(now.members()) || !leaving.equals(now.leaving());
    List<CacheOwnership> caches = new ArrayList<>();
    for (int cache = 0; cache < now.caches().size(); cache++) {
      CacheOwnership before = now.caches().get(cache);
      CacheOwnership after = step(now, cache, before, facts, eligible, reassign);
      changed |= after != before;
      caches.add(after);
    }
    for (CacheDefinition wanted : facts.wanted()) {
      boolean known = caches.stream().anyMatch(c -> c.definition().name().equals(wanted.name()));
      if (!known && caches.size() < Topology.MAX_CACHES) {
        caches.add(founded(wanted, eligible));
        changed = true;
      }
    }
    return changed
        ? new Topology(now.nextNumber(term), now.gridId(), now.hashSeed(), present, leaving, caches)
        : now;
  }

  /** Those that may own something. When everybody leaves, nobody is spared. */
  private static List<Member> eligible(List<Member> members, List<Member> leaving) {
    List<Member> staying = members.stream().filter(Predicate.not(leaving::contains)).toList();
    return staying.isEmpty() ? members : staying;
  }

  private static int owners(CacheDefinition definition, List<Member> eligible) {
    return definition.config().mode() == CacheMode.REPLICATED
        ? eligible.size()
        : Math.min(definition.config().owners(), eligible.size());
  }

  private static CacheOwnership founded(CacheDefinition definition, List<Member> eligible) {
    List<List<Member>> nobody = new ArrayList<>();
    for (int segment = 0; segment < definition.config().segments(); segment++) {
      nobody.add(List.of());
    }
    List<Ownership> segments = new ArrayList<>();
    for (List<Member> owners : Assignment.assign(nobody, eligible, owners(definition, eligible))) {
      segments.add(new Ownership(1, owners, owners, List.of(), List.of()));
    }
    return new CacheOwnership(definition, segments);
  }

  private static CacheOwnership step(
      Topology now,
      int cache,
      CacheOwnership before,
      Facts facts,
      List<Member> eligible,
      boolean reassign) {
    int owners = owners(before.definition(), eligible);
    List<List<Member>> targets = new ArrayList<>();
    for (Ownership segment : before.segments()) {
      targets.add(reassign ? holders(segment, eligible, owners) : segment.target());
    }
    if (reassign) {
      targets = Assignment.assign(targets, eligible, owners);
    }
    boolean changed = false;
    List<Ownership> segments = new ArrayList<>();
    for (int segment = 0; segment < targets.size(); segment++) {
      Ownership from = before.segments().get(segment);
      int number = segment;
      Ownership to =
          step(
              from,
              targets.get(segment),
              facts.present(),
              joiner -> facts.received(cache, number, from.epoch(), joiner),
              member -> facts.adopted(member) >= now.number());
      changed |= to != from;
      segments.add(to);
    }
    return changed ? new CacheOwnership(before.definition(), segments) : before;
  }

  /** Who holds or fetches a segment and may go on: what a new assignment should keep. */
  private static List<Member> holders(Ownership segment, List<Member> eligible, int owners) {
    LinkedHashSet<Member> holders = new LinkedHashSet<>(segment.target());
    holders.addAll(segment.owners());
    return holders.stream().filter(eligible::contains).limit(owners).toList();
  }

  private static Ownership step(
      Ownership from,
      List<Member> target,
      List<Member> present,
      Predicate<Member> received,
      Predicate<Member> knows) {
    if (from.lost()) {
      return from;
    }
    List<Member> owners = from.owners().stream().filter(present::contains).toList();
    if (owners.isEmpty()) {
      return new Ownership(from.epoch() + 1, List.of(), List.of(), List.of(), List.of());
    }
    List<Joiner> joiners = new ArrayList<>();
    for (Member member : target) {
      if (!owners.contains(member)) {
        joiners.add(new Joiner(member, since(from, member)));
      }
    }
    boolean moved = !owners.equals(from.owners()) || !joiners.equals(from.joiners());
    if (joiners.isEmpty()
        || (!moved && joiners.stream().allMatch(joiner -> received.test(joiner.member())))) {
      owners = target;
      joiners = List.of();
      moved = !owners.equals(from.owners()) || !from.joiners().isEmpty();
    }
    if (!moved && target.equals(from.target())) {
      return from;
    }
    LinkedHashSet<Member> retiring = new LinkedHashSet<>(from.retiring());
    retiring.removeIf(knows);
    retiring.addAll(from.writers());
    retiring.removeIf(member -> !present.contains(member));
    Ownership to = new Ownership(from.epoch() + 1, owners, target, joiners, List.of());
    retiring.removeAll(to.writers());
    return new Ownership(to.epoch(), owners, target, joiners, List.copyOf(retiring));
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
