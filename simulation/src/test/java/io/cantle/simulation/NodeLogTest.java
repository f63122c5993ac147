package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.Scheduler.Limits;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class NodeLogTest {
  private static final System.Logger LOG = System.getLogger("io.cantle.core.node.Node");

  private final List<LogRecord> records = new ArrayList<>();

  @Test
  void runGetsWhatItsOwnThreadsLog() {
    Scheduler scheduler = new Scheduler(new SplittableRandom(1), new Limits(100, Long.MAX_VALUE));
    Host host = new Host(scheduler, 1, "a", new SplittableRandom(2));
    host.start(
        Role.TASK,
        () -> {
          LOG.log(System.Logger.Level.WARNING, "mine", new IllegalStateException("broken"));
          scheduler.stop();
        });
    LOG.log(System.Logger.Level.WARNING, "before");
    NodeLog.during(scheduler, false, records::add);
    LOG.log(System.Logger.Level.WARNING, "after");
    assertThat(records)
        .singleElement()
        .satisfies(
            record -> assertThat(NodeLog.text(record)).startsWith("mine: ").contains("broken"));
  }
}
