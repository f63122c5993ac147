package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void showsItsHelp() {
    assertThat(run("peers", "--help")).isZero();
    assertThat(out.toString())
        .contains("--quick", "--json", "--rounds", "longer rounds", "--baseline", "--least");
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("peers");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void refusesNoWordAndUnknownWords() {
    assertRefused(
        "say what to measure: peers, log, streams, local, container, pauses or scattered");
    assertRefused("beers", "beers");
    assertRefused("--slow", "peers", "--slow");
    assertRefused("now", "peers", "now");
  }

  @Test
  void refusesUnknownProductsAndWorkloadsAndNamesTheKnown() {
    assertRefused(
        "`redis` is none of [cantle, infinispan, hazelcast]", "peers", "--products=redis");
    assertRefused("`cas` is none of [size, get,", "peers", "--workloads", "get,cas");
  }

  @Test
  void refusesRoundsOutOfRange() {
    assertRefused("--rounds 0 is not within 1 to 100", "peers", "--rounds", "0");
    assertRefused("--rounds 101 is not within 1 to 100", "peers", "--rounds", "101");
    assertRefused("many", "peers", "--rounds", "many");
  }

  @Test
  void refusesABaselineThatIsNoBuiltCheckout(@TempDir Path folder) throws IOException {
    String absent = folder.resolve("absent").toString();
    assertRefused(absent + " is not a folder", "peers", "--baseline", absent);
    assertRefused("is not the root folder of a checkout", "peers", "--baseline=" + folder);
    Files.createDirectories(folder.resolve("bench/cantle"));
    Files.writeString(folder.resolve("bench/cantle/pom.xml"), "<project/>");
    assertRefused("is not built: it has no ", "peers", "--baseline=" + folder);
    assertRefused("./mvnw ", "peers", "--baseline=" + folder);
  }

  @Test
  void refusesABaselineWithTooFewRoundsForAnInterval() {
    assertRefused("--rounds 2 is not within 3 to 100", "peers", "--baseline=.", "--rounds=2");
  }

  @Test
  void refusesALeastRatioThatIsNoneOrHasNothingToCompareWith() {
    assertRefused("--least 0.95 needs --baseline", "peers", "--least", "0.95");
    for (String least : new String[] {"0", "-1", "11", "NaN"}) {
      assertRefused("is not a ratio above 0", "peers", "--baseline=.", "--least=" + least);
    }
    assertRefused("much", "peers", "--baseline=.", "--least=much");
  }

  @Test
  void refusesTheBaselineAsAProduct() {
    assertRefused("`baseline` is none of [cantle,", "peers", "--products=cantle,baseline");
  }

  @Test
  void refusesAFileItCannotWriteBeforeItMeasures(@TempDir Path folder) {
    String absent = folder.resolve("absent").resolve("peers.json").toString();
    assertRefused("is not in a folder that can be written", "peers", "--json", absent);
    assertRefused("is not a file that can be written", "peers", "--json", folder.toString());
  }

  private void assertRefused(String message, String... args) {
    err.getBuffer().setLength(0);
    assertThat(run(args)).isEqualTo(2);
    assertThat(err.toString()).startsWith("cantle bench").contains(message);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... args) {
    return Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true)).execute(args);
  }
}
