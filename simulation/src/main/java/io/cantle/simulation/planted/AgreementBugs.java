package io.cantle.simulation.planted;

import java.util.List;

/**
 * Planted bugs of agreement: the voters' register, and the membership of the grid.
 *
 * <p><b>Threading:</b> immutable.
 */
final class AgreementBugs {
  private static final String REGISTER = "agreement/TopologyRegister.java";
  private static final String EVOLUTION = "ownership/TopologyPlanner.java";
  private static final String PLANNER = "ownership/CachePlanner.java";
  private static final String LEADER = "agreement/LeaderState.java";

  /** How a proposer announces its decision to the voters that accepted it. */
  private static final String DECIDED =
      "send(withoutSelf(acceptors.values()), new Decided(number, ballot));";

  /** How a proposer announces its decision to all others. */
  private static final String TOLD = "sendTopology(withoutSelf(others), next);";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "no-majority",
              "one voter is enough for a promise and for an acceptance",
              REGISTER,
              "return current.membership().isMajority(voter ->",
              "return current.membership().voters().stream().anyMatch(voter ->"),
          PlantedBug.of(
              "promise-forgotten",
              "a voter accepts a lower ballot than the one it promised",
              REGISTER,
              "if (requestedBallot.compareTo(promisedBallot) >= 0) {",
              "if (requestedBallot.counter() >= 0) {"),
          announcedLate(
              PlantedBug.of(
                  "accepted-not-told",
                  "a promise leaves out what the voter has accepted",
                  REGISTER,
                  "new Promised(base, requestedBallot, acceptedBallot, acceptedTopology)",
                  "new Promised(base, requestedBallot, acceptedBallot, null)")),
          announcedLate(
              PlantedBug.of(
                  "found-not-proposed",
                  "a proposer does not adopt the value that some voter has accepted",
                  REGISTER,
                  "Topology first = foundTopology;",
                  "Topology first = null;")),
          PlantedBug.of(
              "old-round-voted",
              "a voter takes part in rounds that are behind or ahead of its own",
              REGISTER,
              "return current.number() == base && current.membership().isVoter(",
              "return current.membership().isVoter("),
          PlantedBug.of(
              "stale-view-trusted",
              "a member missing in the transport's view is excluded at once",
              new SourceEdit(
                  "agreement/LeaderState.java",
                  "boolean gone = silence >= LeaseTable.EXCLUSION_WAIT_NANOS &&",
                  "boolean gone ="),
              new SourceEdit(
                  "agreement/LeaseTable.java",
                  "if (!releasedAdmissions.containsKey(member)) {",
                  "if (wait > 0) {")),
          PlantedBug.of(
              "served-unconfirmed",
              "a primary serves while excluded owners still count as holders",
              "rebalance/EpochRecovery.java",
              "return ownership != null && ownership.epoch() == recovery.epoch"
                  + " && ownership.isUnconfirmed();",
              "return false;"),
          admittedUnawares(
              PlantedBug.of(
                  "newcomers-vote-at-once",
                  "a new member votes before it has confirmed its admission",
                  EVOLUTION,
                  "return facts.hasConfirmedAdmission(current, member);",
                  "return true;")),
          PlantedBug.of(
                  "left-undecided",
                  "a value that a voter accepted and no majority decided stays undecided",
                  LEADER,
                  "return undecidedNumbers.containsValue(current.number());",
                  "return false;")
              // Voters often do not hear of a new leader, and leaders change for no reason.
              .withHelper(
                  "topology/TopologyMaintenance.java",
                  "to.forEach(member -> send(member, message));",
                  "to.forEach(member -> { if (!(message instanceof RegisterMessage.Prepare ||"
                      + " message instanceof RegisterMessage.Accept) || "
                      + "member.equals(messaging.self()) || environment.random().nextInt(2) == 0)"
                      + " { send(member, message); } });")
              .withFaults(
                  "--faults",
                  "alone,halves,one-way,flapping",
                  "--nodes",
                  "3",
                  "--rate",
                  "5",
                  "--virtual-seconds",
                  "5"),
          PlantedBug.of(
                  "leave-without-word",
                  "a leaving node closes before the remaining voters know of it",
                  "discovery/GracefulLeave.java",
                  "(!current.needs(self) && majorityKnows(current))",
                  "!current.needs(self)")
              // What a member decides that leaves is not announced, so it has to be told again.
              .withHelper(
                  REGISTER, DECIDED, "if (next.members().contains(self)) { " + DECIDED + " }")
              .withHelper(REGISTER, TOLD, "if (next.members().contains(self)) { " + TOLD + " }")
              // The last two members leave one after another, so each of both votes is needed.
              .withFaults("--nodes", "3", "--rate", "5", "--virtual-seconds", "5"),
          PlantedBug.of(
              "grid-never-ends",
              "when two grids were founded at once, neither gives way to the other",
              "discovery/GridDiscovery.java",
              "return hello.isWritten() || !older ? List.of(new DiscoveryEffect.EndGrid()) :"
                  + " List.of();",
              "return List.of();"),
          PlantedBug.of(
                  "leave-without-hand-over",
                  "a leaving node is released while segments still need it",
                  EVOLUTION,
                  "!current.needs(member) && hasAdoptedCurrent(member)",
                  "true")
              .withFaults(
                  "--faults",
                  "join,leave",
                  "--nodes",
                  "4",
                  "--rate",
                  "20",
                  "--virtual-seconds",
                  "15"),
          PlantedBug.of(
              "lost-segment-empty",
              "a segment without any owner answers as if it were empty",
              PLANNER,
              "if (!isLost || current.gridDefinition().prefersAvailability()) {",
              "if (!from.isLost() || !isLost) {"),
          PlantedBug.of(
              "loss-accepted-by-nobody",
              "a lost segment is made empty without an accepted loss",
              PLANNER,
              "return !facts.isLossAccepted(cacheIndex, segment, lost.epoch())",
              "return lost.epoch() < 0"));

  /** Hunts a bug where new members take long to learn that they were admitted. */
  static PlantedBug admittedUnawares(PlantedBug bug) {
    return bug.withHelper(
        "topology/TopologyTransition.java",
        "&& !topology.gridDefinition().isSuperseded()) { enterGrid(topology, () -> {}); }",
        "&& !topology.gridDefinition().isSuperseded()) { messaging.clock().schedule("
            + " topology.gridDefinition().isWritten() ? 1_200_000_000L : 0, () -> {"
            + " synchronized (lock) { if (!current.isFounded() && wantsMembership() &&"
            + " formerGrids.isAdmittedBy(topology, messaging.self())) {"
            + " enterGrid(topology, () -> {}); } } }); }");
  }

  private AgreementBugs() {}

  /**
   * Delays the announcement of a decision. Normally only one node knows a decision for a moment;
   * here that takes longer.
   */
  static PlantedBug announcedLate(PlantedBug bug) {
    return bug.withHelper(REGISTER, DECIDED, "if (number % 4 != 0) { " + DECIDED + " }")
        .withHelper(REGISTER, TOLD, "if (number % 4 != 0) { " + TOLD + " }");
  }
}
