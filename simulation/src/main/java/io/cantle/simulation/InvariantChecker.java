package io.cantle.simulation;

import io.cantle.simulation.NodeInspection.HeldEntry;
import io.cantle.simulation.NodeInspection.ReplicaPart;
import io.cantle.simulation.SeedScenario.SimulatedCapacity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A checker of what must hold inside the nodes at every moment, whatever clients see.
 *
 * <ul>
 *   <li>Two nodes never lead the same epoch of a segment. If two lead it in different epochs, the
 *       one with the older epoch has no lease.
 *   <li>Topologies of the same number are the same.
 *   <li>The number of a node's topology never falls.
 *   <li>The version of a key never falls in a replica that is an owner throughout.
 *   <li>An observer of a replica is told of every committed change once, also after a pause.
 *   <li>When a write is acknowledged, all in-sync owners hold it. Of a scattered cache, a holder
 *       has it as well.
 *   <li>At rest, all owners of a segment hold the same, and nobody else holds anything. Of a
 *       scattered cache, the holders together hold each entry of the primary once more.
 *   <li>At rest, nobody has anything of a cache that was destroyed.
 *   <li>At rest, nobody has memory reserved for an answer.
 *   <li>At rest, no node without capacity owns a segment, and the owners of a segment are on as
 *       many racks as there are owners, or racks.
 * </ul>
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class InvariantChecker {
  private final Supplier<List<InspectedNode>> nodes;
  private final Consumer<String> violations;
  private final Map<TopologyNumber, Long> topologies = new HashMap<>();
  private final Map<UUID, TopologyNumber> numbers = new HashMap<>();
  private final Map<SegmentAtNode, Tenure> tenures = new HashMap<>();

  /** A live node. */
  record InspectedNode(
      UUID member, String name, SimulatedCapacity capacity, NodeInspection insight) {
    /** Returns the rack of the node; a node without one is a rack of its own. */
    private String rack() {
      return capacity.rack().isEmpty() ? name : capacity.rack();
    }
  }

  private record SegmentAtNode(UUID member, int segment) {}

  /**
   * What a node held of a segment at the last check. Between two checks a node may be excluded and
   * receive the segment anew; then it began in another epoch, and may know less than before.
   */
  private record Tenure(int sinceEpoch, Map<ByteBuffer, HeldEntry> versions) {}

  /**
   * @param nodes supplies the live nodes
   * @param violations receives each violation
   */
  InvariantChecker(Supplier<List<InspectedNode>> nodes, Consumer<String> violations) {
    this.nodes = nodes;
    this.violations = violations;
  }

  /**
   * Checks which node leads each segment, and by which topology. This is cheap enough to run every
   * few events.
   */
  void checkLeaders() {
    List<InspectedNode> present = nodes.get();
    int segments = 0;
    for (InspectedNode node : present) {
      checkTopology(node);
      segments = Math.max(segments, node.insight.segmentCount());
    }
    for (int segment = 0; segment < segments; segment++) {
      checkLeader(present, segment);
    }
  }

  /** The identity of a topology: its grid and its number. */
  private record TopologyNumber(UUID grid, long number) {}

  private void checkTopology(InspectedNode node) {
    long number = node.insight.topologyNumber();
    TopologyNumber now = new TopologyNumber(node.insight.gridId(), number);
    TopologyNumber before = numbers.put(node.member, now);
    if (number == 0 || now.equals(before)) {
      return;
    }
    if (before != null && !before.grid.equals(now.grid)) {
      // Versions of different grids cannot be compared.
      tenures.keySet().removeIf(place -> place.member.equals(node.member));
    }
    // A node that was no owner in between may know less than before.
    tenures
        .keySet()
        .removeIf(
            place ->
                place.member.equals(node.member)
                    && node.insight.partOf(place.segment) != ReplicaPart.OWNER);
    if (before != null && before.grid.equals(now.grid) && number < before.number) {
      violations.accept(node.name + " went back from topology " + before.number + " to " + number);
    }
    long hash = node.insight.topologyHash();
    Long known = topologies.putIfAbsent(now, hash);
    if (known != null && known != hash) {
      violations.accept("topology " + number + " of " + node.name + " is not that of others");
    }
  }

  private void checkLeader(List<InspectedNode> present, int segment) {
    InspectedNode leader = null;
    int led = 0;
    for (InspectedNode node : present) {
      int epoch = node.insight.leads(segment);
      if (epoch > 0 && node.insight.hasLease()) {
        if (leader != null && leader.insight.gridId().equals(node.insight.gridId())) {
          violations.accept(
              leader.name
                  + " leads segment "
                  + segment
                  + " in epoch "
                  + led
                  + " and "
                  + node.name
                  + " in epoch "
                  + epoch
                  + ", both with a lease");
          return;
        }
        leader = node;
        led = epoch;
      }
    }
  }

  /** Checks that no owner's version of a key has gone back since the last check. */
  void checkVersions() {
    for (InspectedNode node : nodes.get()) {
      for (String violation : node.insight.feedViolations()) {
        violations.accept(node.name + ": " + violation);
      }
      for (int segment = 0; segment < node.insight.segmentCount(); segment++) {
        SegmentAtNode place = new SegmentAtNode(node.member, segment);
        if (node.insight.partOf(segment) == ReplicaPart.OWNER) {
          int since = node.insight.sinceEpoch(segment);
          Tenure last = tenures.get(place);
          Tenure tenure =
              last != null && last.sinceEpoch == since ? last : new Tenure(since, new HashMap<>());
          tenures.put(place, tenure);
          checkVersions(node, segment, tenure.versions);
        } else {
          tenures.remove(place);
        }
      }
    }
  }

  private void checkVersions(InspectedNode node, int segment, Map<ByteBuffer, HeldEntry> before) {
    for (HeldEntry held : node.insight.heldEntries(segment)) {
      HeldEntry earlier = before.put(held.key(), held);
      if (earlier != null && held.isOlderThan(earlier)) {
        violations.accept(
            node.name + " went back in segment " + segment + " from " + earlier + " to " + held);
      }
    }
  }

  /**
   * Checks that every live owner in the newest topology has a write that was just acknowledged, and
   * of a scattered segment, that one of the holders has it. The node that has exactly this value
   * tells its version; the others must have reached that version.
   */
  void checkAcknowledged(int key, long value) {
    List<InspectedNode> present = nodes.get();
    NodeInspection newest = NodeInspection.NONE;
    for (InspectedNode node : present) {
      if (node.insight.topologyNumber() > newest.topologyNumber()) {
        newest = node.insight;
      }
    }
    if (newest.segmentCount() == 0) {
      return;
    }
    int segment = newest.segmentOf(key);
    List<UUID> owners = newest.owners(segment);
    List<UUID> holders = newest.settledHolders(segment);
    ByteBuffer bytes = newest.valueOf(key, value);
    Map<UUID, HeldEntry> copies = new HashMap<>();
    HeldEntry written = null;
    for (InspectedNode node : present) {
      if (owners.contains(node.member) || holders.contains(node.member)) {
        HeldEntry there = node.insight.find(key);
        if (there != null) {
          copies.put(node.member, there);
          written = there.value().equals(bytes) ? there : written;
        }
      }
    }
    if (written == null) {
      return;
    }
    for (InspectedNode node : present) {
      HeldEntry there = copies.get(node.member);
      if (owners.contains(node.member) && (there == null || there.isOlderThan(written))) {
        violations.accept(
            node.name
                + " owns segment "
                + segment
                + " and has "
                + there
                + ", not the acknowledged "
                + written);
      }
    }
    if (!holders.isEmpty() && !isHeld(written, present, holders, copies)) {
      violations.accept("no holder of segment " + segment + " has the acknowledged " + written);
    }
  }

  /** Whether a holder has this version or a later one, or may have had it and is gone. */
  private static boolean isHeld(
      HeldEntry written,
      List<InspectedNode> present,
      List<UUID> holders,
      Map<UUID, HeldEntry> copies) {
    if (!present.stream().map(InspectedNode::member).toList().containsAll(holders)) {
      return true;
    }
    return holders.stream()
        .map(copies::get)
        .anyMatch(there -> there != null && !there.isOlderThan(written));
  }

  /** Returns how the replicas of segments differ at rest; empty if they do not. */
  List<String> differences() {
    List<String> differences = new ArrayList<>();
    List<InspectedNode> present = nodes.get();
    int segments = present.stream().mapToInt(node -> node.insight.segmentCount()).max().orElse(0);
    for (int segment = 0; segment < segments; segment++) {
      addDifferences(present, segment, differences);
      addMisplaced(present, segment, differences);
    }
    for (InspectedNode node : present) {
      node.insight
          .feedDifferences()
          .forEach(difference -> differences.add(node.name + ": " + difference));
      node.insight
          .destroyedRemains()
          .forEach(remains -> differences.add(node.name + " has " + remains));
      node.insight.boundExcess().forEach(excess -> differences.add(node.name + " holds " + excess));
      if (node.insight.answerBytes() != 0) {
        differences.add(
            node.name + " has " + node.insight.answerBytes() + " bytes reserved for answers");
      }
    }
    return differences;
  }

  private static void addDifferences(
      List<InspectedNode> present, int segment, List<String> differences) {
    InspectedNode first = null;
    List<HeldEntry> expected = List.of();
    List<HeldEntry> second = new ArrayList<>();
    boolean isScattered = false;
    for (InspectedNode node : present) {
      List<HeldEntry> held = node.insight.heldEntries(segment);
      if (node.insight.partOf(segment) == ReplicaPart.HOLDER) {
        isScattered = true;
        second.addAll(held);
      } else if (node.insight.partOf(segment) != ReplicaPart.OWNER) {
        if (!held.isEmpty()) {
          differences.add(
              node.name + " is no owner of segment " + segment + " and holds " + held.size());
        }
      } else if (first == null) {
        first = node;
        expected = liveEntries(held);
      } else if (!liveEntries(held).equals(expected)) {
        differences.add(
            node.name
                + " and "
                + first.name
                + " differ in segment "
                + segment
                + ": "
                + difference(liveEntries(held), expected));
      }
    }
    if (first == null) {
      differences.add("segment " + segment + " has no owner");
    }
    second.sort(Comparator.comparing(HeldEntry::key));
    List<HeldEntry> sorted = new ArrayList<>(expected);
    sorted.sort(Comparator.comparing(HeldEntry::key));
    if (isScattered && !second.equals(sorted)) {
      differences.add(
          "the holders of segment "
              + segment
              + " differ from its primary: "
              + difference(second, sorted)
              + ", holding "
              + second.size()
              + " of "
              + sorted.size());
    }
  }

  private static void addMisplaced(
      List<InspectedNode> present, int segment, List<String> differences) {
    List<InspectedNode> owners =
        present.stream().filter(node -> node.insight.partOf(segment) == ReplicaPart.OWNER).toList();
    owners.stream()
        .filter(node -> !node.capacity.holdsEntries())
        .forEach(
            node -> differences.add(node.name + " has no capacity and owns segment " + segment));
    long apart = owners.stream().map(InspectedNode::rack).distinct().count();
    long racks =
        present.stream()
            .filter(n -> n.capacity.holdsEntries())
            .map(InspectedNode::rack)
            .distinct()
            .count();
    if (apart < Math.min(owners.size(), racks)) {
      differences.add(
          "segment "
              + segment
              + " is on "
              + apart
              + " of "
              + racks
              + " racks, held by "
              + owners.stream().map(InspectedNode::name).toList());
    }
  }

  /** Leaves out tombstones: each owner drops a tombstone in its own time once all may forget it. */
  private static List<HeldEntry> liveEntries(List<HeldEntry> held) {
    return held.stream().filter(entry -> !entry.tombstone()).toList();
  }

  private static String difference(List<HeldEntry> one, List<HeldEntry> other) {
    List<HeldEntry> only = new ArrayList<>(one);
    only.removeAll(other);
    List<HeldEntry> missing = new ArrayList<>(other);
    missing.removeAll(one);
    return "only here " + only + ", only there " + missing;
  }
}
