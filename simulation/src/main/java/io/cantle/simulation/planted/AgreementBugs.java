package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of agreement: the voters' register, and who is in the grid.
 *
 * <p><b>Threading:</b> immutable.
 */
final class AgreementBugs {
  private static final String REGISTER = "topology/Register.java";
  private static final String EVOLUTION = "topology/Evolution.java";
  private static final String PLANNER = "topology/CachePlanner.java";
  private static final String LEADER = "topology/Leader.java";

  static final List<Bug> ALL =
      List.of(
          Bug.of(
              "no-majority",
              "one voter is enough to promise and to accept",
              REGISTER,
              "return owner.current().membership().majority(voter ->",
              "return owner.current().membership().voters().stream().anyMatch(voter ->"),
          Bug.of(
              "promise-forgotten",
              "a voter accepts what comes with a lower ballot than it promised to obey",
              REGISTER,
              "if (asked.compareTo(promised) >= 0) {",
              "if (asked.counter() >= 0) {"),
          toldLate(
              Bug.of(
                  "accepted-not-told",
                  "a voter that promises does not tell what it has accepted",
                  REGISTER,
                  "Topology its = accepted; out.writeBoolean(its != null);",
                  "Topology its = null; out.writeBoolean(false);")),
          toldLate(
              Bug.of(
                  "found-not-proposed",
                  "a proposer does not go on with what some voter has accepted",
                  REGISTER,
                  "Topology first = found;",
                  "Topology first = null;")),
          Bug.of(
              "old-round-voted",
              "a voter takes part in rounds that are behind it or ahead of it",
              REGISTER,
              "return current.number() == base && current.membership().votes(",
              "return current.membership().votes("),
          Bug.of(
              "stale-view-trusted",
              "who is missing in the transport's view is excluded at once",
              new Edit(
                  "topology/Leader.java",
                  "boolean gone = silence >= Grants.WAIT_NANOS &&",
                  "boolean gone ="),
              new Edit("topology/Grants.java", "if (!over.contains(member)) {", "if (wait > 0) {")),
          Bug.of(
              "served-unconfirmed",
              "a primary serves while excluded owners still count as holders",
              "rebalance/Openings.java",
              "return ownership.epoch() == opening.epoch && ownership.unconfirmed();",
              "return false;"),
          Bug.of(
                  "newcomers-vote-at-once",
                  "a new member votes before it has shown that it knows",
                  EVOLUTION,
                  "return admission > 0 && facts.adopted(member) >= admission;",
                  "return true;")
              // Newcomers take long to learn that they were admitted.
              .aidedBy(
                  "topology/Succession.java",
                  "&& !topology.charter().givenUp()) { enter(topology, () -> {}); }",
                  """
                  && !topology.charter().givenUp()) {
                    requests.clock().schedule(
                        topology.charter().used() ? 1_200_000_000L : 0,
                        () -> {
                          lock.lock();
                          try {
                            if (!current.founded()
                                && wantsIn()
                                && past.admits(topology, requests.self())) {
                              enter(topology, () -> {});
                            }
                          } finally {
                            lock.unlock();
                          }
                        });
                  }
                  """),
          Bug.of(
                  "left-undecided",
                  "what a voter took up and nobody decided stays with it",
                  LEADER,
                  "return undecided.containsValue(current.number());",
                  "return false;")
              // Voters often do not hear of a new leader, and leaders change for no reason.
              .aidedBy(
                  REGISTER,
                  "ballot.write(out); write(out, current); send(voter, out);",
                  """
                  ballot.write(out);
                  write(out, current);
                  if (voter.equals(requests.self()) || world.random().nextInt(2) == 0) {
                    send(voter, out);
                  }
                  """)
              .aidedBy(
                  REGISTER,
                  "out.writeLong(wait); send(voter, out);",
                  """
                  out.writeLong(wait);
                  if (voter.equals(requests.self()) || world.random().nextInt(2) == 0) {
                    send(voter, out);
                  }
                  """),
          Bug.of(
              "leave-without-word",
              "a node that left closes before those who decide next know it",
              "topology/Departure.java",
              "(!current.needs(requests.self()) && mostKnow(current))",
              "!current.needs(requests.self())"),
          Bug.of(
              "grid-never-ends",
              "of two grids founded at once neither ends for the other",
              "topology/Meetings.java",
              "return its.used || !older ? Outcome.YIELD : Outcome.NOTHING;",
              "return Outcome.NOTHING;"),
          Bug.of(
              "leave-without-hand-over",
              "a node that leaves is let go while segments need it",
              EVOLUTION,
              "!now.needs(member) && knows(member)",
              "true"),
          Bug.of(
              "lost-segment-empty",
              "a segment all owners of which are gone is answered as empty",
              PLANNER,
              "if (!isLost || now.charter().available()) {",
              "if (!from.lost() || !isLost) {"),
          Bug.of(
              "loss-accepted-by-nobody",
              "a lost segment is made empty though nobody gave it up",
              PLANNER,
              "return !facts.lossAccepted(cache, segment, lost.epoch())",
              "return lost.epoch() < 0"));

  private AgreementBugs() {}

  /** What is decided is known to one node only for a moment; here it is for longer. */
  private static Bug toldLate(Bug bug) {
    return bug.aidedBy(
            REGISTER,
            "for (Member voter : told) {",
            "for (Member voter : number % 4 == 0 ? List.<Member>of() : told) {")
        .aidedBy(
            REGISTER,
            "others.forEach(member -> tell(member, next));",
            "if (number % 4 != 0) { others.forEach(member -> tell(member, next)); }");
  }
}
