package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a node says that can do nothing because most of the voters are not there: whom it misses,
 * and what an operator can do. One that has started again says so in the log, at once and now and
 * then; one that was cut off says it to its callers.
 *
 * <p><b>Threading:</b> {@link #text} by any thread; everything else guarded by the lock of the
 * keeper.
 */
final class MissingVoters {
  private static final long SAY_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final System.Logger LOG = System.getLogger(TopologyKeeper.class.getName());

  private final Requests requests;
  private final Lives lives;
  private final Clock clock;
  private volatile String text = "";
  private long saidAt;

  MissingVoters(Requests requests, Lives lives, Clock clock) {
    this.requests = requests;
    this.lives = lives;
    this.clock = clock;
  }

  /** What is wrong, as people want to know it; empty if nothing is. */
  String text() {
    return text;
  }

  /** Looks who is in sight. */
  void look(Topology current, boolean isCutOff) {
    boolean comesBack = requests.self().durable() && !current.members().contains(requests.self());
    if (!current.founded()
        || current.charter().available()
        || !(comesBack || isCutOff)
        || (comesBack && current.membership().majority(lives::inSight))) {
      text = "";
      return;
    }
    long now = clock.nanoTime();
    boolean isNews = text.isEmpty();
    text = describe(current, comesBack);
    if (comesBack && (isNews || now - saidAt >= SAY_AGAIN_NANOS)) {
      saidAt = now;
      LOG.log(System.Logger.Level.INFO, text);
    }
  }

  private String describe(Topology current, boolean comesBack) {
    List<Member> voters = current.membership().voters();
    List<Member> missing = voters.stream().filter(voter -> !lives.inSight(voter)).toList();
    return requests.self()
        + (comesBack
            ? " was in grid "
                + current.gridId()
                + " before it started, and waits for most of those that decide there: of "
            : " is cut off from the majority of those that decide in grid "
                + current.gridId()
                + ": of ")
        + Recovery.names(voters)
        + (missing.isEmpty()
            ? " too few answer"
            : (missing.size() == 1 ? " is missing " : " are missing ") + Recovery.names(missing))
        + (missing.isEmpty()
            ? ""
            : missing.stream().allMatch(Member::durable)
                ? ": start them again with their stores, or check the network"
                : ": check the network; those without a store never come back once they have"
                    + " ended")
        + ". If they are gone for good, Grid.recoverVoters here"
        + (requests.self().durable() ? ", or ./cantle recover on its folder," : "")
        + " goes on without them";
  }
}
