package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class BenchmarkJsonTest {

  record Strange(Object value) {}

  @Test
  void writesAReportWithItsMachineFlagsAndRows() {
    var machine = new MachineDescription("a \"quoted\" \\ model", 2, 24_000, "Linux", "25");
    var row =
        new PeerRow("get", 4, "ops/s", "cantle", "0.1", 12345678.9, 0.00012345678, 3, 3, null);

    assertThat(BenchmarkJson.toJson(new PeerReport(machine, List.of("-Xmx4g"), List.of(row))))
        .isEqualTo(
            """
            {
              "machine": {
                "processor": "a \\"quoted\\" \\\\ model",
                "processors": 2,
                "memoryMebibytes": 24000,
                "system": "Linux",
                "java": "25"
              },
              "flags": [
                "-Xmx4g"
              ],
              "rows": [
                {
                  "workload": "get",
                  "threads": 4,
                  "unit": "ops/s",
                  "product": "cantle",
                  "version": "0.1",
                  "median": 12345700,
                  "min": 0.000123457,
                  "max": 3.0,
                  "rounds": 3,
                  "ratioToCantle": null
                }
              ]
            }
            """);
  }

  @Test
  void escapesSpecialCharacters() {
    assertThat(BenchmarkJson.toJson(new Strange("line\nend\u0001")))
        .contains("\"line\\u000aend\\u0001\"");
  }

  @Test
  void refusesUnknownTypes() {
    assertThatThrownBy(() -> BenchmarkJson.toJson(new Strange(new Object())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no form in JSON");
    assertThatThrownBy(() -> BenchmarkJson.toJson(new Strange(Double.NaN)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
