package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.SimulatedThread.Role;
import io.cantle.simulation.SimulationScheduler.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class NodeLogCaptureTest {
  private static final System.Logger LOG = System.getLogger("io.cantle.core.node.Node");

  private final List<LogRecord> records = new ArrayList<>();

  @Test
  void runCapturesLogsOfItsOwnThreads() {
    SimulationScheduler scheduler =
        new SimulationScheduler(new SplittableRandom(1), new Limits(100, Long.MAX_VALUE));
    SimulatedHost host = new SimulatedHost(scheduler, 1, "a", new SplittableRandom(2));
    host.start(
        Role.TASK,
        () -> {
          LOG.log(System.Logger.Level.WARNING, "mine", new IllegalStateException("broken"));
          scheduler.stop();
        });
    LOG.log(System.Logger.Level.WARNING, "before");
    NodeLogCapture.captureDuring(scheduler, false, records::add);
    LOG.log(System.Logger.Level.WARNING, "after");
    assertThat(records)
        .singleElement()
        .satisfies(
            record ->
                assertThat(NodeLogCapture.text(record)).startsWith("mine: ").contains("broken"));
  }
}
