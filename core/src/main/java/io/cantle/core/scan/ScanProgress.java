package io.cantle.core.scan;

import io.cantle.Delivery;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.wire.ScanTarget;
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
 * The cursors of a scan in all segments that no request is in flight for. It decides which node to
 * ask for which segment next.
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

  /** Segments whose remaining entries only the primary can read. */
  private final TreeSet<Integer> onlyAtPrimary = new TreeSet<>();

  /**
   * The size of the next entry of a segment, for segments where that was too much for a request.
   */
  private final TreeMap<Integer, Integer> oversizedBytes = new TreeMap<>();

  private final ArrayDeque<Integer> lostSegments = new ArrayDeque<>();

  /** How many wanted keys to put into one request while few of them exist. */
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

  /** The cursors to continue from, by segment. */
  Map<Integer, SegmentCursor> cursors() {
    return Collections.unmodifiableMap(openCursors);
  }

  /** The first open segment, or null if there is none. */
  @Nullable ScanTarget first() {
    Map.Entry<Integer, SegmentCursor> first = openCursors.firstEntry();
    return first == null ? null : new ScanTarget(first.getKey(), first.getValue());
  }

  void put(int segment, SegmentCursor cursor) {
    openCursors.put(segment, cursor);
  }

  void putAll(Map<Integer, SegmentCursor> more) {
    openCursors.putAll(more);
  }

  void clear() {
    openCursors.clear();
  }

  /** Removes and returns the next segment that turned out to be lost, or null. */
  @Nullable Integer pollLost() {
    return lostSegments.poll();
  }

  /** Records that a segment is lost and not to be requested again. */
  void markLost(int segment) {
    lostSegments.add(segment);
  }

  /** Records that a segment was read to its end. */
  void markDone(int segment) {
    onlyAtPrimary.remove(segment);
    oversizedBytes.remove(segment);
  }

  /**
   * Records the bytes of a segment's next entry if they are too many for a request; 0 if they are
   * not.
   */
  void setOversized(int segment, int bytes) {
    if (bytes > 0) {
      oversizedBytes.put(segment, bytes);
    } else {
      oversizedBytes.remove(segment);
    }
  }

  /** The size of the largest such entry, or 0. */
  int longestOversizedBytes() {
    return oversizedBytes.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  /** Records that only the primary can read the rest of a segment; returns whether that is new. */
  boolean requirePrimary(int segment) {
    return onlyAtPrimary.add(segment);
  }

  /**
   * Removes segments from the open ones to put them into a request. It takes the first segments of
   * the list until their wanted keys are as many as the answer may have elements. While few of the
   * wanted keys exist, it takes more.
   *
   * @param elements how many elements the answer may have
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

  /**
   * Adapts the number of keys per request. {@code hadRoom} says that an answer was complete and had
   * room for more elements.
   */
  void adaptKeyLimit(boolean hadRoom) {
    keyLimit = hadRoom ? Math.clamp(2L * keyLimit, MIN_KEYS, MAX_KEYS) : 0;
  }

  /** Whether a member is the primary of all these segments. */
  boolean isPrimaryOfAll(Topology topology, Member member, List<ScanTarget> targets) {
    return targets.stream()
        .allMatch(
            target ->
                topology.ownership(context.cache(), target.segment()).primary().equals(member));
  }

  /**
   * Groups the open segments by the node that may be asked for them now, with this node last. A
   * node with a segment whose next entry is oversized comes first, because fewer requests are made
   * until that entry has come. Where segments are read in order, only the first of them count, as
   * far as one node has them.
   *
   * @param busy nodes with a request in flight
   */
  Map<Member, List<Integer>> groupBySource(Topology topology, List<Member> busy) {
    TreeMap<Member, List<Integer>> sorted = new TreeMap<>();
    int maxSegments = policy.inOrder() ? policy.maxSegments() : openCursors.size();
    for (int segment : openCursors.keySet().stream().limit(maxSegments).toList()) {
      if (isLost(topology, segment)) {
        openCursors.remove(segment);
        lostSegments.add(segment);
        continue;
      }
      Member source = sourceOf(topology, segment);
      if (policy.inOrder() && !sorted.isEmpty() && !sorted.containsKey(source)) {
        break;
      }
      sorted.computeIfAbsent(source, m -> new ArrayList<>()).add(segment);
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
    boolean isOnlyAtPrimary = !policy.spreads() || onlyAtPrimary.contains(segment);
    return context.sourceOf(topology, segment, isOnlyAtPrimary);
  }
}
