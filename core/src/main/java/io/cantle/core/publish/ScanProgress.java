package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.topology.SegmentOwnership;
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
final class ScanProgress {
  private static final int MIN_KEYS = 16;
  private static final int MAX_KEYS = 4_096;

  private final ScanContext context;
  private final ScanOptions options;
  private final ScanClient.RequestPolicy policy;
  private final TreeMap<Integer, SegmentCursor> openCursors;

  /** Segments only the primary can tell the rest of. */
  private final TreeSet<Integer> onlyAtPrimary = new TreeSet<>();

  /** What the next entry of a segment takes, where that was too much for a request. */
  private final TreeMap<Integer, Integer> oversizedBytes = new TreeMap<>();

  private final ArrayDeque<Integer> lostSegments = new ArrayDeque<>();

  /** How many wanted keys are asked for at a time where few of them are there. */
  private int keyLimit;

  ScanProgress(
      ScanContext context,
      ScanOptions options,
      ScanClient.RequestPolicy policy,
      Map<Integer, SegmentCursor> startCursors) {
    this.context = context;
    this.options = options;
    this.policy = policy;
    this.openCursors = new TreeMap<>(startCursors);
  }

  Delivery delivery() {
    return options.delivery();
  }

  boolean isEmpty() {
    return openCursors.isEmpty();
  }

  /** Where to go on, by segment. */
  Map<Integer, SegmentCursor> cursors() {
    return Collections.unmodifiableMap(openCursors);
  }

  void putAll(Map<Integer, SegmentCursor> more) {
    openCursors.putAll(more);
  }

  void clear() {
    openCursors.clear();
  }

  /** The next segment that turned out to be lost, or null. */
  @Nullable Integer pollLost() {
    return lostSegments.poll();
  }

  /** A segment is not to be asked for again. */
  void markLost(int segment) {
    lostSegments.add(segment);
  }

  /** A segment has been told to its end. */
  void markDone(int segment) {
    onlyAtPrimary.remove(segment);
    oversizedBytes.remove(segment);
  }

  /** The next entry of a segment takes so many bytes, too many for a request; 0 if it does not. */
  void setOversized(int segment, int bytes) {
    if (bytes > 0) {
      oversizedBytes.put(segment, bytes);
    } else {
      oversizedBytes.remove(segment);
    }
  }

  /** The most that such an entry takes, or 0. */
  int longestOversizedBytes() {
    return oversizedBytes.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  /** The rest of a segment only its primary can tell. */
  void requirePrimary(int segment) {
    onlyAtPrimary.add(segment);
  }

  /**
   * Takes segments out, to be asked for: the first of these, as long as they have no more wanted
   * keys than can be told, or some more where few were there.
   *
   * @param elements how many elements an answer may have
   */
  List<ScanTarget> takeTargets(List<Integer> segments, int elements) {
    KeyFilter keyFilter = context.keyFilter();
    List<ScanTarget> targets = new ArrayList<>(segments.size());
    long keyCount = 0;
    for (int segment : segments) {
      if (keyCount >= Math.max(elements, keyLimit)) {
        break;
      }
      SegmentCursor stored = openCursors.remove(segment);
      SegmentCursor cursor = stored == null ? SegmentCursor.START : stored;
      List<byte[]> its = keyFilter == null ? null : keyFilter.keysAfter(segment, cursor);
      targets.add(new ScanTarget(segment, cursor, its));
      keyCount += its == null ? 0 : its.size();
    }
    return targets;
  }

  /** Whether all that was asked for has been told, and there was room for more. */
  void adaptKeyLimit(boolean hadRoom) {
    keyLimit = hadRoom ? Math.clamp(2L * keyLimit, MIN_KEYS, MAX_KEYS) : 0;
  }

  /** Whether a member is the primary of all of these. */
  boolean isPrimaryOfAll(Topology topology, Member member, List<ScanTarget> targets) {
    return targets.stream()
        .allMatch(
            target ->
                topology.ownership(context.cache(), target.segment()).primary().equals(member));
  }

  /**
   * The open segments of those that may be asked now, this node last; but a segment whose next
   * entry is long comes first, since fewer requests are made until it has come.
   *
   * @param busy those that are asked already
   */
  Map<Member, List<Integer>> groupBySource(Topology topology, List<Member> busy) {
    TreeMap<Member, List<Integer>> sorted = new TreeMap<>();
    for (int segment : List.copyOf(openCursors.keySet())) {
      if (isLost(topology, segment)) {
        openCursors.remove(segment);
        lostSegments.add(segment);
      } else {
        sorted.computeIfAbsent(sourceOf(topology, segment), m -> new ArrayList<>()).add(segment);
      }
    }
    if (!policy.spreads()) {
      busy.forEach(sorted::remove);
    }
    LinkedHashMap<Member, List<Integer>> bySource = new LinkedHashMap<>(sorted);
    List<Integer> ownSegments = bySource.remove(context.self());
    if (ownSegments != null) {
      bySource.put(context.self(), ownSegments);
    }
    for (int segment : oversizedBytes.keySet()) {
      Member firstSource = openCursors.containsKey(segment) ? sourceOf(topology, segment) : null;
      List<Integer> its = firstSource == null ? null : bySource.remove(firstSource);
      if (firstSource != null && its != null) {
        its.remove(Integer.valueOf(segment));
        its.addFirst(segment);
        bySource.putFirst(firstSource, its);
        break;
      }
    }
    if (options.sequential() && !bySource.isEmpty()) {
      Member onlySource = busy.isEmpty() ? bySource.keySet().iterator().next() : busy.getFirst();
      bySource.keySet().removeIf(member -> !member.equals(onlySource));
    }
    return bySource;
  }

  private boolean isLost(Topology topology, int segment) {
    return (policy.reportsLost() || options.delivery() == Delivery.AT_MOST_ONCE)
        && topology.ownership(context.cache(), segment).isUnowned();
  }

  private Member sourceOf(Topology topology, int segment) {
    SegmentOwnership ownership = context.ownership(topology, segment);
    return policy.spreads()
            && ownership.owners().contains(context.self())
            && !onlyAtPrimary.contains(segment)
        ? context.self()
        : ownership.primary();
  }
}
