package io.cantle.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is checked besides the order of calls on one key. */
final class FindingsTest {
  private static final String INVOKED_AT_ZERO =
      """
      {"time":0,"client":"2.0.1","number":1,"type":"invoke","call":"PUT","key":"register-0-0","value":4}
      """;

  @TempDir private Path folder = Path.of("");

  private Findings check(String calls, String faults) throws IOException {
    Files.writeString(folder.resolve("node-2-0.jsonl"), calls);
    Files.writeString(folder.resolve(FaultLog.FILE), faults);
    return Findings.of(History.read(folder));
  }

  private static String iterated(Iteration iteration) {
    return """
        {"time":0,"client":"2.0.1","number":1,"type":"invoke","call":"ITERATE"}
        {"time":9,"client":"2.0.1","number":1,"type":"ok","delivered":%d,"missing":"%s","twice":"%s"}
        """
        .formatted(
            iteration.delivered(),
            String.join(" ", iteration.missing()),
            String.join(" ", iteration.twice()));
  }

  private static Iteration whole() {
    Iteration iteration = new Iteration();
    Keys.stable().forEach(iteration::deliver);
    iteration.deliver("register-1-1");
    return iteration;
  }

  @Test
  void acceptsIterationThatDeliversStableKeysOnce() throws IOException {
    Findings findings = check(iterated(whole()), "");
    assertThat(findings.violations()).isEmpty();
    assertThat(findings.figures()).containsEntry("iterations", 1L);
  }

  @Test
  void refusesIterationThatMissesStableKey() throws IOException {
    Iteration iteration = new Iteration();
    Keys.stable().skip(1).forEach(iteration::deliver);
    assertThat(check(iterated(iteration), "").violations())
        .singleElement()
        .asString()
        .contains("missing: stable-0");
  }

  @Test
  void refusesIterationThatDeliversAnyKeyTwice() throws IOException {
    Iteration iteration = whole();
    iteration.deliver("register-1-1");
    assertThat(check(iterated(iteration), "").violations())
        .singleElement()
        .asString()
        .contains("twice: register-1-1");
  }

  @Test
  void refusesWhatCallMustNotThrow() throws IOException {
    Findings findings =
        check(
            INVOKED_AT_ZERO
                + """
                {"time":9,"client":"2.0.1","number":1,"type":"broken","error":"SegmentLostException: 7"}
                """,
            "");
    assertThat(findings.violations()).singleElement().asString().contains("SegmentLostException");
  }

  @Test
  void refusesCallThatOutlivesItsTimeout() throws IOException {
    assertThat(check(INVOKED_AT_ZERO + endedAfterSeconds(40), "").violations())
        .singleElement()
        .asString()
        .contains("took 40000 ms");
  }

  @Test
  void doesNotBlameCallForPauseOfItsProcess() throws IOException {
    String pause =
        """
        {"time":2000000000,"fault":"PAUSE","type":"begin","node":"2.0"}
        {"time":22000000000,"fault":"PAUSE","type":"end","node":"2.0"}
        """;
    assertThat(check(INVOKED_AT_ZERO + endedAfterSeconds(40), pause).violations()).isEmpty();
  }

  @Test
  void countsReadsThatCouldBeStale() throws IOException {
    String pause =
        """
        {"time":1000000000,"fault":"PAUSE","type":"begin","node":"2.0"}
        {"time":2000000000,"fault":"PAUSE","type":"end","node":"2.0"}
        """;
    Findings findings =
        check(
            """
            {"time":2500000000,"client":"2.0.1","number":1,"type":"invoke","call":"GET","key":"register-0-0"}
            {"time":2600000000,"client":"2.0.1","number":1,"type":"ok","result":0}
            {"time":9500000000,"client":"2.0.1","number":2,"type":"invoke","call":"GET","key":"register-0-0"}
            {"time":9600000000,"client":"2.0.1","number":2,"type":"ok","result":0}
            """,
            pause);
    assertThat(findings.figures()).containsEntry("readsAfterPauses", 1L);
  }

  @Test
  void refusesFileThatIsNoHistory() {
    assertThatThrownBy(() -> check("{\"time\":1}\nnonsense\n{}\n", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("node-2-0.jsonl:1");
  }

  private static String endedAfterSeconds(long seconds) {
    return """
        {"time":%d,"client":"2.0.1","number":1,"type":"ok","result":0}
        """
        .formatted(seconds * 1_000_000_000L);
  }
}
