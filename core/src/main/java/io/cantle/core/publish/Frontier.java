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
  private final Access access;
  private final ScanOptions options;
  private final Asking.Manner manner;
  private final @Nullable WantedKeys keys;
  private final TreeMap<Integer, Cursor> open;

  /** Segments only the primary can tell the rest of. */
  private final TreeSet<Integer> dirtyHere = new TreeSet<>();

  private final ArrayDeque<Integer> lost = new ArrayDeque<>();

  Frontier(
      Access access,
      ScanOptions options,
      Asking.Manner manner,
      @Nullable WantedKeys keys,
      Map<Integer, Cursor> open) {
    this.access = access;
    this.options = options;
    this.manner = manner;
    this.keys = keys;
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
  }

  /** The rest of a segment only its primary can tell. */
  void onlyPrimary(int segment) {
    dirtyHere.add(segment);
  }

  /** Takes segments out, to be asked for. */
  List<Want> take(List<Integer> segments) {
    List<Want> wants = new ArrayList<>(segments.size());
    for (int segment : segments) {
      Cursor known = open.remove(segment);
      Cursor cursor = known == null ? Cursor.START : known;
      wants.add(new Want(segment, cursor, keys == null ? null : keys.behind(segment, cursor)));
    }
    return wants;
  }

  /** Whether a member is the primary of all of these. */
  boolean primaryOfAll(Topology topology, Member member, List<Want> wants) {
    return wants.stream()
        .allMatch(
            want -> topology.ownership(access.cache(), want.segment()).primary().equals(member));
  }

  /**
   * The open segments of those that may be asked now, this node last.
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
    Map<Member, List<Integer>> bySource = new LinkedHashMap<>(sorted);
    List<Integer> here = bySource.remove(access.self());
    if (here != null) {
      bySource.put(access.self(), here);
    }
    if (options.sequential() && !bySource.isEmpty()) {
      Member only = busy.isEmpty() ? bySource.keySet().iterator().next() : busy.getFirst();
      bySource.keySet().removeIf(member -> !member.equals(only));
    }
    return bySource;
  }

  private boolean lostNow(Topology topology, int segment) {
    return (manner.lostIsTold() || options.delivery() == Delivery.AT_MOST_ONCE)
        && topology.ownership(access.cache(), segment).lost();
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
