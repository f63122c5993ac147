package io.cantle.core.ownership;

import io.cantle.CacheConfig;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.CacheIdentity.CacheFate;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the nodes of a grid agree on. A cache is identified by its index in {@link
 * #caches}, which never changes and is never given to another one.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param number counts the topologies of a grid, from 1; each is decided by the voters of the one
 *     before
 * @param gridDefinition what the grid is
 * @param membership the members of the grid
 * @param caches the caches
 */
public record Topology(
    long number, GridDefinition gridDefinition, Membership membership, CacheCatalog caches)
    implements Message {

  /** The topology before there is a grid. */
  public static final Topology NONE =
      new Topology(0, GridDefinition.NONE, Membership.NONE, CacheCatalog.NONE);

  /** The most caches that a grid may have. */
  static final int MAX_CACHES = 10_000;

  private static final int FORMAT_VERSION = 10;

  /** The format in which no cache shares a memory budget. */
  private static final int FORMAT_WITHOUT_BUDGETS = 9;

  /** The format in which no cache has a bound. */
  private static final int FORMAT_WITHOUT_BOUNDS = 8;

  /** The format that lacks the members that were released. */
  private static final int FORMAT_WITHOUT_RELEASED = 7;

  /** The format of before caches could be destroyed, in which their indexes are their places. */
  private static final int FORMAT_WITHOUT_INDEXES = 6;

  /** The format that lacks the nodes given up in recoveries. */
  private static final int FORMAT_WITHOUT_RECOVERIES = 5;

  static final int MAX_MEMBERS = 10_000;

  /**
   * A cache and the owners of each of its segments.
   *
   * @param index the index of the cache
   * @param createdNumber the number of the topology that created it; 0 if that is not known, for
   *     one of before caches could be destroyed
   * @param definition the name and configuration of the cache
   * @param segments by segment number
   */
  public record CacheOwnership(
      int index, long createdNumber, CacheDefinition definition, List<SegmentOwnership> segments) {
    /** Copies the list. */
    public CacheOwnership {
      segments = List.copyOf(segments);
    }

    /**
     * The birth epochs of the segments that receive the entries of one segment of a cache like this
     * one: of the same segment if both have equally many, and otherwise of all.
     *
     * @param segment the segment of the other cache
     * @param segmentCount how many segments the other cache has
     */
    public List<Integer> birthEpochs(int segment, int segmentCount) {
      return segmentCount == segments.size()
          ? List.of(segments.get(segment).birthEpoch())
          : segments.stream().map(SegmentOwnership::birthEpoch).toList();
    }

    private CacheOwnership inEpoch(int later, Function<SegmentOwnership, List<Member>> lastOwners) {
      return withSegments(
          segments.stream().map(one -> one.withEpoch(later, lastOwners.apply(one))).toList());
    }

    CacheOwnership withSegments(List<SegmentOwnership> next) {
      return new CacheOwnership(index, createdNumber, definition, next);
    }
  }

  /** Whether there is a grid at all. */
  public boolean isFounded() {
    return number > 0;
  }

  /** The id of the grid. */
  public UUID gridId() {
    return gridDefinition.gridId();
  }

  /** The seed of the hash of keys. */
  public long hashSeed() {
    return gridDefinition.hashSeed();
  }

  /** The hash of a key. */
  public long hashOf(ByteSlice key) {
    return KeyHash.hash(hashSeed(), key.bytes(), key.offset(), key.length());
  }

  /** The members of the grid, the longest-standing first. */
  public List<Member> members() {
    return membership.members();
  }

  /** The members that are leaving and are handing over what they hold. */
  public List<Member> leaving() {
    return membership.leaving();
  }

  /** The segments of all caches. */
  public Stream<SegmentOwnership> segments() {
    return caches.stream().flatMap(cache -> cache.segments().stream());
  }

  /** The highest epoch that any segment is in; 0 if there are no caches. */
  public int highestEpoch() {
    return segments().mapToInt(SegmentOwnership::epoch).max().orElse(0);
  }

  /**
   * Returns the caches with all segments in a later epoch, for a grid that goes on from this one.
   *
   * @param lastOwners the excluded owners that each segment has there
   */
  public CacheCatalog cachesInEpoch(
      int later, Function<SegmentOwnership, List<Member>> lastOwners) {
    return caches.map(cache -> cache.inEpoch(later, lastOwners));
  }

  /**
   * The owners of a segment.
   *
   * @throws io.cantle.CacheDestroyedException if the cache was destroyed
   */
  public SegmentOwnership ownership(int cache, int segment) {
    return caches.get(cache).segments().get(segment);
  }

  /**
   * Returns the owners of a segment, which must have some.
   *
   * @param advice ends the text of the exception if the segment is lost
   * @throws SegmentLostException if the segment is lost
   * @throws NotAvailableException if there is no member to own it
   */
  public SegmentOwnership requireOwned(int cache, int segment, String advice) {
    SegmentOwnership ownership = ownership(cache, segment);
    if (ownership.isVacant()) {
      throw new NotAvailableException(
          describeSegment(cache, segment)
              + " has no owner, because "
              + (caches.get(cache).definition().isDurable()
                  ? "it is kept on disk and no node with capacity for entries has a store; start"
                      + " one with a GridConfig.store"
                  : "no node of the grid has capacity for entries; start one whose"
                      + " GridConfig.capacity is more than 0"));
    }
    if (ownership.isLost()) {
      throw new SegmentLostException(
          describeSegment(cache, segment) + " is lost: every node that held it is gone; " + advice);
    }
    return ownership;
  }

  private String describeSegment(int cache, int segment) {
    return "segment " + segment + " of cache \"" + caches.get(cache).definition().name() + '"';
  }

  /**
   * The owners of a segment that another node named; null if it is not known here, or the cache was
   * destroyed.
   */
  public @Nullable SegmentOwnership findOwnership(int cache, int segment) {
    CacheOwnership found = caches.find(cache);
    return found != null && segment < found.segments().size()
        ? found.segments().get(segment)
        : null;
  }

  /** The index of the cache with this name, or -1. */
  public int cacheIndex(String name) {
    return caches.indexOf(name);
  }

  /**
   * The caches of an earlier topology that were destroyed since; it may be of a grid from which
   * this one descends, or of a side that has given way.
   */
  public List<CacheOwnership> destroyedSince(Topology earlier) {
    return mayHaveDestroyedSince(earlier)
        ? earlier.caches.stream()
            .filter(cache -> CacheIdentity.of(earlier, cache).fateIn(this) == CacheFate.DESTROYED)
            .toList()
        : List.of();
  }

  /** Whether it is possible that a cache of an earlier topology was destroyed since. */
  public boolean mayHaveDestroyedSince(Topology earlier) {
    return !earlier.gridId().equals(gridId())
        || earlier.caches.lastDestroyNumber() != caches.lastDestroyNumber();
  }

  /** Whether every member that may vote on the next topology does. */
  public boolean everyoneVotes() {
    return membership.everyoneVotes(gridDefinition.oldestDecides(), isAnyCacheDurable());
  }

  /** Whether any cache is kept on disk. If so, only members that remember decisions are to vote. */
  boolean isAnyCacheDurable() {
    return caches.stream().anyMatch(cache -> cache.definition().isDurable());
  }

  /** Whether a segment was lost in this epoch and nothing has changed about that yet. */
  public boolean isLostIn(int cache, int segment, int epoch) {
    SegmentOwnership ownership = findOwnership(cache, segment);
    return ownership != null && ownership.isLost() && ownership.epoch() == epoch;
  }

  /**
   * Whether any segment needs a member: because it holds the segment, held it last, or is to hold
   * it.
   */
  public boolean needs(Member member) {
    return segments()
        .anyMatch(
            segment ->
                segment.owners().contains(member)
                    || segment.targetOwners().contains(member)
                    || segment.lastOwners().contains(member)
                    || segment.findHolder(member) != null);
  }

  /**
   * Returns the next topology if nothing is to change. Deciding it ends proposals that voters
   * accepted and that were never decided.
   */
  public Topology withNextNumber() {
    return new Topology(number + 1, gridDefinition, membership, caches);
  }

  @Override
  public MessageKind kind() {
    return MessageKind.TOPOLOGY;
  }

  /** Writes the whole topology. */
  @Override
  public void write(Output out) {
    out.writeByte(FORMAT_VERSION);
    out.writeLong(number);
    gridDefinition.write(out);
    // Some members named below may have left the grid since, so the table holds all that are named
    // anywhere.
    Map<Member, Integer> table = new LinkedHashMap<>();
    addAll(table, members());
    addAll(table, membership.voters());
    addAll(table, leaving());
    segments()
        .forEach(
            segment -> {
              addAll(table, segment.owners());
              addAll(table, segment.targetOwners());
              addAll(table, segment.retiring());
              addAll(table, segment.lastOwners());
              segment.joiners().forEach(joiner -> addAll(table, List.of(joiner.member())));
              segment.holders().forEach(holder -> addAll(table, List.of(holder.member())));
            });
    out.writeList(table.keySet(), member -> member.write(out));
    writeMembership(out, table);
    out.writeVarint(caches.nextIndex());
    out.writeVarint(caches.lastDestroyNumber());
    out.writeList(
        caches.destroyed().entrySet(),
        gone -> {
          out.writeVarint(gone.getKey());
          out.writeString(gone.getValue().name());
          out.writeVarint(gone.getValue().number());
        });
    out.writeList(
        caches.present(),
        cache -> {
          out.writeVarint(cache.index());
          out.writeVarint(cache.createdNumber());
          cache.definition().write(out);
          boolean isScattered = cache.definition().isScattered();
          cache.segments().forEach(segment -> writeOwnership(out, segment, table, isScattered));
        });
  }

  private void writeMembership(Output out, Map<Member, Integer> table) {
    out.writeVarint(members().size());
    membership.admissionNumbers().forEach(out::writeLong);
    membership.capacities().forEach(memberCapacity -> memberCapacity.write(out));
    writeMembers(out, membership.voters(), table);
    out.writeLong(membership.votersSinceNumber());
    writeMembers(out, leaving(), table);
    out.writeList(membership.released(), out::writeId);
  }

  private static void writeOwnership(
      Output out, SegmentOwnership segment, Map<Member, Integer> table, boolean isScattered) {
    out.writeVarint(segment.epoch());
    out.writeVarint(segment.birthEpoch());
    writeMembers(out, segment.owners(), table);
    writeMembers(out, segment.targetOwners(), table);
    out.writeList(
        segment.joiners(),
        joiner -> {
          out.writeVarint(indexOf(joiner.member(), table));
          out.writeVarint(joiner.sinceEpoch());
        });
    writeMembers(out, segment.retiring(), table);
    writeMembers(out, segment.lastOwners(), table);
    if (isScattered) {
      out.writeList(
          segment.holders(),
          holder -> {
            out.writeVarint(indexOf(holder.member(), table));
            out.writeVarint(holder.sinceEpoch());
            out.writeBoolean(holder.isDraining());
          });
    }
  }

  /** Reads what {@link #write} wrote. */
  public static Topology read(Input in) {
    int format = in.readByte();
    if (format < FORMAT_WITHOUT_RECOVERIES || format > FORMAT_VERSION) {
      throw new MalformedException(
          "topology format %s, this node reads %s to %s"
              .formatted(format, FORMAT_WITHOUT_RECOVERIES, FORMAT_VERSION));
    }
    long number = in.readLong();
    GridDefinition gridDefinition = GridDefinition.read(in, format > FORMAT_WITHOUT_RECOVERIES);
    List<Member> table = in.readList(MAX_MEMBERS, Member::read);

    Membership membership = readMembership(in, table, format > FORMAT_WITHOUT_RELEASED);
    CacheCatalog caches =
        format > FORMAT_WITHOUT_INDEXES
            ? readCaches(in, table, format > FORMAT_WITHOUT_BOUNDS, format > FORMAT_WITHOUT_BUDGETS)
            : readCachesWithoutIndexes(in, table);
    return new Topology(number, gridDefinition, membership, caches);
  }

  private static CacheCatalog readCaches(
      Input in, List<Member> table, boolean hasBounds, boolean hasBudgets) {
    int nextIndex = in.readCount(CacheCatalog.MAX_CREATED);
    long lastDestroyNumber = in.readVarint();
    SortedMap<Integer, CacheCatalog.DestroyedCache> destroyed = new TreeMap<>();
    for (int count = in.readCount(MAX_CACHES); count > 0; count--) {
      destroyed.put(
          in.readCount(), new CacheCatalog.DestroyedCache(in.readString(), in.readVarint()));
    }
    List<CacheOwnership> present =
        in.readList(
            MAX_CACHES,
            one -> readCache(one, table, one.readCount(), one.readVarint(), hasBounds, hasBudgets));
    return new CacheCatalog(present, destroyed, nextIndex, lastDestroyNumber).requireOrder();
  }

  private static CacheCatalog readCachesWithoutIndexes(Input in, List<Member> table) {
    int[] nextIndex = new int[1];
    return CacheCatalog.of(
        in.readList(MAX_CACHES, one -> readCache(one, table, nextIndex[0]++, 0, false, false)));
  }

  private static CacheOwnership readCache(
      Input in,
      List<Member> table,
      int index,
      long createdNumber,
      boolean hasBounds,
      boolean hasBudgets) {
    CacheDefinition definition = CacheDefinition.read(in, hasBounds, hasBudgets);
    int segments = definition.config().segments();
    return new CacheOwnership(
        index,
        createdNumber,
        definition,
        in.readElements(segments, one -> readOwnership(one, table, definition.isScattered())));
  }

  private static Membership readMembership(Input in, List<Member> table, boolean namesReleased) {
    List<Member> members = table.subList(0, in.readCount(table.size()));
    return new Membership(
        members,
        in.readElements(members.size(), Input::readLong),
        in.readElements(members.size(), MemberCapacity::read),
        readMembers(in, table),
        in.readLong(),
        readMembers(in, table),
        namesReleased ? in.readList(MAX_MEMBERS, Input::readId) : List.of());
  }

  private static SegmentOwnership readOwnership(Input in, List<Member> table, boolean isScattered) {
    int epoch = in.readCount();
    int birthEpoch = in.readCount(epoch);
    return new SegmentOwnership(
        epoch,
        birthEpoch,
        readMembers(in, table),
        readMembers(in, table),
        in.readList(
            table.size(),
            one -> new SegmentOwnership.Joiner(readMember(one, table), one.readCount(epoch))),
        readMembers(in, table),
        readMembers(in, table),
        isScattered ? in.readList(table.size(), one -> readHolder(one, table, epoch)) : List.of());
  }

  private static SegmentOwnership.Holder readHolder(Input in, List<Member> table, int epoch) {
    return new SegmentOwnership.Holder(
        readMember(in, table), in.readCount(epoch), in.readBoolean());
  }

  private static void addAll(Map<Member, Integer> table, List<Member> added) {
    added.forEach(member -> table.putIfAbsent(member, table.size()));
  }

  private static void writeMembers(Output out, List<Member> members, Map<Member, Integer> table) {
    out.writeList(members, member -> out.writeVarint(indexOf(member, table)));
  }

  private static int indexOf(Member member, Map<Member, Integer> table) {
    return Objects.requireNonNull(table.get(member));
  }

  private static List<Member> readMembers(Input in, List<Member> table) {
    return in.readList(table.size(), one -> readMember(one, table));
  }

  private static Member readMember(Input in, List<Member> table) {
    return table.get(in.readCount(table.size() - 1));
  }

  /**
   * Explains how a cache differs from the configuration it is opened with, or returns null if both
   * agree.
   */
  public static @Nullable String disagreement(CacheDefinition known, CacheConfig wanted) {
    return known.config().equals(wanted)
        ? null
        : ("cache \"%s\" exists as %s and cannot be opened as %s;"
                + " open it with the configuration it has, or under another name")
            .formatted(known.name(), known.config(), wanted);
  }
}
