package io.cantle.simulation.walk;

import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What all parts of a walk share: its nodes, its caches, its random numbers and its story.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class WalkScene {
  final SplittableRandom random;
  final CacheLayout layout;

  /** Every incarnation there ever was. */
  final List<WalkNode> nodes;

  /** Every side there ever was, the founded grid first. */
  final List<WalkGrid> grids = new ArrayList<>();

  private final Consumer<Supplier<String>> story;
  private final Map<WalkEvent, Long> counts = new EnumMap<>(WalkEvent.class);

  WalkScene(
      SplittableRandom random,
      CacheLayout layout,
      List<WalkNode> nodes,
      Consumer<Supplier<String>> story) {
    this.random = random;
    this.layout = layout;
    this.nodes = nodes;
    this.story = story;
  }

  boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  /** Adds a line to the story. */
  void narrate(Supplier<String> line) {
    story.accept(line);
  }

  void count(WalkEvent event) {
    counts.merge(event, 1L, Long::sum);
  }

  /** Returns how often each event happened. */
  Map<WalkEvent, Long> counts() {
    return counts;
  }

  /** Returns the incarnation that a member is. */
  WalkNode life(Member member) {
    return nodes.stream().filter(node -> node.member.equals(member)).findFirst().orElseThrow();
  }

  /** Returns the group that contains most voters when these members are excluded; -1 for none. */
  int decidingGroup(WalkGrid grid, List<Member> excluded) {
    List<Member> voters = grid.now().membership().voters();
    for (int group = 0; group <= 3; group++) {
      int there = 0;
      for (Member voter : voters) {
        for (WalkNode node : nodes) {
          boolean isLife =
              node.member.equals(voter) ? !excluded.contains(voter) : node.member.isSameNode(voter);
          if (isLife && node.alive && node.grid == grid && node.group == group) {
            there++;
            break;
          }
        }
      }
      if (2 * there > voters.size()) {
        return group;
      }
    }
    return -1;
  }

  /** Returns whether what a node holds may be needed, as far as it knows. */
  boolean isNeeded(WalkNode node) {
    return node.grid != null
        && IntStream.range(0, layout.segments())
            .mapToObj(segment -> layout.ownership(node.topology(), segment))
            .anyMatch(
                ownership ->
                    ownership.owners().contains(node.member)
                        || ownership.lastOwners().contains(node.member));
  }

  /** Returns whether a node is in the group that decides for its grid. */
  boolean isDecisive(WalkNode node, WalkGrid grid) {
    return decidingGroup(grid, List.of()) == node.group;
  }
}
