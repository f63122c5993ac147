package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.core.base.Input;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.operation.ThrowableCodec;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.PendingRequest;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request under way, and where to go on in each of its segments if nothing more is told of it.
 *
 * <p><b>Threading:</b> one thread, that of the scan.
 */
final class ScanRequest {
  private final ScanProgress scanProgress;
  private final ScanClient.RequestTemplate template;
  private final PendingRequest pending;
  private final long topologyNumber;
  private final boolean sentToPrimary;
  private final List<ScanTarget> targets;
  private final TreeMap<Integer, SegmentCursor> remaining = new TreeMap<>();
  private long resendAtNanos;
  private boolean isVoid;
  private boolean madeProgress;

  ScanRequest(
      ScanProgress scanProgress,
      ScanClient.RequestTemplate template,
      PendingRequest pending,
      Topology topology,
      List<ScanTarget> targets,
      long resendAtNanos) {
    this.scanProgress = scanProgress;
    this.template = template;
    this.pending = pending;
    this.topologyNumber = topology.number();
    this.sentToPrimary = scanProgress.isPrimaryOfAll(topology, pending.member(), targets);
    this.targets = targets;
    this.resendAtNanos = resendAtNanos;
    targets.forEach(target -> remaining.put(target.segment(), target.cursor()));
  }

  PendingRequest pending() {
    return pending;
  }

  /** What was asked. */
  ScanClient.RequestTemplate template() {
    return template;
  }

  /** The number of the topology it was asked in. */
  long topologyNumber() {
    return topologyNumber;
  }

  List<ScanTarget> targets() {
    return targets;
  }

  /** Where to go on in each segment that is not done. */
  Map<Integer, SegmentCursor> remaining() {
    return Collections.unmodifiableMap(remaining);
  }

  /** Whether it brought the scan further. */
  boolean madeProgress() {
    return madeProgress;
  }

  /** When it is to be sent again. */
  long resendAtNanos() {
    return resendAtNanos;
  }

  void resendAtNanos(long nanos) {
    resendAtNanos = nanos;
  }

  /**
   * The body of an answer that tells something, or null.
   *
   * @throws FunctionException if a function threw at the owner
   * @throws GridException if what it makes of a single entry is too long to be told
   */
  @Nullable Input readAnswer() {
    Input in = pending.answer();
    if (in == null) {
      loseRemaining();
      return null;
    }
    int status = in.readByte();
    throwFailure(status, in);
    if (status == ScanStatus.LEASE_LOST) {
      isVoid = true;
      loseRemaining();
      return scanProgress.delivery() == Delivery.AT_LEAST_ONCE ? in : null;
    }
    return status == ScanStatus.OK ? in : null;
  }

  /**
   * Throws what an answer says to have failed, if it does.
   *
   * @throws FunctionException if a function threw at the owner
   * @throws GridException if what it makes of a single entry is too long to be told
   */
  static void throwFailure(int status, Input in) {
    if (status == ScanStatus.FAILED) {
      throw new FunctionException(in.readString(), ThrowableCodec.read(in));
    }
    if (status == ScanStatus.TOO_LONG) {
      throw new GridException(
          "what node "
              + in.readString()
              + " makes of a single entry for this stream is longer than a message may be, "
              + in.readVarint()
              + " bytes, which is fixed: map an entry to what is needed of it before the stream"
              + " ends; what a collector makes of it can be made of toList() or iterator() here");
    }
  }

  /** What was asked came to nothing; some are not to be asked again. */
  private void loseRemaining() {
    if (scanProgress.delivery() == Delivery.AT_MOST_ONCE) {
      remaining.keySet().forEach(scanProgress::markLost);
      remaining.clear();
    }
  }

  /** Notes, when all of an answer is known, how many elements came with it. */
  void recordElements(int elements) {
    scanProgress.adaptKeyLimit(remaining.isEmpty() && elements < template.maxElements());
  }

  /** Notes how a segment of an answer ended; true if it was read to its end. */
  boolean endSegment(int segment, int outcome, Input in) {
    switch (outcome) {
      case ScanStatus.DONE, ScanStatus.ENOUGH -> {
        if (!isVoid && remaining.remove(segment) != null) {
          scanProgress.markDone(segment);
          madeProgress = true;
          return outcome == ScanStatus.DONE;
        }
      }
      case ScanStatus.MORE, ScanStatus.DIRTY, ScanStatus.OVERSIZED -> {
        scanProgress.setOversized(
            segment, outcome == ScanStatus.OVERSIZED ? in.readCount(Integer.MAX_VALUE) : 0);
        SegmentCursor next = SegmentCursor.read(in);
        if (!isVoid) {
          // How long an entry is was not known before: it can be asked for now.
          madeProgress |=
              !next.equals(remaining.replace(segment, next)) || outcome == ScanStatus.OVERSIZED;
        }
        if (outcome == ScanStatus.DIRTY) {
          scanProgress.requirePrimary(segment);
        }
      }
      default -> {
        // The primary knows better than a copy that may not speak.
        scanProgress.requirePrimary(segment);
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
