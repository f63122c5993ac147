package io.cantle.core.scan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanTarget;
import java.util.List;

/**
 * A pull before it is known which node is asked for which segments. It also counts what the answer
 * brings, from the moment it arrives.
 *
 * <p><b>Threading:</b> one thread brings the answer, another settles it.
 */
final class PullTemplate implements ScanClient.RequestTemplate {
  private final ScanMetrics.ScanAccount account;
  private final PullRequest pull;

  @GuardedBy("this")
  private int receivedElements;

  @GuardedBy("this")
  private int receivedBytes;

  /** Whether it is in flight: 1 or 0. */
  @GuardedBy("this")
  private int pulls = 1;

  @GuardedBy("this")
  private boolean ended;

  /**
   * Creates a template.
   *
   * @param pull the request, whose targets do not count
   */
  PullTemplate(ScanMetrics.ScanAccount account, PullRequest pull) {
    this.account = account;
    this.pull = pull;
    account.add(0, 0, 1);
  }

  @Override
  public int maxElements() {
    return pull.maxElements();
  }

  @Override
  public int maxBytes() {
    return pull.maxBytes() + PullClient.MARGIN_BYTES;
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
    try {
      return PullAnswer.countElements(in);
    } catch (MalformedException e) {
      // The thread of the scan reports it when it reads the answer.
      return 0;
    }
  }

  /** Takes the answer out of the account: the thread of the scan counts what it keeps of it. */
  @Override
  public synchronized void onEnded() {
    ended = true;
    account.add(-receivedElements, -receivedBytes, -pulls);
  }

  @Override
  public PullRequest request(List<ScanTarget> targets) {
    return pull.withTargets(targets);
  }
}
