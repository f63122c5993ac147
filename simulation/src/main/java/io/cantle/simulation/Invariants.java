package io.cantle.simulation;

import io.cantle.simulation.Insight.Held;
import io.cantle.simulation.Insight.Part;
import io.cantle.simulation.Scenario.Seat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What must hold inside the nodes at every moment, whatever clients see.
 *
 * <ul>
 *   <li>Two nodes never lead the same epoch of a segment, and of two that lead it in different
 *       epochs the one of the older has no lease.
 *   <li>Topologies of the same number are the same.
 *   <li>The number of a node's topology never falls.
 *   <li>The version of a key never falls in a copy that is an owner throughout.
 *   <li>When a write is acknowledged, all in-sync owners hold it.
 *   <li>At rest every owner of a segment holds the same, and nobody else holds anything.
 *   <li>At rest nobody has memory reserved for an answer.
 *   <li>At rest nobody without capacity owns a segment, and its owners are on as many racks as
 *       there are owners, or racks.
 * </ul>
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Invariants {
  private final Supplier<List<Node>> nodes;
  private final Consumer<String> violated;
  private final Map<Numbered, Long> topologies = new HashMap<>();
  private final Map<UUID, Numbered> numbers = new HashMap<>();
  private final Map<Place, Map<ByteBuffer, Held>> versions = new HashMap<>();

  /** A live node. */
  record Node(UUID member, String name, Seat seat, Insight insight) {
    /** Its rack; one that has none is a rack of its own. */
    private String rack() {
      return seat.rack().isEmpty() ? name : seat.rack();
    }
  }

  private record Place(UUID member, int segment) {}

  /**
   * @param nodes those alive
   * @param violated told of what does not hold
   */
  Invariants(Supplier<List<Node>> nodes, Consumer<String> violated) {
    this.nodes = nodes;
    this.violated = violated;
  }

  /** Checks who leads what and by which topology; cheap enough for every few events. */
  void checkLeaders() {
    List<Node> present = nodes.get();
    int segments = 0;
    for (Node node : present) {
      checkTopology(node);
      segments = Math.max(segments, node.insight.segmentCount());
    }
    for (int segment = 0; segment < segments; segment++) {
      checkLeader(present, segment);
    }
  }

  /** A topology, by its grid and its number. */
  private record Numbered(UUID grid, long number) {}

  private void checkTopology(Node node) {
    long number = node.insight.topologyNumber();
    Numbered now = new Numbered(node.insight.grid(), number);
    Numbered before = numbers.put(node.member, now);
    if (number == 0 || now.equals(before)) {
      return;
    }
    if (before != null && !before.grid.equals(now.grid)) {
      // Versions of different grids have nothing to do with each other.
      versions.keySet().removeIf(place -> place.member.equals(node.member));
    }
    // Who was no owner in between may know less than before.
    versions
        .keySet()
        .removeIf(
            place ->
                place.member.equals(node.member) && node.insight.part(place.segment) != Part.OWNER);
    if (before != null && before.grid.equals(now.grid) && number < before.number) {
      violated.accept(node.name + " went back from topology " + before.number + " to " + number);
    }
    long hash = node.insight.topologyHash();
    Long known = topologies.putIfAbsent(now, hash);
    if (known != null && known != hash) {
      violated.accept("topology " + number + " of " + node.name + " is not that of others");
    }
  }

  private void checkLeader(List<Node> present, int segment) {
    Node leader = null;
    int led = 0;
    for (Node node : present) {
      int epoch = node.insight.leads(segment);
      if (epoch > 0 && node.insight.leased()) {
        if (leader != null && leader.insight.grid().equals(node.insight.grid())) {
          violated.accept(
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

  /** Checks that no owner's copy of a key has gone back since the last time. */
  void checkVersions() {
    for (Node node : nodes.get()) {
      for (int segment = 0; segment < node.insight.segmentCount(); segment++) {
        Place place = new Place(node.member, segment);
        if (node.insight.part(segment) == Part.OWNER) {
          checkVersions(node, segment, versions.computeIfAbsent(place, same -> new HashMap<>()));
        } else {
          versions.remove(place);
        }
      }
    }
  }

  private void checkVersions(Node node, int segment, Map<ByteBuffer, Held> before) {
    for (Held held : node.insight.held(segment)) {
      Held earlier = before.put(held.key(), held);
      if (earlier != null && held.olderThan(earlier)) {
        violated.accept(
            node.name + " went back in segment " + segment + " from " + earlier + " to " + held);
      }
    }
  }

  /**
   * Checks that a write just acknowledged is on every live owner the newest topology names. The one
   * that holds exactly it tells its version; the others must have come as far.
   */
  void checkAcknowledged(int key, long value) {
    List<Node> present = nodes.get();
    Insight newest = Insight.NONE;
    for (Node node : present) {
      if (node.insight.topologyNumber() > newest.topologyNumber()) {
        newest = node.insight;
      }
    }
    if (newest.segmentCount() == 0) {
      return;
    }
    int segment = newest.segmentOf(key);
    List<UUID> owners = newest.owners(segment);
    ByteBuffer bytes = newest.valueOf(key, value);
    @Nullable Held[] copies = new Held[present.size()];
    Held written = null;
    for (int i = 0; i < copies.length; i++) {
      if (owners.contains(present.get(i).member)) {
        Held there = present.get(i).insight.find(key);
        copies[i] = there;
        written = there != null && there.value().equals(bytes) ? there : written;
      }
    }
    for (int i = 0; i < copies.length && written != null; i++) {
      Held there = copies[i];
      if (owners.contains(present.get(i).member) && (there == null || there.olderThan(written))) {
        violated.accept(
            present.get(i).name
                + " owns segment "
                + segment
                + " and has "
                + there
                + ", not the acknowledged "
                + written);
      }
    }
  }

  /** What differs at rest between the copies of segments; nothing if the list is empty. */
  List<String> differences() {
    List<String> differences = new ArrayList<>();
    List<Node> present = nodes.get();
    int segments = present.stream().mapToInt(node -> node.insight.segmentCount()).max().orElse(0);
    for (int segment = 0; segment < segments; segment++) {
      addDifferences(present, segment, differences);
      addMisplaced(present, segment, differences);
    }
    for (Node node : present) {
      if (node.insight.answerBytes() != 0) {
        differences.add(
            node.name + " has " + node.insight.answerBytes() + " bytes reserved for answers");
      }
    }
    return differences;
  }

  private static void addDifferences(List<Node> present, int segment, List<String> differences) {
    Node first = null;
    List<Held> expected = List.of();
    for (Node node : present) {
      List<Held> held = node.insight.held(segment);
      if (node.insight.part(segment) != Part.OWNER) {
        if (!held.isEmpty()) {
          differences.add(
              node.name + " is no owner of segment " + segment + " and holds " + held.size());
        }
      } else if (first == null) {
        first = node;
        expected = live(held);
      } else if (!live(held).equals(expected)) {
        differences.add(
            node.name
                + " and "
                + first.name
                + " differ in segment "
                + segment
                + ": "
                + difference(live(held), expected));
      }
    }
    if (first == null) {
      differences.add("segment " + segment + " has no owner");
    }
  }

  private static void addMisplaced(List<Node> present, int segment, List<String> differences) {
    List<Node> owners =
        present.stream().filter(node -> node.insight.part(segment) == Part.OWNER).toList();
    owners.stream()
        .filter(node -> !node.seat.holdsEntries())
        .forEach(
            node -> differences.add(node.name + " has no capacity and owns segment " + segment));
    long apart = owners.stream().map(Node::rack).distinct().count();
    long racks =
        present.stream().filter(n -> n.seat.holdsEntries()).map(Node::rack).distinct().count();
    if (apart < Math.min(owners.size(), racks)) {
      differences.add(
          "segment "
              + segment
              + " is on "
              + apart
              + " of "
              + racks
              + " racks, held by "
              + owners.stream().map(Node::name).toList());
    }
  }

  /** Tombstones go when everybody may forget them, each owner in its own time. */
  private static List<Held> live(List<Held> held) {
    return held.stream().filter(entry -> !entry.tombstone()).toList();
  }

  private static String difference(List<Held> one, List<Held> other) {
    List<Held> only = new ArrayList<>(one);
    only.removeAll(other);
    List<Held> missing = new ArrayList<>(other);
    missing.removeAll(one);
    return "only here " + only + ", only there " + missing;
  }
}
