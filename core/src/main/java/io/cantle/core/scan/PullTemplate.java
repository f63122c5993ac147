package io.cantle.core.scan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.Delivery;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanTarget;
import java.util.List;

/**
 * One pull. What it brings is counted from the moment it arrives.
 *
 * <p><b>Threading:</b> one thread brings the answer, another settles it.
 */
final class PullTemplate implements ScanClient.RequestTemplate {
  private final ScanContext context;
  private final PullClient.ScanSpec spec;
  private final ScanMetrics.ScanAccount account;
  private final ScanBuffers.ScanBuffer buffer;
  private final int bytes;
  private final boolean acceptsOversized;
  private final int elements;

  @GuardedBy("this")
  private int reservedBytes;

  @GuardedBy("this")
  private int receivedElements;

  @GuardedBy("this")
  private int receivedBytes;

  @GuardedBy("this")
  private boolean received;

  @GuardedBy("this")
  private boolean settled;

  PullTemplate(
      ScanContext context,
      PullClient.ScanSpec spec,
      ScanMetrics.ScanAccount account,
      ScanBuffers.ScanBuffer buffer,
      int reservedBytes,
      int bytes,
      boolean acceptsOversized,
      int elements) {
    this.context = context;
    this.spec = spec;
    this.account = account;
    this.buffer = buffer;
    this.reservedBytes = reservedBytes;
    this.bytes = bytes;
    this.acceptsOversized = acceptsOversized;
    this.elements = elements;
    account.addPulls(1);
  }

  @Override
  public int maxElements() {
    return elements;
  }

  @Override
  public int maxBytes() {
    return bytes;
  }

  /** Runs before the thread of the scan sees the answer. */
  @Override
  public synchronized void onArrival(Input answer) {
    if (settled) {
      return;
    }
    received = true;
    buffer.resize(reservedBytes, answer.array().length);
    reservedBytes = answer.array().length;
    Input in = new Input(answer.array(), answer.position(), answer.remaining());
    if (in.readByte() == ScanStatus.OK) {
      receivedBytes = in.remaining();
      receivedElements = countElements(in);
    }
    account.addBuffered(receivedElements, receivedBytes);
    account.addPulls(-1);
  }

  private static int countElements(Input in) {
    int total = 0;
    try {
      PullAnswer blocks = new PullAnswer(in);
      for (PullAnswer.Block block; (block = blocks.next()) != null; ) {
        total += block.count();
      }
    } catch (MalformedException e) {
      // The thread of the scan reports it when it reads the answer.
      return 0;
    }
    return total;
  }

  /**
   * Takes the answer out of the account and returns its reserved memory, which the caller accounts
   * for from now on.
   */
  synchronized int settle() {
    settled = true;
    account.addBuffered(-receivedElements, -receivedBytes);
    if (!received) {
      account.addPulls(-1);
    }
    return reservedBytes;
  }

  @Override
  public PullRequest request(List<ScanTarget> targets) {
    boolean keepsAfterMove = spec.options().delivery() == Delivery.AT_LEAST_ONCE;
    return new PullRequest(
        context.cache(),
        spec.part(),
        spec.task(),
        bytes - PullClient.MARGIN_BYTES,
        acceptsOversized,
        elements,
        keepsAfterMove,
        targets);
  }
}
