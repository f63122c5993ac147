package io.cantle.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what is checked besides the order of calls on one key. */
final class HistoryFindingsTest {
  private static final String INVOKED_AT_ZERO =
      """
      {"time":0,"client":"2.0.1","number":1,"type":"invoke","call":"PUT","key":"register-0-0","value":4}
      """;

  @TempDir private Path folder = Path.of("");

  private HistoryFindings check(String calls, String faults) throws IOException {
    Files.writeString(folder.resolve("node-2-0.jsonl"), calls);
    Files.writeString(folder.resolve(FaultLog.FILE_NAME), faults);
    return HistoryFindings.check(ChaosHistory.read(folder));
  }

  private static String iterated(IterationCheck iteration) {
    return """
        {"time":0,"client":"2.0.1","number":1,"type":"invoke","call":"ITERATE"}
        {"time":9,"client":"2.0.1","number":1,"type":"ok","delivered":%d,"missing":"%s","twice":"%s"}
        """
        .formatted(
            iteration.deliveredCount(),
            String.join(" ", iteration.missingKeys()),
            String.join(" ", iteration.duplicatedKeys()));
  }

  private static IterationCheck wholeHistory() {
    IterationCheck iteration = new IterationCheck();
    KeyGenerations.stableKeys().forEach(iteration::recordDelivery);
    iteration.recordDelivery("register-1-1");
    return iteration;
  }

  @Test
  void acceptsIterationThatDeliversStableKeysOnce() throws IOException {
    HistoryFindings findings = check(iterated(wholeHistory()), "");
    assertThat(findings.violations()).isEmpty();
    assertThat(findings.figures()).containsEntry("iterations", 1L);
  }

  @Test
  void refusesIterationThatMissesStableKey() throws IOException {
    IterationCheck iteration = new IterationCheck();
    KeyGenerations.stableKeys().skip(1).forEach(iteration::recordDelivery);
    assertThat(check(iterated(iteration), "").violations())
        .singleElement()
        .asString()
        .contains("missing: stable-0");
  }

  @Test
  void refusesIterationThatDeliversAnyKeyTwice() throws IOException {
    IterationCheck iteration = wholeHistory();
    iteration.recordDelivery("register-1-1");
    assertThat(check(iterated(iteration), "").violations())
        .singleElement()
        .asString()
        .contains("twice: register-1-1");
  }

  @Test
  void refusesUnexpectedExceptions() throws IOException {
    HistoryFindings findings =
        check(
            INVOKED_AT_ZERO
                + """
                {"time":9,"client":"2.0.1","number":1,"type":"broken","error":"SegmentLostException: 7"}
                """,
            "");
    assertThat(findings.violations()).singleElement().asString().contains("SegmentLostException");
  }

  @Test
  void refusesCallBeyondItsTimeout() throws IOException {
    assertThat(check(INVOKED_AT_ZERO + endedAfterSeconds(40), "").violations())
        .singleElement()
        .asString()
        .contains("took 40000 ms");
  }

  @Test
  void toleratesCallsDelayedByAPause() throws IOException {
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
    HistoryFindings findings =
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
  void refusesFilesThatAreNoHistory() {
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
