package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of who may own how much, and of keeping copies apart.
 *
 * <p><b>Threading:</b> immutable.
 */
final class SeatBugs {
  static final List<Bug> ALL =
      List.of(
          Bug.of(
              "capacity-ignored",
              "who is admitted owns as much as others, whatever it said",
              "topology/Leader.java",
              "joining.put(member, new Request(now, seat));",
              "joining.put(member, new Request(now, Seat.USUAL));"),
          Bug.of(
              "rack-ignored",
              "every member counts as a rack of its own",
              "segment/Shares.java",
              "Integer known = rack.isEmpty() ? null : numbers.putIfAbsent(rack, next);",
              "Integer known = numbers.get(rack);"),
          Bug.of(
                  "seats-left-behind",
                  "a fork does not know what its members may own",
                  "topology/ForkPlanner.java",
                  "group.stream().map(parent.membership()::seat).toList(),",
                  "Collections.nCopies(group.size(), Seat.USUAL),")
              .inAvailableGrids());

  private SeatBugs() {}
}
