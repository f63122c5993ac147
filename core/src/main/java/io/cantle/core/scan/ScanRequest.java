package io.cantle.core.scan;

import io.cantle.Delivery;
import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.codec.DecodingErrors;
import io.cantle.core.codec.FunctionFailure;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.PendingRequest;
import io.cantle.core.wire.ScanTarget;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request of a scan in flight, with the cursor of each of its segments that is not read to its
 * end. If no answer comes, the scan continues from these cursors.
 *
 * <p><b>Threading:</b> one thread, that of the scan.
 */
final class ScanRequest {
  private final ScanProgress scanProgress;

  /** The template this request was made from. */
  final ScanClient.RequestTemplate template;

  /** The memory of its answer. */
  final ScanBufferPool.ScanBuffer.Reservation reservation;

  final PendingRequest pending;

  /** The number of the topology in which it was sent. */
  final long topologyNumber;

  final List<ScanTarget> targets;
  private final boolean sentToPrimary;
  private final TreeMap<Integer, SegmentCursor> remaining = new TreeMap<>();

  /** When to send it again. */
  long resendAtNanos;

  private boolean leaseLost;
  private boolean madeProgress;
  private boolean requiresPrimary;

  ScanRequest(
      ScanProgress scanProgress,
      ScanClient.RequestTemplate template,
      ScanBufferPool.ScanBuffer.Reservation reservation,
      PendingRequest pending,
      Topology topology,
      List<ScanTarget> targets,
      long resendAtNanos) {
    this.scanProgress = scanProgress;
    this.template = template;
    this.reservation = reservation;
    this.pending = pending;
    this.topologyNumber = topology.number();
    this.sentToPrimary = scanProgress.isPrimaryOfAll(topology, pending.member(), targets);
    this.targets = targets;
    this.resendAtNanos = resendAtNanos;
    targets.forEach(target -> remaining.put(target.segment(), target.cursor()));
  }

  /** Ends the wait for its answer. */
  void end() {
    pending.cancel();
    template.onEnded();
  }

  /** The cursor to continue from, for each segment that is not done. */
  Map<Integer, SegmentCursor> remaining() {
    return Collections.unmodifiableMap(remaining);
  }

  /** Whether its answer brought the scan further. */
  boolean madeProgress() {
    return madeProgress;
  }

  /** Whether its answer, of a backup, was the first to say that only a primary can continue. */
  boolean requiresPrimary() {
    return requiresPrimary;
  }

  private void requirePrimary(int segment) {
    requiresPrimary |= scanProgress.requirePrimary(segment) && !sentToPrimary;
  }

  /**
   * Returns the body of the answer if it carries anything that counts, else null.
   *
   * @throws FunctionException if a function threw at the owner
   * @throws GridException if the result for a single entry is longer than a message
   */
  @Nullable Input readAnswer() {
    Input in = pending.answer();
    if (in == null) {
      loseRemaining();
      return null;
    }
    int status = in.readByte();
    if (status == ScanStatus.LEASE_LOST) {
      leaseLost = true;
      loseRemaining();
      return scanProgress.delivery() == Delivery.AT_LEAST_ONCE ? in : null;
    }
    if (status != ScanStatus.OK) {
      throwFailure(ScanFailure.read(status, in));
      return null;
    }
    return in;
  }

  /**
   * Throws unless the request was only refused.
   *
   * @throws FunctionException if a function threw at the owner
   * @throws GridException if the result for a single entry is longer than a message
   */
  static void throwFailure(ScanFailure failure) {
    switch (failure) {
      case ScanFailure.ScanRefused() -> {}
      case ScanFailure.FunctionThrew(String node, ByteSlice thrown) ->
          throw FunctionFailure.read(node, thrown.toInput()).toScanException();
      case ScanFailure.ResultTooLong(String node, long maxBytes) ->
          throw new GridException(
              "the result that node "
                  + node
                  + " made of a single entry of this stream is longer than a message; the limit is "
                  + maxBytes
                  + " bytes: either map an entry to what is needed of it before the stream"
                  + " ends, or collect on this node, from toList() or iterator()");
      case ScanFailure.UnreadableRequest(String node, String reason) ->
          throw DecodingErrors.onOwner(node, reason);
    }
  }

  /**
   * Nothing came of the request. With at-most-once delivery its segments are not requested again.
   */
  private void loseRemaining() {
    if (scanProgress.delivery() == Delivery.AT_MOST_ONCE) {
      remaining.keySet().forEach(scanProgress::markLost);
      remaining.clear();
    }
  }

  /** Records how many elements the whole answer brought. */
  void recordElements(int elements) {
    scanProgress.adaptKeyLimit(remaining.isEmpty() && elements < template.maxElements());
  }

  /** Records the status of a segment in an answer; returns true if it was read to its end. */
  boolean endSegment(int segment, PullAnswer.SegmentStatus end) {
    int outcome = end.status();
    switch (outcome) {
      case ScanStatus.DONE, ScanStatus.ENOUGH -> {
        if (!leaseLost && remaining.remove(segment) != null) {
          scanProgress.markDone(segment);
          madeProgress = true;
          return outcome == ScanStatus.DONE;
        }
      }
      case ScanStatus.MORE, ScanStatus.DIRTY, ScanStatus.OVERSIZED -> {
        scanProgress.setOversized(segment, end.nextBytes());
        SegmentCursor next = end.cursor();
        if (!leaseLost && next != null) {
          // This is progress too: the length of the entry is known now, so the next request can ask
          // for it.
          madeProgress |=
              !next.equals(remaining.replace(segment, next)) || outcome == ScanStatus.OVERSIZED;
        }
        if (outcome == ScanStatus.DIRTY) {
          requirePrimary(segment);
        }
      }
      default -> {
        // The primary can read it although this replica cannot.
        requirePrimary(segment);
        boolean hasStarted =
            outcome == ScanStatus.LOST || !SegmentCursor.START.equals(remaining.get(segment));
        if (scanProgress.delivery() == Delivery.AT_MOST_ONCE && sentToPrimary && hasStarted) {
          if (remaining.remove(segment) != null) {
            scanProgress.markLost(segment);
          }
        }
      }
    }
    return false;
  }
}
