package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.WhenCut;
import io.cantle.core.operation.ConflictResolver;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Tests what operators are told of topologies. */
final class OperatorLogTest {
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final Map<Member, String> addresses = new HashMap<>();

  private static Topology topology(long number, Member... members) {
    return new Topology(
        number,
        GridDefinition.ofNewGrid(new UUID(1, 1), 1, 1, PartitionHandling.OLDEST_DECIDES),
        TopologyFixture.membership(List.of(members), false),
        CacheCatalog.NONE);
  }

  @Test
  void hintIsNotGivenTwiceThoughTheOldestComesAndGoes() {
    assertThat(
            logged(
                b,
                topology(1, a, b),
                topology(2, b),
                topology(3, b, c),
                topology(4, a, b, c),
                topology(5, a, b)))
        .satisfiesExactly(
            line -> assertThat(line).contains("a continues alone"),
            line -> assertThat(line).contains("b continues alone"));
  }

  @Test
  void nodeOfTheSameNameIsNamedOnce() {
    Member twin = new Member(new UUID(9, 9), "a");
    addresses.put(a, "127.0.0.1:1");
    addresses.put(twin, "127.0.0.1:2");
    List<Topology> story =
        List.of(
            topology(1, a, b, c),
            topology(2, a, b, c, twin),
            topology(3, a, b, c),
            topology(4, a, b, c, twin));
    assertThat(logged(a, story.toArray(Topology[]::new)))
        .containsExactly(
            "WARNING grid \"shop\" has two nodes named a: this one (127.0.0.1:1) and one at"
                + " 127.0.0.1:2; messages cannot tell them apart: give each node a name of its own"
                + " (GridConfig.nodeName)");
    assertThat(logged(b, story.toArray(Topology[]::new))).isEmpty();
    addresses.put(twin, "127.0.0.1:1");
    assertThat(logged(a, story.toArray(Topology[]::new)))
        .as("this node before it was started again")
        .isEmpty();
  }

  private List<String> logged(Member self, Topology... story) {
    List<String> lines = new ArrayList<>();
    Handler recorder =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(OperatorLog.class.getName());
    logger.addHandler(recorder);
    try {
      OperatorLog log =
          new OperatorLog(
              self,
              "shop",
              member -> addresses.getOrDefault(member, ""),
              new ConflictResolver(WhenCut.oldestDecides()));
      Topology last = Topology.NONE;
      for (Topology next : story) {
        log.onAdopted(last, next);
        last = next;
      }
    } finally {
      logger.removeHandler(recorder);
    }
    return lines;
  }
}
