package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.segment.Seat;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a voter has been told and, should it lead, makes the next topology of.
 *
 * <p>Every voter keeps this, because any of them may have to lead next. All of it is hearsay: it is
 * in memory only, and members repeat what they have to say until a topology shows it. So nothing is
 * lost with a leader, and nothing here is agreed.
 *
 * <p>Three kinds of things are kept. Standings: how far each member has adopted topologies, whether
 * it has a lease, whether it leads, and whom it does not hear. Requests: to be admitted, to leave,
 * to have a cache, to accept a loss. Reports of copies: received, opened, dropped, discarded. The
 * planner sees them as facts; what a topology has settled is forgotten when it is adopted.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class Leader {
  /** Who asked to be admitted, and has not asked again for so long, has gone meanwhile. */
  private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_WANTED = 1_000;
  private static final System.Logger LOG = System.getLogger(Leader.class.getName());

  private final Grants grants;
  private final Requests requests;
  private final Impaired impaired;
  private final Lives lives;
  private final Map<Member, Long> adopted = new HashMap<>();
  private final Map<Member, Standing> standings = new HashMap<>();
  private final Map<Member, Long> undecided = new HashMap<>();
  private final Map<Member, Set<UUID>> unheard = new HashMap<>();
  private final Map<Member, Request> joining = new TreeMap<>();
  private final Set<Member> anew = new TreeSet<>();

  /** Nodes that were told to come back as new ones. */
  private final Set<UUID> discarded = new HashSet<>();

  /** Who was told of as one there is no room for. */
  private final Set<Member> refused = new TreeSet<>();

  private final LinkedHashSet<Member> leavers = new LinkedHashSet<>();
  private final List<CacheDefinition> wanted = new ArrayList<>();

  /** In which epoch of a segment a joiner said last that it holds everything. */
  private final Map<Receiver, Integer> received = new HashMap<>();

  private final Set<SegmentEpoch> opened = new HashSet<>();
  private final Set<SegmentEpoch> accepted = new HashSet<>();

  /** Who should hold a segment and does not, since when it has said so. */
  private final Map<SegmentEpoch, TreeSet<Member>> dropped = new HashMap<>();

  private boolean used;
  private @Nullable Boolean suspended;

  Leader(Grants grants, Impaired impaired, Requests requests, Lives lives) {
    this.grants = grants;
    this.impaired = impaired;
    this.requests = requests;
    this.lives = lives;
  }

  /** Forgets what was told to an earlier leader of this node's. */
  void begin(Topology current) {
    joining.clear();
    anew.clear();
    leavers.clear();
    wanted.clear();
    received.clear();
    opened.clear();
    accepted.clear();
    dropped.clear();
    used = false;
    suspended = null;
    adopted(current);
  }

  /** A topology was adopted: what it shows need not be remembered. */
  void adopted(Topology topology) {
    adopted.keySet().retainAll(topology.members());
    Membership membership = topology.membership();
    standings
        .keySet()
        .removeIf(one -> !membership.members().contains(one) && !membership.votes(one));
    impaired.adopted(topology);
    undecided.clear();
    unheard.keySet().removeIf(one -> !membership.votes(one));
    joining.keySet().removeAll(topology.members());
    anew.retainAll(joining.keySet());
    leavers.retainAll(topology.members());
    wanted.removeIf(definition -> topology.cache(definition.name()) >= 0);
    received.entrySet().removeIf(receipt -> past(topology, receipt.getKey(), receipt.getValue()));
    opened.removeIf(opening -> !awaited(topology, opening));
    accepted.clear();
    dropped.forEach((since, who) -> who.removeIf(one -> !shouldHold(topology, since, one)));
    dropped.values().removeIf(Set::isEmpty);
    suspended = null;
  }

  /** How far a member is; returns whether that is news. */
  boolean adopted(Member member, long number) {
    Long before = adopted.get(member);
    boolean news = before == null || before < number;
    if (news) {
      adopted.put(member, number);
    }
    return news;
  }

  /** The number of the topology a member said it has adopted. */
  long adoptedBy(Member member) {
    return adopted.getOrDefault(member, 0L);
  }

  /** What a member says of itself. */
  private record Standing(boolean leased, boolean leads) {
    /** Who has said nothing yet may be anything. */
    static final Standing UNKNOWN = new Standing(true, true);
  }

  /** Whether a member says that it holds a lease, and that it leads. */
  void standing(Member member, boolean leased, boolean leads) {
    standings.put(member, new Standing(leased, leads));
    impaired.standing(member, leased);
    if (member.equals(requests.self())) {
      impaired.leased(leased);
    }
  }

  /** A voter is heard of that is to be admitted in its present life: it has no lease. */
  void returned(Member voter) {
    standings.putIfAbsent(voter, new Standing(false, false));
  }

  /** The topology in which a voter has taken up a next one, or 0 if it has not. */
  void undecided(Member voter, long number) {
    undecided.put(voter, number);
  }

  /**
   * Whether a voter has taken up a topology after this one, whoever proposed it. The leader has
   * proposed none, so nobody will decide it: one that led before came back for a moment, or what it
   * sent came late. Until there is another topology that voter would bar whom it excludes.
   */
  boolean leftUndecided(Topology current) {
    return undecided.containsValue(current.number());
  }

  /** Whether a member holds a lease as far as is known. */
  boolean leased(Member member) {
    return standings.getOrDefault(member, Standing.UNKNOWN).leased;
  }

  /** Whether a member leads as far as is known. */
  boolean leads(Member member) {
    return standings.getOrDefault(member, Standing.UNKNOWN).leads;
  }

  /** Another life of a node that is a member, and answers; null if there is none. */
  private @Nullable Member sameNodeThere(Topology current, Member member) {
    return current.members().stream()
        .filter(life -> life.sameNode(member) && !life.equals(member) && isThere(life))
        .findFirst()
        .orElse(null);
  }

  /** A life of a node was told that its store counts no more. */
  void discarded(Member life) {
    if (discarded.size() < MAX_WANTED) {
      discarded.add(life.node());
    }
  }

  /** Whether of all that a node may hold a member that answers is an owner too. */
  boolean othersHold(Topology current, Member node) {
    return current.caches().stream()
        .filter(cache -> cache.definition().keeps())
        .flatMap(cache -> cache.segments().stream())
        .filter(
            segment ->
                Stream.concat(segment.owners().stream(), segment.last().stream())
                    .anyMatch(node::sameNode))
        .allMatch(
            segment ->
                segment.owners().stream()
                    .anyMatch(
                        owner ->
                            !owner.sameNode(node)
                                && current.members().contains(owner)
                                && isThere(owner)));
  }

  /** When somebody asked last, and the seat it said it has. */
  private record Request(long askedAt, Seat seat) {}

  /**
   * Somebody asks to be admitted, as one that comes anew or that was excluded. Not if its node is a
   * member in another life that is there: what an earlier one said may come late, and would be
   * taken for the next.
   */
  void joining(Topology current, Member member, boolean comesAnew, Seat seat, long now) {
    if (sameNodeThere(current, member) == null
        && impaired.admits(member)
        && hasRoomFor(current, member)) {
      // Of one node only one life is there, the last to ask.
      joining.keySet().removeIf(other -> other.sameNode(member) && !other.equals(member));
      joining.put(member, new Request(now, seat));
      if (comesAnew) {
        anew.add(member);
      }
    }
  }

  /** Whether nodes with stores can note a grid with one member more. Who holds data is let in. */
  private boolean hasRoomFor(Topology current, Member member) {
    List<Member> members = new ArrayList<>(current.members());
    joining.keySet().stream().filter(one -> !members.contains(one)).forEach(members::add);
    if (joining.containsKey(member) || members.stream().anyMatch(member::sameNode)) {
      return true;
    }
    members.add(member);
    String why = Ledger.refusal(current, members);
    if (why == null || holdsSomething(current, member)) {
      return true;
    }
    if (refused.size() < MAX_WANTED && refused.add(member)) {
      LOG.log(System.Logger.Level.ERROR, "node {0} is not admitted: {1}", member, why);
    }
    return false;
  }

  private static boolean holdsSomething(Topology current, Member member) {
    return current.caches().stream()
        .flatMap(cache -> cache.segments().stream())
        .anyMatch(
            segment ->
                segment.last().stream().anyMatch(member::sameNode)
                    || (segment.lost() && segment.writers().contains(member)));
  }

  /** A member reports; returns whether that may change something. */
  boolean reported(Topology current, Member from, Report report) {
    if (!current.members().contains(from)) {
      return false;
    }
    return switch (report) {
      case Report.Received(SegmentEpoch receipt) -> {
        Receiver receiver = new Receiver(receipt.cache(), receipt.segment(), from);
        boolean isNews =
            !past(current, receiver, receipt.epoch())
                && received.getOrDefault(receiver, 0) < receipt.epoch();
        if (isNews) {
          received.put(receiver, receipt.epoch());
        }
        yield isNews;
      }
      case Report.Opened(SegmentEpoch opening) ->
          awaited(current, opening)
              && current.ownership(opening.cache(), opening.segment()).primary().equals(from)
              && opened.add(opening);
      case Report.Leaving() -> leavers.add(from) || current.leaving().contains(from);
      case Report.Wanted(CacheDefinition definition) -> want(current, definition);
      case Report.Used() -> {
        used = true;
        yield !current.charter().used();
      }
      case Report.Suspended(boolean value, long number) -> {
        if (number == current.number()) {
          suspended = value;
        }
        yield number == current.number();
      }
      case Report.Dropped(SegmentEpoch epoch) ->
          isPresent(current, epoch)
              && shouldHold(current, epoch, from)
              && dropped.computeIfAbsent(epoch, e -> new TreeSet<>()).add(from);
      case Report.LossAccepted(SegmentEpoch loss) ->
          current.lostIn(loss.cache(), loss.segment(), loss.epoch()) && accepted.add(loss);
      case Report.Unanswered(UUID id) -> {
        current.members().stream()
            .filter(member -> member.id().equals(id))
            .forEach(member -> impaired.complained(from, member));
        yield true;
      }
    };
  }

  /** Who has received a segment. */
  private record Receiver(int cache, int segment, Member joiner) {}

  /**
   * Whether what was said in an epoch means nothing any more: who said so has stopped to join
   * since, or there is no such segment.
   */
  private static boolean past(Topology current, Receiver receiver, int epoch) {
    Ownership ownership = current.find(receiver.cache, receiver.segment);
    return ownership == null
        || (epoch <= ownership.epoch()
            && ownership.joiners().stream()
                .noneMatch(
                    joiner -> joiner.member().equals(receiver.joiner) && joiner.since() <= epoch));
  }

  /** Whether it matters that an epoch is opened: it is the present one and not confirmed. */
  private static boolean awaited(Topology current, SegmentEpoch opening) {
    Ownership ownership = current.find(opening.cache(), opening.segment());
    return ownership != null
        && ownership.epoch() == opening.epoch()
        && ownership.unconfirmed()
        && !ownership.unowned();
  }

  private static boolean isPresent(Topology current, SegmentEpoch epoch) {
    Ownership ownership = current.find(epoch.cache(), epoch.segment());
    return ownership != null && ownership.epoch() == epoch.epoch();
  }

  /**
   * Whether a member counts as one that has what the segment held in an epoch, or is asked for it.
   */
  private static boolean shouldHold(Topology current, SegmentEpoch epoch, Member member) {
    Ownership ownership = current.find(epoch.cache(), epoch.segment());
    return ownership != null
        && ownership.born() <= epoch.epoch()
        && (ownership.owners().contains(member)
            || ownership.last().contains(member)
            || (ownership.lost() && ownership.writers().contains(member)));
  }

  private boolean want(Topology current, CacheDefinition definition) {
    boolean isNew =
        current.cache(definition.name()) < 0
            && wanted.size() < MAX_WANTED
            && wanted.stream().noneMatch(one -> one.name().equals(definition.name()))
            && Ledger.refusal(current, definition) == null;
    return isNew && wanted.add(definition);
  }

  // ------------------------------------------------------------------ who is silent

  /** Tells another voter whom this one does not hear. */
  void writeSilent(Output out, Topology current) {
    List<Member> silent =
        current.members().stream()
            .filter(member -> grants.silence(member) >= Grants.WAIT_NANOS)
            .toList();
    out.writeVarint(silent.size());
    for (Member member : silent) {
      out.writeId(member.id());
    }
  }

  /** Another voter tells whom it does not hear. */
  void readSilent(Member from, Input in) {
    int count = in.readCount(in.remaining());
    Set<UUID> silent = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      silent.add(in.readId());
    }
    unheard.put(from, silent);
  }

  /**
   * Who is to be excluded: whom a majority of the voters does not hear any more, and who, if the
   * transport calls it gone as well, is out of all leases; else one that is heard and holds others
   * up. Nobody, while those of the voters that are heard of are no majority: an exclusion that
   * needed the vote of the excluded would be one by a minority.
   */
  private List<Member> silent(Topology current, List<Member> view) {
    List<Member> silent = new ArrayList<>();
    for (Member member : current.members()) {
      long silence = grants.silence(member);
      boolean gone =
          silence >= Grants.WAIT_NANOS && (!view.contains(member) || follower(member) != null);
      if (gone || (silence >= Grants.EXCLUDE_NANOS && unheardByMost(current, member))) {
        silent.add(member);
      } else if (silence >= Grants.DOUBT_NANOS && silence < Grants.EXCLUDE_NANOS) {
        // Those that fall silent together go together: the exclusion of another would have to wait
        // until the change of voters is as old as a lease. Whom others hear is not waited for.
        return List.of();
      }
    }
    if (silent.isEmpty()) {
      Member worst = impaired.worst(current, requests.self());
      if (worst != null && majorityStays(current, List.of(worst))) {
        impaired.excluded(worst);
        return List.of(worst);
      }
    }
    return majorityStays(current, silent) ? silent : List.of();
  }

  /** Another life of its node that asks to be admitted, if there is one: this one is dead. */
  private @Nullable Member follower(Member member) {
    return joining.keySet().stream()
        .filter(life -> life.sameNode(member) && !life.equals(member))
        .findFirst()
        .orElse(null);
  }

  /**
   * Whether voters that stay and are heard are a majority; one that is silent too may be dead. An
   * excluded one stays if its node's next life is admitted in its place: else those that are left
   * would be a minority, or nobody but newcomers.
   */
  private boolean majorityStays(Topology current, List<Member> excluded) {
    return current.membership().majority(voter -> stays(voter, excluded.contains(voter)));
  }

  private boolean stays(Member voter, boolean isExcluded) {
    Member life = isExcluded ? follower(voter) : lives.latest(voter);
    return life != null && isThere(life);
  }

  private boolean isThere(Member member) {
    return grants.silence(member) < Grants.DOUBT_NANOS;
  }

  /**
   * Whether every voter that stays is there. Nobody is admitted while one may be dead: a newcomer
   * votes too, and the more voters there are, the more of them must answer. Besides, who has died
   * cannot be excluded before a change of voters is as old as a lease; and where a process dies and
   * starts again at once the newcomer asks before the silence of the dead is long enough.
   */
  private boolean allVotersAnswer(Topology current, List<Member> excluded) {
    return current.membership().voters().stream()
        .allMatch(voter -> excluded.contains(voter) || isThere(lives.latest(voter)));
  }

  /** Who may be admitted; the next life of a voter is no more of a voter than the former one. */
  private List<Member> admissible(Topology current, List<Member> excluded) {
    boolean newcomers = allVotersAnswer(current, excluded);
    return joining.keySet().stream()
        .filter(one -> current.membership().votes(one) ? isThere(one) : newcomers)
        .toList();
  }

  private boolean unheardByMost(Topology current, Member member) {
    int count = 1;
    for (Member voter : current.membership().voters()) {
      Set<UUID> silent = unheard.get(lives.latest(voter));
      if (silent != null && silent.contains(member.id())) {
        count++;
      }
    }
    return current.membership().majority(count);
  }

  // ------------------------------------------------------------------ what comes next

  /** The topology to be proposed; the present one when nothing is to change. */
  Topology next(Topology current, List<Member> view, long now) {
    joining.values().removeIf(request -> now - request.askedAt > JOIN_NANOS);
    anew.retainAll(joining.keySet());
    Boolean suspend = suspended;
    return Evolution.next(
        current,
        new Evolution.Facts() {
          @Override
          public List<Member> silent() {
            return Leader.this.silent(current, view);
          }

          @Override
          public List<Member> joining() {
            return admissible(current, silent());
          }

          @Override
          public Seat seat(Member member) {
            Request request = joining.get(member);
            return request == null ? Seat.USUAL : request.seat;
          }

          @Override
          public boolean withoutCopies(Member member) {
            return (current.charter().available() || member.durable()) && anew.contains(member);
          }

          @Override
          public boolean discarded(Member member) {
            return discarded.contains(member.node());
          }

          @Override
          public List<Member> leaving() {
            return List.copyOf(leavers);
          }

          @Override
          public List<CacheDefinition> wanted() {
            return wanted;
          }

          @Override
          public boolean used() {
            return used;
          }

          @Override
          public boolean suspended() {
            return suspend == null ? current.charter().suspended() : suspend;
          }

          @Override
          public boolean lossAccepted(int cache, int segment, int epoch) {
            return accepted.contains(new SegmentEpoch(cache, segment, epoch));
          }

          @Override
          public boolean dropped(int cache, int segment, Member member) {
            return dropped.entrySet().stream()
                .anyMatch(
                    entry ->
                        entry.getKey().cache() == cache
                            && entry.getKey().segment() == segment
                            && entry.getValue().contains(member));
          }

          @Override
          public boolean received(int cache, int segment, int epoch, Joiner joiner) {
            Integer said = received.get(new Receiver(cache, segment, joiner.member()));
            return said != null && said >= joiner.since() && said <= epoch;
          }

          @Override
          public boolean opened(int cache, int segment, int epoch) {
            return opened.contains(new SegmentEpoch(cache, segment, epoch));
          }

          @Override
          public long adopted(Member member) {
            return adoptedBy(member);
          }
        });
  }
}
