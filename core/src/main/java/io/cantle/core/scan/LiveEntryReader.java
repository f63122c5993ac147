package io.cantle.core.scan;

import io.cantle.core.base.Output;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.CacheIdentity;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over the live entries of some segments, which reads a few hundred entries at a time.
 * It ends when its time slice is over, or when the entries and what was made of them reach their
 * limit of bytes; a single entry may exceed that limit. It waits for entries that are not committed
 * yet, and ends early, refused, when a segment has moved.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LiveEntryReader implements TaskInterpreter.EntrySource {
  private static final int MAX_BATCH_ENTRIES = 512;

  /** Limits a batch, because values that were read from disk are nowhere else in memory. */
  private static final long MAX_BATCH_BYTES = 4 << 20;

  private final List<SegmentScan> segments;
  private final boolean withValues;
  private final TimeSlice timeSlice;
  private final long maxBytes;

  /** An array, because owners spend most of their time with these entries. */
  private final @Nullable Entry[] batch = new @Nullable Entry[MAX_BATCH_ENTRIES];

  private int batchCount;
  private int batchIndex;
  private long batchBytes;
  private long bytesRead;
  private long entriesRead;
  private int segmentIndex;

  /** The position after the last delivered entry, until the batch is used up. */
  private SegmentCursor deliveredCursor = SegmentCursor.START;

  private boolean hasPeeked;
  private boolean hasFilled;
  private boolean stopped;
  private boolean ended;
  private boolean refused;

  /**
   * Creates a reader that has read nothing yet.
   *
   * @param withValues whether values are looked at, and to be read if they are only on disk
   * @param bytes the most bytes of all entries together with what is made of them
   */
  LiveEntryReader(List<SegmentScan> segments, boolean withValues, TimeSlice timeSlice, long bytes) {
    this.segments = segments;
    this.withValues = withValues;
    this.timeSlice = timeSlice;
    this.maxBytes = bytes;
    segments.forEach(SegmentScan::restart);
  }

  @Override
  public CacheIdentity cache() {
    return segments.getFirst().replica.cacheIdentity();
  }

  /** Whether it ended early because a segment moved. */
  boolean isRefused() {
    return refused;
  }

  /** Whether a segment it read from has moved by now. */
  boolean isLost() {
    return refused
        || !segments.subList(0, startedSegments()).stream().allMatch(SegmentScan::isValid);
  }

  /** The bytes of the entries that were read, with what was made of them. */
  long bytesRead() {
    return bytesRead;
  }

  /** The number of entries that were read. */
  long entriesRead() {
    return entriesRead;
  }

  private int startedSegments() {
    return Math.min(segmentIndex + 1, segments.size());
  }

  @Override
  public boolean hasNext() {
    if (hasPeeked) {
      return true;
    }
    while (batchIndex == batchCount) {
      if (refused || segmentIndex == segments.size()) {
        ended = true;
        return false;
      }
      if (stopped || (hasFilled && batchCount == 0 && timeSlice.isOver())) {
        stopped = true;
        return false;
      }
      fillBatch();
    }
    if (stopped || timeSlice.isOver() || !fits(batchEntry(batchIndex))) {
      stopped = true;
      return false;
    }
    hasPeeked = true;
    return true;
  }

  @Override
  public Entry next() {
    if (!hasNext()) {
      throw new NoSuchElementException("all entries were read");
    }
    return take();
  }

  // Asks once for each entry whether there is a next one, where the default asks twice.
  @Override
  public void forEachRemaining(Consumer<? super Entry> action) {
    while (hasNext()) {
      action.accept(take());
    }
  }

  private Entry take() {
    Entry entry = batchEntry(batchIndex);
    batchIndex++;
    hasPeeked = false;
    entriesRead++;
    bytesRead += entry.contentBytes();
    return entry;
  }

  private Entry batchEntry(int index) {
    return Objects.requireNonNull(batch[index]);
  }

  @Override
  public void addMadeBytes(long bytes) {
    bytesRead += bytes;
  }

  private boolean fits(Entry entry) {
    return entriesRead == 0 || bytesRead + entry.contentBytes() <= maxBytes;
  }

  private void fillBatch() {
    if (segments.get(segmentIndex).cursor().equals(SegmentCursor.END)) {
      segmentIndex++;
      if (segmentIndex == segments.size()) {
        return;
      }
    }
    hasFilled = true;
    batchCount = 0;
    batchIndex = 0;
    batchBytes = 0;
    SegmentScan segmentScan = segments.get(segmentIndex);
    deliveredCursor = segmentScan.cursor();
    segmentScan.advance(
        false,
        withValues ? entry -> true : null,
        entry -> {
          if (!entry.isTombstone()) {
            batch[batchCount++] = entry;
            if (withValues) {
              batchBytes += entry.contentBytes() + entry.prefetchDecodedValue();
            }
          }
          return batchCount == MAX_BATCH_ENTRIES || batchBytes >= MAX_BATCH_BYTES
              ? VisitResult.STOP_AFTER
              : VisitResult.CONTINUE;
        });
    if (!segmentScan.isValid()) {
      refused = true;
      batchCount = 0;
    } else if (segmentScan.isDirty() && batchCount == 0) {
      refused = !segmentScan.awaitDirty();
    }
  }

  /**
   * Writes how far it came in each segment; segments it did not start are not named. If the
   * consumer stopped before the end, it needs no more, and nothing is left to read of any segment.
   *
   * @param isLost whether what was read does not count
   */
  void writeStatuses(Output out, boolean isLost) {
    boolean stoppedEarly = !stopped && !ended;
    int started = startedSegments();
    for (int i = 0; i < (stoppedEarly && !isLost ? segments.size() : started); i++) {
      SegmentCursor reached = reachedCursor(i);
      out.writeVarint(segments.get(i).target.segment() + 1L);
      if (isLost) {
        out.writeByte(ScanStatus.LOST);
      } else if (stoppedEarly && i >= segmentIndex) {
        out.writeByte(ScanStatus.ENOUGH);
      } else if (reached.equals(SegmentCursor.END)) {
        out.writeByte(ScanStatus.DONE);
      } else {
        out.writeByte(ScanStatus.MORE);
        reached.write(out);
      }
    }
  }

  private SegmentCursor reachedCursor(int index) {
    if (index != segmentIndex || batchIndex == batchCount) {
      return segments.get(index).cursor();
    }
    return batchIndex == 0 ? deliveredCursor : SegmentCursor.after(batchEntry(batchIndex - 1));
  }
}
