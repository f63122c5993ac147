package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheMode;
import io.cantle.cli.console.UsageException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoSettingsTest {
  private static final Path DATA = Path.of("flights.csv");

  @Test
  void findsAFreePortForEachNode() throws Exception {
    DemoSettings settings = DemoSettings.of(5, null, null, DATA, true, null);
    assertThat(settings.ports()).hasSize(5).doesNotHaveDuplicates();
    assertThat(settings.owners()).isEqualTo(2);
  }

  @Test
  void allowsASingleNode() throws Exception {
    assertThat(DemoSettings.of(1, null, null, DATA, false, null).owners()).isEqualTo(1);
  }

  @Test
  void refusesToKillWhereEntriesWouldBeLost() {
    refuses(3, 1, null, true, "--owners 1 needs --no-kill");
    refuses(2, 2, null, true, "--nodes 2 needs --no-kill");
    refuses(1, null, null, true, "--nodes 1 needs --no-kill");
  }

  @Test
  void refusesImpossibleSettings() {
    refuses(0, null, null, false, "--nodes 0 is not within 1 to 16");
    refuses(17, null, null, false, "--nodes 17 is not within 1 to 16");
    refuses(3, 4, null, true, "--owners 4 is not within 1 to 3 (--nodes 3)");
    refuses(9, 8, null, true, "--owners 8 is not within 1 to 7 (--nodes 9)");
    refuses(3, 0, null, false, "--owners 0 is not within 1 to 3");
    refuses(3, 2, 65_534, true, "--port 65534 is not within 1 to 65533 (--nodes 3)");
    refuses(3, 2, Integer.MAX_VALUE, true, "is not within 1 to 65533");
    refuses(3, 2, 0, true, "--port 0 is not within 1 to 65533");
  }

  @Test
  void scatteredCacheHasTwoOwners() throws Exception {
    DemoSettings settings = DemoSettings.of(4, 3, null, DATA, true, null);
    assertThatThrownBy(() -> settings.cacheMode("scattered"))
        .hasMessage("--cache-mode scattered has 2 owners of each entry, not 3");
    assertThatThrownBy(() -> settings.cacheMode("local"))
        .hasMessage("--cache-mode local is not distributed or scattered");
    assertThat(DemoSettings.of(3, 2, null, DATA, true, null).cacheMode("scattered").mode())
        .isEqualTo(CacheMode.SCATTERED);
  }

  @Test
  void refusesAPortInUse() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, DemoSettings.ADDRESS)) {
      int port = taken.getLocalPort();
      refuses(1, 1, port, false, "port " + port + " of 127.0.0.1 cannot be used: Address already");
    }
  }

  @Test
  void refusesResultsThatCouldNotBeWritten(@TempDir Path folder) {
    assertThatThrownBy(() -> DemoSettings.of(3, 2, null, DATA, true, folder))
        .hasMessageContaining("is a directory, not a file");
    assertThatThrownBy(
            () -> DemoSettings.of(3, 2, null, DATA, true, folder.resolve("no").resolve("file")))
        .hasMessageContaining("there is no directory " + folder.resolve("no"));
  }

  private static void refuses(
      int nodes, @Nullable Integer owners, @Nullable Integer port, boolean kill, String why) {
    assertThatThrownBy(() -> DemoSettings.of(nodes, owners, port, DATA, kill, null))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(why);
  }
}
