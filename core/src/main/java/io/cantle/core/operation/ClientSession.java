package io.cantle.core.operation;

import io.cantle.core.base.Clock;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.replica.SessionId;
import java.util.Arrays;
import java.util.UUID;

/**
 * Numbers the writes of one membership of this node, separately for each segment. What an owner
 * must know about one segment does not depend on another, so an unresponsive segment delays only
 * its own writes. Open writes are bounded for each segment and for all of them together. Both the
 * number of commands and the bytes of their results count, which owners keep meanwhile.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ClientSession {
  /** The limits for one segment, between the oldest unanswered write and the next. */
  static final int MAX_SEGMENT_COMMANDS = 1_024;

  static final long MAX_SEGMENT_BYTES = 1 << 20;

  /**
   * The limits for all segments together: this many segments may be stuck before the whole node is.
   */
  private static final int MAX_STUCK_SEGMENTS = 16;

  static final int MAX_COMMANDS = MAX_STUCK_SEGMENTS * MAX_SEGMENT_COMMANDS;
  static final long MAX_BYTES = MAX_STUCK_SEGMENTS * MAX_SEGMENT_BYTES;

  private static final CommandSequencer[] NONE = new CommandSequencer[0];

  private final UUID gridId;
  private final SessionId id;
  private final Clock clock;
  private final WriteWindow sessionWindow;
  private volatile CommandSequencer[][] byCache = new CommandSequencer[0][];

  ClientSession(UUID gridId, SessionId id, Clock clock) {
    this.gridId = gridId;
    this.id = id;
    this.clock = clock;
    this.sessionWindow = new WriteWindow(clock, MAX_COMMANDS, MAX_BYTES, "the caches of this node");
  }

  /** Whether it is of this membership in a grid. */
  boolean isOf(UUID grid, long admissionNumber) {
    return id.admissionNumber() == admissionNumber && gridId.equals(grid);
  }

  SessionId id() {
    return id;
  }

  /** The sequencer of the writes to one segment. */
  CommandSequencer sequencer(int cache, int segment) {
    CommandSequencer[][] current = byCache;
    return cache < current.length && segment < current[cache].length
        ? current[cache][segment]
        : growTo(cache, segment)[cache][segment];
  }

  /** Forgets caches that were destroyed. Writes that are in flight keep their sequencers. */
  synchronized void forgetDestroyed(CacheCatalog caches) {
    CommandSequencer[][] remaining = byCache.clone();
    for (int cache = 0; cache < remaining.length; cache++) {
      if (remaining[cache].length > 0 && caches.isDestroyed(cache)) {
        remaining[cache] = NONE;
        byCache = remaining;
      }
    }
  }

  private synchronized CommandSequencer[][] growTo(int cache, int segment) {
    CommandSequencer[][] grown = Arrays.copyOf(byCache, Math.max(cache + 1, byCache.length));
    for (int position = byCache.length; position < grown.length; position++) {
      grown[position] = NONE;
    }
    CommandSequencer[] row = grown[cache];
    if (segment >= row.length) {
      grown[cache] = Arrays.copyOf(row, Math.max(segment + 1, row.length * 2));
      for (int position = row.length; position < grown[cache].length; position++) {
        WriteWindow window =
            new WriteWindow(clock, MAX_SEGMENT_COMMANDS, MAX_SEGMENT_BYTES, "segment " + position);
        grown[cache][position] = new CommandSequencer(window, sessionWindow);
      }
    }
    byCache = grown;
    return grown;
  }
}
