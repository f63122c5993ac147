package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PeerTableTest {

  @Test
  void groupsRowsAndShowsBothRatios() {
    List<String> lines =
        print(
            new PeerRow("iterate", 1, "ops/s", "cantle", "0.1", 25, 24, 26, 3, 1.0),
            new PeerRow("iterate", 1, "ops/s", "infinispan", "16.1.4", 12.5, 12, 13, 3, 0.5),
            new PeerRow("get", 4, "ops/s", "cantle", "0.1", 43210.5, 40000, 45000, 3, 1.0));

    assertThat(lines.get(1)).startsWith("iterate ").contains(" 1  cantle ", "1.00", "1.00 x");
    assertThat(lines.get(2)).startsWith(" ").contains("infinispan", "12.5", "0.500", "2.00 x");
    assertThat(lines.get(3)).startsWith("get ").contains(" 4  cantle ", "43,211", "40,000");
  }

  @Test
  void showsADashWhereThereIsNoRatio() {
    List<String> lines =
        print(new PeerRow("get", 1, "ops/s", "infinispan", "16", 1, 1, 1, 3, null));

    assertThat(lines.get(1)).endsWith("-          -");
  }

  @Test
  void showsThreeDigitsOrAllBeforeThePoint() {
    assertThat(PeerTable.figure(0.012345)).isEqualTo("0.0123");
    assertThat(PeerTable.figure(1)).isEqualTo("1.00");
    assertThat(PeerTable.figure(9.996)).isEqualTo("10.0");
    assertThat(PeerTable.figure(200)).isEqualTo("200");
    assertThat(PeerTable.figure(999.96)).isEqualTo("1000");
    assertThat(PeerTable.figure(0)).isEqualTo("0.000");
    assertThat(PeerTable.figure(1_234_567.8)).isEqualTo("1,234,568");
  }

  private static List<String> print(PeerRow... rows) {
    var text = new StringWriter();
    var out = new PrintWriter(text);
    new PeerTable(List.of(rows)).print(out);
    out.flush();
    return text.toString().lines().toList();
  }
}
