package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.ListenerRegistration;
import io.cantle.MembershipEvent;
import io.cantle.MembershipEvent.MemberJoined;
import io.cantle.MembershipEvent.MemberLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what users and operators are told of the members of a real grid. */
@Timeout(120)
final class MembershipEventsTest {
  private final List<String> lines = new CopyOnWriteArrayList<>();

  /** Keeps what nodes in this process log at INFO or above while an action runs. */
  private void captureLog(Runnable action) {
    Logger logger = Logger.getLogger("io.cantle");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            lines.add(entry.getLevel() + " " + new SimpleFormatter().formatMessage(entry));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      action.run();
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  void listenerHearsThatANodeJoinsAndLeaves() {
    List<MembershipEvent> heard = new CopyOnWriteArrayList<>();
    try (TestGrid cluster = new TestGrid(2)) {
      Grid first = cluster.join();
      try (ListenerRegistration registration = first.onMembership(heard::add)) {
        assertThat(registration).isNotNull();
        Grid second = cluster.join();
        cluster.awaitMembers(2);
        cluster.leave(second);
        cluster.awaitMembers(1);
        ConditionWait.until("two events", () -> heard.size() == 2, () -> heard);
      }
      String address = "127.0.0.1:" + (cluster.firstPort() + 1);
      assertThat(heard)
          .satisfiesExactly(
              event ->
                  assertThat(event)
                      .isInstanceOfSatisfying(
                          MemberJoined.class,
                          joined -> {
                            assertThat(joined.member()).isEqualTo("node-1");
                            assertThat(joined.address()).isEqualTo(address);
                            assertThat(joined.members()).containsExactly("node-0", "node-1");
                          }),
              event ->
                  assertThat(event)
                      .isInstanceOfSatisfying(
                          MemberLeft.class,
                          left -> {
                            assertThat(left.address()).isEqualTo(address);
                            assertThat(left.members()).containsExactly("node-0");
                          }));
    }
  }

  @Test
  void eachOfTwoNodesOfOneNameWarnsOfTheOther() {
    try (TestGrid cluster = new TestGrid(2)) {
      captureLog(
          () -> {
            cluster.join(config -> config.nodeName("twin"));
            cluster.join(config -> config.nodeName("twin"));
            ConditionWait.until(
                "a warning of each", () -> warningsOfNames().size() >= 2, () -> lines);
          });
      String one = "127.0.0.1:" + cluster.firstPort();
      String two = "127.0.0.1:" + (cluster.firstPort() + 1);
      assertThat(warningsOfNames())
          .allMatch(line -> line.startsWith("WARNING grid \"" + cluster.name() + "\" has two"))
          .allMatch(line -> line.contains("GridConfig.nodeName"))
          .satisfiesExactlyInAnyOrder(
              line -> assertThat(line).contains("this one (" + one + ") and one at " + two),
              line -> assertThat(line).contains("this one (" + two + ") and one at " + one));
    }
  }

  private List<String> admissions() {
    return lines.stream().filter(line -> line.contains(", with Cantle ")).toList();
  }

  private List<String> warningsOfNames() {
    return lines.stream().filter(line -> line.contains("nodes named twin")).toList();
  }

  @Test
  void joinIsOneLineWithAddressVersionAndTime() {
    try (TestGrid cluster = new TestGrid(2)) {
      captureLog(
          () -> {
            cluster.join();
            cluster.join();
            // A node may be of use a moment before it has logged that it is a member.
            ConditionWait.until("a line of each", () -> admissions().size() >= 2, () -> lines);
          });
      assertThat(admissions())
          .satisfiesExactly(
              line ->
                  assertThat(line)
                      .matches(
                          "INFO node-0 \\(127.0.0.1:[0-9]+\\) has founded grid \""
                              + cluster.name()
                              + "\" in [0-9,]+ ms, with Cantle [0-9.]+.*; now 1 member and 1 voter,"
                              + " node-0"),
              line ->
                  assertThat(line)
                      .matches(
                          "INFO node-1 \\(127.0.0.1:[0-9]+\\) has joined grid .* in [0-9,]+ ms,.*; now"
                              + " 2 members and . voters?, node-0, node-1"));
    }
  }

  @Test
  void localGridIsOneLineWithVersionAndTime() {
    captureLog(() -> Grid.local().close());
    assertThat(lines)
        .singleElement()
        .asString()
        .matches(
            "INFO alone has opened grid \"local\", which has no network, in [0-9,]+ ms, with Cantle"
                + " [0-9.]+.*");
  }

  @Test
  void joinThatWaitsSaysWhatItSees() {
    TestGrid cluster = new TestGrid(2);
    GridConfig config = cluster.next().initialMembers(3).timeout(Duration.ofSeconds(4));
    String seed = "127.0.0.1:" + (cluster.firstPort() + 1);
    captureLog(
        () ->
            assertThatThrownBy(() -> Grid.join(config))
                .isInstanceOf(GridException.class)
                .hasMessageContainingAll(
                    "did not join grid \"" + cluster.name() + "\" within 4000 ms",
                    "it sees no other node at ",
                    seed + " (GridConfig.seeds)",
                    "once 3 nodes see each other (GridConfig.initialMembers)"));
    assertThat(lines)
        .anySatisfy(
            line ->
                assertThat(line)
                    .startsWith("WARNING node-0 has found no other node of grid ")
                    .contains(seed + ": Connection refused"))
        .anySatisfy(
            line ->
                assertThat(line)
                    .startsWith("INFO node node-0 has not joined grid ")
                    .contains("it sees no other node at ", "initialMembers", "GridConfig.timeout"));
  }
}
