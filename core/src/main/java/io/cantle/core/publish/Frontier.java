package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.core.container.Cursor;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How far a scan has come in each segment nobody is asked about at the moment, and who is to be
 * asked for the rest.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Frontier {
  private static final int KEYS_LEAST = 16;
  private static final int KEYS_MOST = 4_096;

  private final Access access;
  private final ScanOptions options;
  private final Asking.Manner manner;
  private final TreeMap<Integer, Cursor> open;

  /** Segments only the primary can tell the rest of. */
  private final TreeSet<Integer> dirtyHere = new TreeSet<>();

  /** What the next entry of a segment takes, where that was too much for a request. */
  private final TreeMap<Integer, Integer> longNext = new TreeMap<>();

  private final ArrayDeque<Integer> lost = new ArrayDeque<>();

  /** How many wanted keys are asked for at a time where few of them are there. */
  private int keysMost;

  Frontier(Access access, ScanOptions options, Asking.Manner manner, Map<Integer, Cursor> open) {
    this.access = access;
    this.options = options;
    this.manner = manner;
    this.open = new TreeMap<>(open);
  }

  Delivery delivery() {
    return options.delivery();
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Where to go on, by segment. */
  Map<Integer, Cursor> cursors() {
    return Collections.unmodifiableMap(open);
  }

  void putAll(Map<Integer, Cursor> more) {
    open.putAll(more);
  }

  void clear() {
    open.clear();
  }

  /** The next segment that turned out to be lost, or null. */
  @Nullable Integer lost() {
    return lost.poll();
  }

  /** A segment is not to be asked for again. */
  void lost(int segment) {
    lost.add(segment);
  }

  /** A segment has been told to its end. */
  void done(int segment) {
    dirtyHere.remove(segment);
    longNext.remove(segment);
  }

  /** The next entry of a segment takes so many bytes, too many for a request; 0 if it does not. */
  void longNext(int segment, int bytes) {
    if (bytes > 0) {
      longNext.put(segment, bytes);
    } else {
      longNext.remove(segment);
    }
  }

  /** The most that such an entry takes, or 0. */
  int longestNext() {
    return longNext.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  /** The rest of a segment only its primary can tell. */
  void onlyPrimary(int segment) {
    dirtyHere.add(segment);
  }

  /**
   * Takes segments out, to be asked for: the first of these, as long as they have no more wanted
   * keys than can be told, or some more where few were there.
   *
   * @param elements how many elements an answer may have
   */
  List<Want> take(List<Integer> segments, int elements) {
    WantedKeys wanted = access.keys();
    List<Want> wants = new ArrayList<>(segments.size());
    long some = 0;
    for (int segment : segments) {
      if (some >= Math.max(elements, keysMost)) {
        break;
      }
      Cursor known = open.remove(segment);
      Cursor cursor = known == null ? Cursor.START : known;
      List<byte[]> its = wanted == null ? null : wanted.behind(segment, cursor);
      wants.add(new Want(segment, cursor, its));
      some += its == null ? 0 : its.size();
    }
    return wants;
  }

  /** Whether all that was asked for has been told, and there was room for more. */
  void hadRoom(boolean room) {
    keysMost = room ? Math.clamp(2L * keysMost, KEYS_LEAST, KEYS_MOST) : 0;
  }

  /** Whether a member is the primary of all of these. */
  boolean primaryOfAll(Topology topology, Member member, List<Want> wants) {
    return wants.stream()
        .allMatch(
            want -> topology.ownership(access.cache(), want.segment()).primary().equals(member));
  }

  /**
   * The open segments of those that may be asked now, this node last; but a segment whose next
   * entry is long comes first, since fewer requests are made until it has come.
   *
   * @param busy those that are asked already
   */
  Map<Member, List<Integer>> bySource(Topology topology, List<Member> busy) {
    TreeMap<Member, List<Integer>> sorted = new TreeMap<>();
    for (int segment : List.copyOf(open.keySet())) {
      if (lostNow(topology, segment)) {
        open.remove(segment);
        lost.add(segment);
      } else {
        sorted.computeIfAbsent(source(topology, segment), m -> new ArrayList<>()).add(segment);
      }
    }
    if (!manner.spread()) {
      busy.forEach(sorted::remove);
    }
    LinkedHashMap<Member, List<Integer>> bySource = new LinkedHashMap<>(sorted);
    List<Integer> here = bySource.remove(access.self());
    if (here != null) {
      bySource.put(access.self(), here);
    }
    for (int segment : longNext.keySet()) {
      Member first = open.containsKey(segment) ? source(topology, segment) : null;
      List<Integer> its = first == null ? null : bySource.remove(first);
      if (first != null && its != null) {
        its.remove(Integer.valueOf(segment));
        its.addFirst(segment);
        bySource.putFirst(first, its);
        break;
      }
    }
    if (options.sequential() && !bySource.isEmpty()) {
      Member only = busy.isEmpty() ? bySource.keySet().iterator().next() : busy.getFirst();
      bySource.keySet().removeIf(member -> !member.equals(only));
    }
    return bySource;
  }

  private boolean lostNow(Topology topology, int segment) {
    return (manner.lostIsTold() || options.delivery() == Delivery.AT_MOST_ONCE)
        && topology.ownership(access.cache(), segment).unowned();
  }

  private Member source(Topology topology, int segment) {
    Ownership ownership = access.ownership(topology, segment);
    return manner.spread()
            && ownership.owners().contains(access.self())
            && !dirtyHere.contains(segment)
        ? access.self()
        : ownership.primary();
  }
}
