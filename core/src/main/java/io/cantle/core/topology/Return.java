package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * What a node waits for that has started again and is yet to be a member: without most of the
 * voters it knew its grid can do nothing. It says so at once, and now and then.
 *
 * <p><b>Threading:</b> {@link #text} by any thread; everything else guarded by the lock of the
 * keeper.
 */
final class Return {
  private static final long SAY_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final System.Logger LOG = System.getLogger(TopologyKeeper.class.getName());

  private final Requests requests;
  private final Lives lives;
  private final Clock clock;
  private volatile String text = "";
  private long saidAt;

  Return(Requests requests, Lives lives, Clock clock) {
    this.requests = requests;
    this.lives = lives;
    this.clock = clock;
  }

  /** Whom this node waits for, as people want to know it; empty if it waits for nobody. */
  String text() {
    return text;
  }

  /** Looks who is in sight. */
  void look(Topology current) {
    if (!current.founded()
        || !requests.self().durable()
        || current.members().contains(requests.self())
        || current.membership().majority(lives::inSight)) {
      text = "";
      return;
    }
    long now = clock.nanoTime();
    boolean isNews = text.isEmpty();
    List<Member> voters = current.membership().voters();
    List<Member> missing = voters.stream().filter(voter -> !lives.inSight(voter)).toList();
    text =
        requests.self()
            + " was in grid "
            + current.gridId()
            + " before it started, and waits for most of those that decide there: of "
            + names(voters)
            + (missing.size() == 1 ? " is missing " : " are missing ")
            + names(missing)
            + (missing.stream().allMatch(Member::durable)
                ? ""
                : "; those without a store never come back, and without a majority of the others"
                    + " the grid is lost");
    if (isNews || now - saidAt >= SAY_AGAIN_NANOS) {
      saidAt = now;
      LOG.log(System.Logger.Level.INFO, text);
    }
  }

  private static String names(List<Member> some) {
    return some.stream().map(Member::name).collect(Collectors.joining(", "));
  }
}
