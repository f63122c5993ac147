package io.cantle.simulation.script;

import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.probe.NodeProbe;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of a script hold and believe, as text, and how it changes.
 *
 * <p><b>Threading:</b> the carrier of the simulation.
 */
final class StateText {
  private final Map<UUID, String> names;
  private final List<UUID> grids = new ArrayList<>();
  private final Map<UUID, Topology> latest = new HashMap<>();
  private final Map<String, NodeState> before = new HashMap<>();

  /** What is told of a node as soon as it changes. */
  private record NodeState(boolean hasJoined, boolean hasLease, List<Integer> served) {
    static final NodeState NONE = new NodeState(false, false, List.of());
  }

  /**
   * @param names the names of members, by id
   */
  StateText(Map<UUID, String> names) {
    this.names = names;
  }

  /** Returns what has changed since the last call. */
  List<String> changes(Collection<StageNode> nodes) {
    List<String> lines = new ArrayList<>();
    for (StageNode node : nodes) {
      if (node.isAlive()) {
        addTopology(node.inspection().topology(), lines);
        NodeState now = stateOf(node);
        NodeState last = Objects.requireNonNullElse(before.put(node.name(), now), NodeState.NONE);
        if (!now.equals(last)) {
          addChanges(node, last, now, lines);
        }
      } else {
        before.remove(node.name());
      }
    }
    return lines;
  }

  private static NodeState stateOf(StageNode node) {
    NodeProbe inspection = node.inspection();
    List<Integer> served = new ArrayList<>();
    int cache = cacheOf(inspection.topology());
    for (int segment = 0; segment < inspection.segmentCount(cache); segment++) {
      served.add(inspection.primaryEpoch(cache, segment));
    }
    return new NodeState(node.isSteady(), inspection.hasLease(), served);
  }

  /** The index of the only cache; another one may have been there before. */
  private static int cacheOf(Topology topology) {
    return topology.caches().isEmpty() ? 0 : topology.caches().getFirst().index();
  }

  private static void addChanges(
      StageNode node, NodeState last, NodeState now, List<String> lines) {
    if (now.hasLease != last.hasLease) {
      lines.add(node + (now.hasLease ? " holds a lease" : " holds no lease"));
    }
    for (int segment = 0; segment < now.served.size(); segment++) {
      int epoch = now.served.get(segment);
      int earlier = segment < last.served.size() ? last.served.get(segment) : 0;
      if (epoch != earlier && epoch > 0) {
        lines.add(node + " serves " + segment(segment, now.served.size()) + "epoch " + epoch);
      }
    }
    if (now.hasJoined && !last.hasJoined) {
      lines.add(node + " has joined");
    }
  }

  private static String segment(int segment, int segments) {
    return segments > 1 ? "segment " + segment + " in " : "";
  }

  /** Tells of a topology when the first node adopts it. */
  private void addTopology(Topology topology, List<String> lines) {
    Topology last = latest.get(topology.gridId());
    if (topology.isFounded() && (last == null || topology.number() > last.number())) {
      latest.put(topology.gridId(), topology);
      lines.add(nameOf(topology) + ": " + String.join("; ", differences(last, topology)));
    }
  }

  private String nameOf(Topology topology) {
    if (!grids.contains(topology.gridId())) {
      grids.add(topology.gridId());
    }
    int grid = grids.indexOf(topology.gridId());
    return "topology " + topology.number() + (grid == 0 ? "" : " of fork " + grid);
  }

  private List<String> differences(@Nullable Topology last, Topology topology) {
    List<String> parts = new ArrayList<>();
    if (last == null || !last.members().equals(topology.members())) {
      parts.add("members " + text(topology.members()));
    }
    List<Member> voters = topology.membership().voters();
    if (last == null || !last.membership().voters().equals(voters)) {
      parts.add("voters " + text(voters));
    }
    if (!topology.leaving().isEmpty()
        && (last == null || !last.leaving().equals(topology.leaving()))) {
      parts.add("leaving " + text(topology.leaving()));
    }
    if (last != null
        && topology.gridDefinition().isWritten()
        && !last.gridDefinition().isWritten()) {
      parts.add("the grid is in use");
    }
    if (last != null && !last.caches().isEmpty() && topology.caches().isDestroyed(cacheOf(last))) {
      parts.add("cache " + cacheOf(last) + " is destroyed");
    }
    if (last != null && last.caches().destroyed().size() > topology.caches().destroyed().size()) {
      parts.add("all know what is destroyed");
    }
    if (!topology.caches().isEmpty()) {
      if (cacheOf(topology) > 0 && (last == null || last.caches().isEmpty())) {
        parts.add("cache " + cacheOf(topology));
      }
      List<SegmentOwnership> segments = topology.caches().getFirst().segments();
      for (int segment = 0; segment < segments.size(); segment++) {
        SegmentOwnership earlier =
            last == null ? null : last.findOwnership(cacheOf(topology), segment);
        if (!segments.get(segment).equals(earlier)) {
          parts.add(
              (segments.size() > 1 ? "segment " + segment + " " : "")
                  + text(segments.get(segment)));
        }
      }
    }
    if (parts.isEmpty()) {
      parts.add("nothing changes");
    }
    return parts;
  }

  private String text(SegmentOwnership ownership) {
    StringBuilder text = new StringBuilder("epoch ").append(ownership.epoch());
    append(text, "owners", ownership.owners());
    append(
        text,
        "joining",
        ownership.joiners().stream().map(SegmentOwnership.Joiner::member).toList());
    append(text, "retiring", ownership.retiring());
    append(text, "last owners", ownership.lastOwners());
    if (ownership.isLost()) {
      text.append(", lost");
    }
    return text.toString();
  }

  private void append(StringBuilder text, String role, List<Member> members) {
    if (!members.isEmpty()) {
      text.append(", ").append(role).append(' ').append(text(members));
    }
  }

  private String text(List<Member> members) {
    return members.stream()
        .map(member -> names.getOrDefault(member.id(), "?"))
        .collect(Collectors.joining(" "));
  }

  /** Returns the topology of each node; those that agree share a line. */
  List<String> topologies(Collection<StageNode> nodes) {
    Map<String, String> byTopology = new LinkedHashMap<>();
    for (StageNode node : nodes) {
      Topology topology = node.inspection().topology();
      if (node.isAlive()) {
        String text =
            topology.isFounded()
                ? nameOf(topology) + ": " + String.join("; ", differences(null, topology))
                : "no topology";
        byTopology.merge(text, node.name(), (one, other) -> one + " " + other);
      }
    }
    List<String> lines = new ArrayList<>();
    byTopology.forEach((text, who) -> lines.add(who + ": " + text));
    return lines;
  }

  /** Returns what each node holds. */
  List<String> replicas(Collection<StageNode> nodes) {
    List<String> lines = new ArrayList<>();
    for (StageNode node : nodes) {
      if (node.isAlive()) {
        int segments = node.inspection().segmentCount(cacheOf(node.inspection().topology()));
        for (int segment = 0; segment < segments; segment++) {
          String held = held(node.inspection(), segment);
          if (!held.isEmpty()) {
            lines.add(node + ": " + (segments > 1 ? "segment " + segment + " " : "") + held);
          }
        }
      }
    }
    return lines;
  }

  private static String held(NodeProbe inspection, int segment) {
    Map<String, String> entries = new TreeMap<>();
    int cache = cacheOf(inspection.topology());
    inspection.visitEntries(
        cache,
        segment,
        (key, value, epoch, index, isTombstone) -> {
          String name = MessageText.text(key);
          String text = value == null ? "on disk" : MessageText.text(value);
          entries.put(
              name, epoch + "." + index + " " + (isTombstone ? "no " + name : name + "=" + text));
        });
    String role =
        switch (inspection.roleOf(cache, segment)) {
          case NONE -> "";
          case HOLDER -> "copies, ";
          case JOINER -> "joins, ";
          case OWNER -> inspection.primaryEpoch(cache, segment) > 0 ? "serves, " : "owns, ";
        };
    return role.isEmpty() && entries.isEmpty()
        ? ""
        : role + "holds " + (entries.isEmpty() ? "nothing" : String.join(", ", entries.values()));
  }
}
