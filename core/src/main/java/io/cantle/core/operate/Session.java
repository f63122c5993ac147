package io.cantle.core.operate;

import io.cantle.core.base.Clock;
import io.cantle.core.replica.SessionId;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writes of one membership of this node. They are numbered segment by segment: nothing an owner
 * must know of one segment depends on another, and a segment that gives no answers holds up its own
 * writes and no others. What is open is bounded for each segment and for all of them, in commands
 * and in the bytes of their results, which owners keep meanwhile.
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

  private final SessionId id;
  private final Clock clock;
  private final Room all;
  private final ReentrantLock growing = new ReentrantLock();
  private volatile Sequences[][] byCache = new Sequences[0][];

  Session(SessionId id, Clock clock) {
    this.id = id;
    this.clock = clock;
    this.all = new Room(clock, COMMANDS, BYTES, "the caches of this node");
  }

  SessionId id() {
    return id;
  }

  /** The writes to one segment. */
  Sequences sequences(int cache, int segment) {
    Sequences[][] all = byCache;
    return cache < all.length && segment < all[cache].length
        ? all[cache][segment]
        : grown(cache, segment)[cache][segment];
  }

  private Sequences[][] grown(int cache, int segment) {
    growing.lock();
    try {
      Sequences[][] more = Arrays.copyOf(byCache, Math.max(cache + 1, byCache.length));
      for (int place = byCache.length; place < more.length; place++) {
        more[place] = new Sequences[0];
      }
      Sequences[] row = more[cache];
      if (segment >= row.length) {
        more[cache] = Arrays.copyOf(row, Math.max(segment + 1, row.length * 2));
        for (int place = row.length; place < more[cache].length; place++) {
          Room mine = new Room(clock, SEGMENT_COMMANDS, SEGMENT_BYTES, "segment " + place);
          more[cache][place] = new Sequences(mine, all);
        }
      }
      byCache = more;
      return more;
    } finally {
      growing.unlock();
    }
  }
}
