package io.cantle.core.discovery;

import io.cantle.core.agreement.IncarnationTable;
import io.cantle.core.ownership.GridRecovery;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * The explanation given by a node that can do nothing because most of the voters are not visible:
 * which voters are missing, and what an operator can do. A node that joins says so while it waits,
 * and a node that was cut off gives it to its callers.
 *
 * <p><b>Threading:</b> {@link #text} by any thread; everything else guarded by the lock of {@code
 * TopologyDriver}.
 */
public final class MissingVoters {
  private final Member self;
  private final IncarnationTable incarnations;
  private volatile String text = "";

  /** Begins with nothing to explain. */
  public MissingVoters(Member self, IncarnationTable incarnations) {
    this.self = self;
    this.incarnations = incarnations;
  }

  /** The explanation, as a text for people; empty if nothing is wrong. */
  public String text() {
    return text;
  }

  /** Updates the explanation from the members that are visible now. */
  public void update(Topology current, boolean isCutOff) {
    boolean isRestarted = self.hasStore() && !current.members().contains(self);
    boolean isHelpless =
        current.isFounded()
            && !current.gridDefinition().prefersAvailability()
            && (isRestarted || isCutOff)
            && !(isRestarted && current.membership().isMajority(incarnations::isVisible));
    text = isHelpless ? describe(current, isRestarted) : "";
  }

  private String describe(Topology current, boolean isRestarted) {
    List<Member> voters = current.membership().voters();
    List<Member> missing = voters.stream().filter(voter -> !incarnations.isVisible(voter)).toList();
    String problem =
        isRestarted
            ? "%s was in grid %s before it started, and waits for most of those that decide there"
            : "%s is cut off from the majority of those that decide in grid %s";
    return problem.formatted(self, current.gridId())
        + ": of "
        + GridRecovery.joinNames(voters)
        + (missing.isEmpty()
            ? " too few answer"
            : (missing.size() == 1 ? " is missing " : " are missing ")
                + GridRecovery.joinNames(missing)
                + (missing.stream().allMatch(Member::hasStore)
                    ? ": start them again with their stores, or check the network"
                    : ": check the network; those without a store never come back once they have"
                        + " ended"))
        + ". It waits for them because of GridConfig.whenCut, which is "
        + current.gridDefinition().partitionHandling().text()
        + ". If they are gone for good, Grid.recoverVoters here"
        + (self.hasStore() ? ", or ./cantle recover on its folder," : "")
        + " goes on without them";
  }
}
