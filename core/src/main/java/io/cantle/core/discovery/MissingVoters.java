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
    boolean isOne = missing.size() == 1;
    return describeTrouble(voters, missing, current, isRestarted)
        + describeRemedy(missing)
        + ". It waits because of GridConfig.whenCut, which is "
        + current.gridDefinition().partitionHandling().text()
        + (isOne ? ". If that one is gone for good, " : ". If they are gone for good, ")
        + describeRecovery(isRestarted)
        + (isOne ? " goes on without it" : " goes on without them");
  }

  private String describeTrouble(
      List<Member> voters, List<Member> missing, Topology current, boolean isRestarted) {
    String begin =
        isRestarted
            ? "%s was in grid %s before it started, and waits for "
                .formatted(self, current.gridId())
            : self + " is cut off from ";
    String ofGrid = isRestarted ? "of it" : "of grid " + current.gridId();
    String names = GridRecovery.joinNames(voters);
    return begin
        + (voters.size() == 1
            ? "%s, the only voter %s".formatted(names, ofGrid)
            : "the majority of the voters %s, which are %s; %s"
                .formatted(ofGrid, names, describeSilence(missing)));
  }

  private static String describeSilence(List<Member> missing) {
    String names = GridRecovery.joinNames(missing);
    return switch (missing.size()) {
      case 0 -> "too few answer";
      case 1 -> names + " does not answer";
      default -> names + " do not answer";
    };
  }

  private static String describeRemedy(List<Member> missing) {
    if (missing.isEmpty()) {
      return ": check the network";
    }
    return !missing.stream().allMatch(Member::hasStore)
        ? ": check the network; a node without a store never comes back once it has ended"
        : missing.size() == 1
            ? ": start it again with its store, or check the network"
            : ": start them again with their stores, or check the network";
  }

  /** What an operator can do. A node that waits in {@code join} has no {@code Grid} yet. */
  private String describeRecovery(boolean isRestarted) {
    String onFolder = "./cantle recover on the folder of %s, once it has ended,".formatted(self);
    if (isRestarted) {
      return onFolder;
    }
    return "Grid.recoverVoters on " + self + (self.hasStore() ? ", or " + onFolder : "");
  }
}
