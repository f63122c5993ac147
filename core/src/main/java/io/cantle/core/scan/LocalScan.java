package io.cantle.core.scan;

import io.cantle.core.agreement.Lease;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.wire.PullRequest.EntryPart;
import io.cantle.core.wire.ScanTarget;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A scan that the calling thread reads itself, without a message and without bytes: a value that
 * nobody can change is the object that is kept beside its bytes. It goes on for as long as this
 * node is the only voter, and an active primary whose entries are committed. Where it can't go on,
 * {@link #rest} says what is left for a {@link PullClient}, which begins where this has ended.
 *
 * <p>It holds a few entries at a time: no more bytes than the block of an answer that a reader is
 * in, or one longer entry.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class LocalScan {
  private static final int MAX_BATCH_ENTRIES = 64;
  private static final long MAX_BATCH_BYTES = PullServer.BLOCK_BYTES;

  private final ScanContext context;
  private final PullClient.ScanSpec spec;
  private final LocalReplicas replicas;
  private final Lease lease;
  private final DecodedObjectCache objects;
  private final ScanMetrics.ScanAccount account;

  /** Where to continue in each segment that was not read to its end. */
  private final TreeMap<Integer, SegmentCursor> cursors;

  private final @Nullable Entry[] batch;
  private int batchCount;
  private int batchIndex;
  private long batchBytes;

  LocalScan(
      ScanContext context,
      PullClient.ScanSpec spec,
      LocalReplicas replicas,
      Lease lease,
      DecodedObjectCache objects,
      Object holder) {
    this.context = context;
    this.spec = spec;
    this.replicas = replicas;
    this.lease = lease;
    this.objects = objects;
    this.account = context.metrics().openAccount(holder);
    this.cursors = new TreeMap<>(context.startCursors(spec.options()));
    this.batch = new @Nullable Entry[Math.clamp(spec.options().batch(), 1, MAX_BATCH_ENTRIES)];
  }

  /**
   * Whether there is another element. If not, {@link #rest} says what is left.
   *
   * @throws IllegalStateException if the node was closed
   */
  public boolean hasNext() {
    while (batchIndex == batchCount) {
      dropBatch();
      if (cursors.isEmpty()) {
        return false;
      }
      int segment = cursors.firstKey();
      if (Objects.requireNonNull(cursors.get(segment)).equals(SegmentCursor.END)) {
        cursors.remove(segment);
        spec.options().notifyCompleted(segment);
      } else if (!readBatch(segment)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the next element. One that cannot be made stays the next.
   *
   * @param element makes it from the key and the value, of which one is null if it is not wanted
   * @throws io.cantle.core.base.MalformedException if key or value cannot be decoded
   */
  public <T> T next(BiFunction<@Nullable Object, @Nullable Object, T> element) {
    if (batchIndex == batchCount) {
      throw new NoSuchElementException("there is no element that was asked for");
    }
    Entry entry = Objects.requireNonNull(batch[batchIndex]);
    T made =
        element.apply(
            spec.part() == EntryPart.VALUE ? null : objects.keyForCaller(entry),
            spec.part() == EntryPart.KEY ? null : objects.valueForCaller(entry));
    batchIndex++;
    return made;
  }

  /** What is left to read, once there is no next element. */
  public PullClient.RemainingScan rest() {
    return new PullClient.RemainingScan(List.of(), Map.copyOf(cursors));
  }

  /** Ends the scan. */
  public void close() {
    dropBatch();
    account.close();
  }

  private void dropBatch() {
    account.add(-batchCount, -batchBytes, 0);
    for (int i = 0; i < batchCount; i++) {
      batch[i] = null;
    }
    batchCount = 0;
    batchIndex = 0;
    batchBytes = 0;
  }

  /** Reads some entries of a segment; returns false if that is left to others. */
  private boolean readBatch(int segment) {
    context.guard().check();
    context.topology();
    SegmentCursor from = Objects.requireNonNull(cursors.get(segment));
    SegmentScan segmentScan =
        replicas.open(context.cache(), new ScanTarget(segment, from), LocalScan::mayRead);
    if (segmentScan == null) {
      return false;
    }
    segmentScan.advance(
        false,
        entry -> false,
        entry -> {
          if (!entry.isTombstone()) {
            batch[batchCount++] = entry;
            batchBytes += entry.sizeBytes();
          }
          return batchCount == batch.length || batchBytes >= MAX_BATCH_BYTES
              ? VisitResult.STOP_AFTER
              : VisitResult.CONTINUE;
        });
    account.add(batchCount, batchBytes, 0);
    // Checked after the last entry was read: see Lease.
    if (!segmentScan.isValid() || !lease.isHeldEndlessly()) {
      dropBatch();
      return false;
    }
    cursors.put(segment, segmentScan.cursor());
    return batchCount > 0 || segmentScan.cursor().equals(SegmentCursor.END);
  }

  private static boolean mayRead(ReplicaState state) {
    return state.isReadable() && state.isActivePrimary();
  }
}
