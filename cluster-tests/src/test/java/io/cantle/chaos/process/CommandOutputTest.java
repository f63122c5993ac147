package io.cantle.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
final class CommandOutputTest {
  @Test
  void programReadsItsInputAndItsOutputIsReturned() throws InterruptedException {
    CommandOutput output = CommandOutput.run(List.of("cat"), "in\n");
    assertThat(output).isEqualTo(new CommandOutput(true, "in"));
  }

  @Test
  void failureIsToldWithItsOutput() throws InterruptedException {
    List<String> command = List.of("sh", "-c", "echo why >&2; exit 3");
    CommandOutput output = CommandOutput.run(command);
    assertThat(output).isEqualTo(new CommandOutput(false, "why"));
    assertThat(output.describeFailure(command)).endsWith("failed: why");
    assertThat(CommandOutput.run(List.of("/no/such/program")).isSuccess()).isFalse();
  }

  /** The shell has a child of its own, which has the output open too. */
  @ParameterizedTest
  @ValueSource(strings = {"exec sleep 60", "echo begun; sleep 60; true"})
  void programThatHangsIsKilled(String script) throws InterruptedException {
    List<String> command = List.of("sh", "-c", script);
    CommandOutput output = CommandOutput.run(command, "", Duration.ofMillis(300));
    assertThat(output.isSuccess()).isFalse();
    assertThat(output.output()).endsWith("it did not end within 300 ms");
  }
}
