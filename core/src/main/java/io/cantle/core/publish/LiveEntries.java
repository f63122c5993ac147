package io.cantle.core.publish;

import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The live entries of some segments one after the other, read a few hundred at a time, until its
 * turn is over or they, and what is made of them, are as many bytes as they may be; one entry
 * always may. It waits for entries that are not committed yet, and ends early, refused, when a
 * segment has moved on.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LiveEntries implements Tasks.Entries {
  private static final int BATCH = 512;

  /** Values that were read from disk are nowhere else in memory. */
  private static final long BATCH_BYTES = 4 << 20;

  private final List<Scanned> segments;
  private final boolean withValues;
  private final Turn turn;
  private final long bytesMost;
  private final Scanned.Commitment commitment;
  private final @Nullable Entry[] batch = new @Nullable Entry[BATCH];
  private int count;
  private int next;
  private long batchBytes;
  private long bytesRead;
  private long entriesRead;
  private int segment;
  private Cursor cursor;

  /** Behind the last entry that was handed out, as long as the batch is not used up. */
  private Cursor handedOut;

  private @Nullable Entry dirty;
  private @Nullable Entry settled;
  private boolean ready;
  private boolean filled;
  private boolean stopped;
  private boolean ended;
  private boolean refused;

  /**
   * Nothing is read yet.
   *
   * @param withValues whether values that are on disk only are wanted
   * @param bytes how long all entries together, and what is made of them, may be
   */
  LiveEntries(
      List<Scanned> segments,
      boolean withValues,
      Turn turn,
      long bytes,
      Scanned.Commitment commitment) {
    this.segments = segments;
    this.withValues = withValues;
    this.turn = turn;
    this.bytesMost = bytes;
    this.commitment = commitment;
    this.cursor = segments.isEmpty() ? Cursor.START : segments.getFirst().want().cursor();
    this.handedOut = cursor;
  }

  /** Whether it ended early because a segment moved on. */
  boolean refused() {
    return refused;
  }

  /** Whether a segment that was read from has moved on by now. */
  boolean lost() {
    return refused || !segments.subList(0, begun()).stream().allMatch(Scanned::holds);
  }

  /** How long the entries are that were read, with what was made of them. */
  long bytesRead() {
    return bytesRead;
  }

  /** How many entries were read. */
  long entriesRead() {
    return entriesRead;
  }

  private int begun() {
    return Math.min(segment + 1, segments.size());
  }

  @Override
  public boolean hasNext() {
    if (ready) {
      return true;
    }
    while (next == count) {
      if (refused || segment == segments.size()) {
        ended = true;
        return false;
      }
      if (stopped || (filled && count == 0 && turn.over())) {
        stopped = true;
        return false;
      }
      fill();
    }
    if (stopped || turn.over() || !fits(batch[next])) {
      stopped = true;
      return false;
    }
    ready = true;
    return true;
  }

  @Override
  public Entry next() {
    if (!hasNext()) {
      throw new NoSuchElementException("all entries were read");
    }
    Entry entry = batch[next];
    next++;
    ready = false;
    if (entry == null) {
      throw new IllegalStateException("a batch of entries has a gap");
    }
    entriesRead++;
    bytesRead += entry.bytes().length;
    return entry;
  }

  @Override
  public void made(long bytes) {
    bytesRead += bytes;
  }

  private boolean fits(@Nullable Entry entry) {
    return entriesRead == 0 || entry == null || bytesRead + entry.bytes().length <= bytesMost;
  }

  private void fill() {
    if (cursor.equals(Cursor.END)) {
      segment++;
      settled = null;
      if (segment == segments.size()) {
        return;
      }
      cursor = segments.get(segment).want().cursor();
    }
    filled = true;
    count = 0;
    next = 0;
    batchBytes = 0;
    dirty = null;
    handedOut = cursor;
    Scanned scanned = segments.get(segment);
    cursor =
        scanned.scan(
            cursor,
            withValues,
            newest -> {
              Entry entry = scanned.told(newest, settled);
              if (entry == null) {
                dirty = newest;
                return Visit.STOP_BEFORE;
              }
              if (!entry.tombstone()) {
                batch[count++] = entry;
                batchBytes += withValues ? entry.valueLength() : 0;
              }
              return count == BATCH || batchBytes >= BATCH_BYTES ? Visit.STOP_AFTER : Visit.NEXT;
            });
    Entry waitFor = dirty;
    if (!scanned.holds()) {
      refused = true;
      count = 0;
    } else if (waitFor != null && count == 0) {
      refused = !commitment.await(scanned.replica(), scanned.state().epoch(), waitFor);
      settled = waitFor;
    }
  }

  /**
   * Writes how far it came in each segment; those it did not begin are not named. Whoever stopped
   * by itself before the end had seen enough: for it nothing is left of any segment.
   *
   * @param isLost whether what was read does not count
   */
  void writeOutcomes(Output out, boolean isLost) {
    boolean enough = !stopped && !ended;
    int begun = begun();
    for (int i = 0; i < (enough && !isLost ? segments.size() : begun); i++) {
      Cursor here = i < segment ? Cursor.END : place();
      out.writeVarint(segments.get(i).want().segment() + 1L);
      if (isLost) {
        out.writeByte(Outcome.LOST);
      } else if (enough && i >= segment) {
        out.writeByte(Outcome.ENOUGH);
      } else if (here.equals(Cursor.END)) {
        out.writeByte(Outcome.DONE);
      } else {
        out.writeByte(Outcome.MORE);
        here.write(out);
      }
    }
  }

  private Cursor place() {
    if (next == count) {
      return cursor;
    }
    Entry last = next == 0 ? null : batch[next - 1];
    return last == null ? handedOut : Cursor.after(last);
  }
}
