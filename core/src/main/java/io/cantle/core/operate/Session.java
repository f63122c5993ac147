package io.cantle.core.operate;

import io.cantle.core.base.Clock;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The writes of this node. They are numbered segment by segment: nothing an owner must know of one
 * segment depends on another, and a segment that gives no answers holds up its own writes and no
 * others. What is open is bounded for each segment and for all of them, in commands and in the
 * bytes of their results, which owners keep meanwhile.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Session {
  /** For one segment, between the oldest unanswered and the next. */
  static final int SEGMENT_COMMANDS = 1_024;

  static final long SEGMENT_BYTES = 1 << 20;

  /** For all segments together: so many segments may be stuck before the node is. */
  private static final int SHARES = 16;

  static final int COMMANDS = SHARES * SEGMENT_COMMANDS;
  static final long BYTES = SHARES * SEGMENT_BYTES;

  private final UUID id;
  private final Clock clock;
  private final Room all;
  private final ConcurrentHashMap<Long, Sequences> bySegment = new ConcurrentHashMap<>();

  Session(UUID id, Clock clock) {
    this.id = id;
    this.clock = clock;
    this.all = new Room(clock, COMMANDS, BYTES, "the caches of this node");
  }

  UUID id() {
    return id;
  }

  /** The writes to one segment. */
  Sequences sequences(int cache, int segment) {
    long place = (long) cache << Integer.SIZE | segment;
    Sequences known = bySegment.get(place);
    return known != null ? known : bySegment.computeIfAbsent(place, this::sequences);
  }

  private Sequences sequences(long place) {
    Room mine = new Room(clock, SEGMENT_COMMANDS, SEGMENT_BYTES, "segment " + (int) place);
    return new Sequences(mine, all);
  }
}
