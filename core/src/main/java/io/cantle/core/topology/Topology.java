package io.cantle.core.topology;

import io.cantle.CacheConfig;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Everything the nodes of a grid agree on. A cache is named by its place in {@link #caches}; places
 * never change.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param number grows with every change; its high bits are the term of the coordinator that made it
 * @param gridId made once, when the grid is founded
 * @param hashSeed seeds the hash of keys, against chosen ones
 * @param members who is in the grid, the longest-standing first
 * @param leaving those of the members that are handing over what they have
 * @param caches the caches, in the order of their creation
 */
public record Topology(
    long number,
    UUID gridId,
    long hashSeed,
    List<Member> members,
    List<Member> leaving,
    List<CacheOwnership> caches) {

  /** Before there is a grid. */
  public static final Topology NONE =
      new Topology(0, new UUID(0, 0), 0, List.of(), List.of(), List.of());

  /** How many caches a grid may have. */
  public static final int MAX_CACHES = 10_000;

  private static final int FORMAT = 1;
  private static final int TERM_SHIFT = 40;
  private static final int MAX_MEMBERS = 10_000;

  /**
   * A cache and the owners of each of its segments.
   *
   * @param definition what the cache is
   * @param segments by segment number
   */
  public record CacheOwnership(CacheDefinition definition, List<Ownership> segments) {
    /** Copies the list. */
    public CacheOwnership {
      segments = List.copyOf(segments);
    }
  }

  /** Copies the lists. */
  public Topology {
    members = List.copyOf(members);
    leaving = List.copyOf(leaving);
    caches = List.copyOf(caches);
  }

  /** Whether this is a grid at all. */
  public boolean founded() {
    return number > 0;
  }

  /** The term of the coordinator that made this topology. */
  public long term() {
    return number >>> TERM_SHIFT;
  }

  /** The number of the next topology made in a term, this one or a later. */
  long nextNumber(long term) {
    return term == term() ? number + 1 : (term << TERM_SHIFT) + 1;
  }

  /** The term a topology number belongs to. */
  static long termOf(long number) {
    return number >>> TERM_SHIFT;
  }

  /** The owners of a segment. */
  public Ownership ownership(int cache, int segment) {
    return caches.get(cache).segments().get(segment);
  }

  /** The place of the cache with this name, or -1. */
  public int cache(String name) {
    for (int cache = 0; cache < caches.size(); cache++) {
      if (caches.get(cache).definition().name().equals(name)) {
        return cache;
      }
    }
    return -1;
  }

  /** Whether a segment anywhere needs a member: it holds it, or will. */
  boolean needs(Member member) {
    for (CacheOwnership cache : caches) {
      for (Ownership segment : cache.segments()) {
        if (segment.owners().contains(member) || segment.target().contains(member)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Writes everything. */
  public void write(Output out) {
    out.writeByte(FORMAT);
    out.writeLong(number);
    out.writeLong(gridId.getMostSignificantBits());
    out.writeLong(gridId.getLeastSignificantBits());
    out.writeLong(hashSeed);
    // Retiring members may have left the grid since: the table holds everybody named anywhere.
    List<Member> table = new ArrayList<>(members);
    for (CacheOwnership cache : caches) {
      for (Ownership segment : cache.segments()) {
        addAll(table, segment.owners());
        addAll(table, segment.target());
        addAll(table, segment.retiring());
        segment.joiners().forEach(joiner -> addAll(table, List.of(joiner.member())));
      }
    }
    addAll(table, leaving);
    out.writeVarint(table.size());
    table.forEach(member -> member.write(out));
    out.writeVarint(members.size());
    writeMembers(out, leaving, table);
    out.writeVarint(caches.size());
    for (CacheOwnership cache : caches) {
      cache.definition().write(out);
      for (Ownership segment : cache.segments()) {
        out.writeVarint(segment.epoch());
        writeMembers(out, segment.owners(), table);
        writeMembers(out, segment.target(), table);
        out.writeVarint(segment.joiners().size());
        for (Ownership.Joiner joiner : segment.joiners()) {
          out.writeVarint(table.indexOf(joiner.member()));
          out.writeVarint(joiner.since());
        }
        writeMembers(out, segment.retiring(), table);
      }
    }
  }

  /** Reads what {@link #write} wrote. */
  public static Topology read(Input in) {
    int format = in.readByte();
    if (format != FORMAT) {
      throw new MalformedException("topology format " + format + ", this node reads " + FORMAT);
    }
    long number = in.readLong();
    UUID gridId = new UUID(in.readLong(), in.readLong());
    long hashSeed = in.readLong();
    int tableSize = in.readCount(MAX_MEMBERS);
    List<Member> table = new ArrayList<>();
    for (int i = 0; i < tableSize; i++) {
      table.add(Member.read(in));
    }
    List<Member> members = table.subList(0, in.readCount(tableSize));
    List<Member> leaving = readMembers(in, table);
    int cacheCount = in.readCount(MAX_CACHES);
    List<CacheOwnership> caches = new ArrayList<>();
    for (int i = 0; i < cacheCount; i++) {
      CacheDefinition definition = CacheDefinition.read(in);
      List<Ownership> segments = new ArrayList<>();
      for (int segment = 0; segment < definition.config().segments(); segment++) {
        segments.add(readOwnership(in, table));
      }
      caches.add(new CacheOwnership(definition, segments));
    }
    return new Topology(number, gridId, hashSeed, members, leaving, caches);
  }

  private static Ownership readOwnership(Input in, List<Member> table) {
    int epoch = in.readCount(Integer.MAX_VALUE);
    List<Member> owners = readMembers(in, table);
    List<Member> target = readMembers(in, table);
    int joinerCount = in.readCount(table.size());
    List<Ownership.Joiner> joiners = new ArrayList<>();
    for (int i = 0; i < joinerCount; i++) {
      joiners.add(new Ownership.Joiner(readMember(in, table), in.readCount(epoch)));
    }
    return new Ownership(epoch, owners, target, joiners, readMembers(in, table));
  }

  private static void addAll(List<Member> table, List<Member> more) {
    for (Member member : more) {
      if (!table.contains(member)) {
        table.add(member);
      }
    }
  }

  private static void writeMembers(Output out, List<Member> members, List<Member> table) {
    out.writeVarint(members.size());
    members.forEach(member -> out.writeVarint(table.indexOf(member)));
  }

  private static List<Member> readMembers(Input in, List<Member> table) {
    int count = in.readCount(table.size());
    List<Member> members = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      members.add(readMember(in, table));
    }
    return members;
  }

  private static Member readMember(Input in, List<Member> table) {
    return table.get(in.readCount(table.size() - 1));
  }

  /** What the grid says about a cache that somebody opens otherwise, or null if it agrees. */
  public static @Nullable String disagreement(CacheDefinition known, CacheConfig wanted) {
    return known.config().equals(wanted)
        ? null
        : "cache \""
            + known.name()
            + "\" exists as "
            + known.config()
            + " and cannot be opened as "
            + wanted
            + "; open it with the configuration it has, or under another name";
  }
}
