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
  private final int bytes;
  private final boolean acceptsOversized;
  private final int elements;

  @GuardedBy("this")
  private int receivedElements;

  @GuardedBy("this")
  private int receivedBytes;

  /** Whether it is in flight: 1 or 0. */
  @GuardedBy("this")
  private int pulls = 1;

  @GuardedBy("this")
  private boolean ended;

  PullTemplate(
      ScanContext context,
      PullClient.ScanSpec spec,
      ScanMetrics.ScanAccount account,
      int bytes,
      boolean acceptsOversized,
      int elements) {
    this.context = context;
    this.spec = spec;
    this.account = account;
    this.bytes = bytes;
    this.acceptsOversized = acceptsOversized;
    this.elements = elements;
    account.add(0, 0, 1);
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
    if (ended) {
      return;
    }
    Input in = new Input(answer.array(), answer.position(), answer.remaining());
    if (in.readByte() == ScanStatus.OK) {
      receivedBytes = in.remaining();
      receivedElements = countElements(in);
    }
    account.add(receivedElements, receivedBytes, -pulls);
    pulls = 0;
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

  /** Takes the answer out of the account: the thread of the scan counts what it keeps of it. */
  @Override
  public synchronized void onEnded() {
    ended = true;
    account.add(-receivedElements, -receivedBytes, -pulls);
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
