package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ContradictionReportTest {
  private static final long MAX_STEPS = 100_000;

  @Test
  void showsFirstImpossibleReturnWithItsContext() {
    List<ClientCall> calls = new ArrayList<>();
    calls.add(new ClientCall("a", MapOperation.put(0, 777), 5));
    calls.add(new ClientCall("a", MapOperation.put(0, 778), 6));
    for (long i = 1; i <= 100; i++) {
      calls.add(
          new ClientCall("a", MapOperation.put(0, i), 10 * i).recordReturn(10 * i + 1, i - 1));
    }
    calls.add(get(1_100, 777));
    calls.add(get(1_110, 5));
    calls.add(get(1_120, 778));
    List<String> lines = new ContradictionReport(calls, MAX_STEPS).toString().lines().toList();
    assertThat(lines.getFirst()).isEqualTo("no order gets past moment 1111");
    assertThat(lines.getLast()).startsWith("> 1110 a GET k0 ... 1111 returned 5");
    assertThat(lines)
        .hasSizeLessThan(35)
        .as("the open write that was seen")
        .anyMatch(line -> line.endsWith("with 309 ... never returned"))
        .as("the one that was seen only later")
        .noneMatch(line -> line.contains("with 30a"))
        .as("where the value came from")
        .anyMatch(line -> line.startsWith("  50 a PUT k0 with 5 ..."));
  }

  @Test
  void showsOnlyTheImpossibleCall() {
    assertThat(new ContradictionReport(List.of(get(1, 7)), MAX_STEPS))
        .hasToString("no order gets past moment 2\n> 1 a GET k0 ... 2 returned 7");
  }

  private static ClientCall get(long from, long result) {
    return new ClientCall("a", MapOperation.get(0), from).recordReturn(from + 1, result);
  }
}
