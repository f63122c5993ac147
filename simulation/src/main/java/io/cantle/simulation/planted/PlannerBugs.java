package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Planted bugs in how the segments of a cache change from one topology to the next. They are hunted
 * by walks, which run over topologies alone.
 *
 * <p><b>Threading:</b> immutable.
 */
final class PlannerBugs {
  private static final String PLANNER = "ownership/CachePlanner.java";
  private static final String RECEIVED = "if (hasReceived(segment, from, joiner)) {";

  static final List<PlantedBug> ALL =
      Stream.of(
              PlantedBug.of(
                  "promote-only-all-together",
                  "joiners become owners only when all of them have received everything",
                  PLANNER,
                  RECEIVED,
                  "if (from.joiners().stream().allMatch(one -> hasReceived(segment, from, one)))"
                      + " {"),
              PlantedBug.of(
                  "complete-joiner-dropped",
                  "a complete joiner does not count when an owner goes",
                  PLANNER,
                  RECEIVED,
                  "if (hasReceived(segment, from, joiner) && "
                      + "presentMembers.containsAll(from.owners())) {"),
              PlantedBug.of(
                  "joiner-sent-away",
                  "a joiner is replaced by another though too few owners are in sync",
                  PLANNER,
                  "if (owners.size() < target.size()) {",
                  "if (owners.size() < 0) {"),
              PlantedBug.of(
                  "owner-retires-too-early",
                  "replaced owners retire as soon as one successor is in sync",
                  PLANNER,
                  "List<Member> owners = new ArrayList<>(inSync);",
                  """
                  List<Member> owners = new ArrayList<>(inSync);
                  if (inSync.stream().anyMatch(target::contains)) {
                    owners.retainAll(target);
                  }
                  """),
              PlantedBug.of(
                  "leaver-goes-too-early",
                  "a node leaves though fewer than the wanted replicas are in sync without it",
                  PLANNER,
                  "&& others.size() >= target.size()",
                  "&& !others.isEmpty()"),
              PlantedBug.of(
                  "lost-segment-forgets-joiners",
                  "the joiners of a lost segment are not asked whether they hold it",
                  PLANNER,
                  "from.epoch() + 1, from.birthEpoch(), from.joiners(), retiringMembers(from, "
                      + "joining), lastOwners);",
                  "from.epoch() + 1, from.birthEpoch(), List.of(), retiringMembers(from, "
                      + "List.of()), lastOwners);"),
              PlantedBug.of(
                  "empty-before-joiners-answer",
                  "a segment begins empty though a joiner may hold it",
                  PLANNER,
                  "(!lastOwners.isEmpty() || mayBeHeldByJoiner(segment, from));",
                  "!lastOwners.isEmpty();"),
              PlantedBug.of(
                  "excluded-owner-forgotten",
                  "an excluded owner does not count although nobody has served without it",
                  PLANNER,
                  "wanted, joiners, retiring, absentHolders);",
                  "wanted, joiners, retiring, List.of());"),
              PlantedBug.of(
                  "excluded-joiner-forgotten",
                  "a segment begins empty though an excluded joiner may hold it",
                  PLANNER,
                  ".anyMatch(member -> presentMembers.contains(member) || !hasReturned(member));",
                  ".anyMatch(presentMembers::contains);"),
              PlantedBug.of(
                  "vacant-segment-stays",
                  "a segment gets no owner though all its holders returned without its data",
                  PLANNER,
                  "mayBegin && !plannedMembers.eligibleOwners().isEmpty() &&",
                  "durable && mayBegin &&"),
              PlantedBug.of(
                  "outdated-copy-before-joiners",
                  "a possibly incomplete copy from disk counts before a joiner was asked",
                  PLANNER,
                  "return isJoinerReportAwaited(segment, from) ? List.of() : there.subList(0, 1);",
                  "return there.subList(0, 1);"),
              PlantedBug.of(
                  "found-segment-stays-alone",
                  "a lost segment that a joiner brings back gets no further owners",
                  PLANNER,
                  "|| !inSyncHolders(segment, from, holders(segment, from)).isEmpty())) {",
                  "|| segment < 0)) {"))
          .map(bug -> bug.withFaults("--topologies", "20000"))
          .toList();

  private PlannerBugs() {}
}
