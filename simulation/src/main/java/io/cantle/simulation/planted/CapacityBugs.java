package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of who may own how much, and of keeping copies apart.
 *
 * <p><b>Threading:</b> immutable.
 */
final class CapacityBugs {
  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "capacity-ignored",
              "who is admitted owns as much as others, whatever it said",
              "topology/LeaderState.java",
              "joinRequests.put(member, new JoinRequest(now, memberCapacity));",
              "joinRequests.put(member, new JoinRequest(now, MemberCapacity.DEFAULT));"),
          PlantedBug.of(
              "rack-ignored",
              "every member counts as a rack of its own",
              "segment/PlacementQuotas.java",
              "Integer known = rack.isEmpty() ? null : numbers.putIfAbsent(rack, next);",
              "Integer known = numbers.get(rack);"),
          PlantedBug.of(
                  "seats-left-behind",
                  "a fork does not know what its members may own",
                  "topology/ForkPlanner.java",
                  "group.stream().map(parent.membership()::capacityOf).toList(),",
                  "Collections.nCopies(group.size(), MemberCapacity.DEFAULT),")
              .forAvailableGrids());

  private CapacityBugs() {}
}
