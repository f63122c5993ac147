package io.cantle.simulation.planted;

import java.util.List;

/**
 * Planted bugs in how much a node may own, and in how replicas are placed on different racks.
 *
 * <p><b>Threading:</b> immutable.
 */
final class CapacityBugs {
  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "capacity-ignored",
              "an admitted node owns as much as others, whatever its capacity",
              "agreement/LeaderState.java",
              "admissionCandidates.put(member, new AdmissionCandidate(now, memberCapacity));",
              "admissionCandidates.put(member, new AdmissionCandidate(now, MemberCapacity.DEFAULT));"),
          PlantedBug.of(
              "rack-ignored",
              "every member counts as a rack of its own",
              "ownership/PlacementQuotas.java",
              "Integer known = rack.isEmpty() ? null : numbers.putIfAbsent(rack, next);",
              "Integer known = numbers.get(rack);"),
          PlantedBug.of(
                  "seats-left-behind",
                  "a fork does not know the capacities of its members",
                  "partition/ForkPlanner.java",
                  "group.stream().map(parent.membership()::capacityOf).toList(),",
                  "Collections.nCopies(group.size(), "
                      + "io.cantle.core.ownership.MemberCapacity.DEFAULT),")
              .forAvailableGrids());

  private CapacityBugs() {}
}
