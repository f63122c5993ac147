package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BuiltCheckoutTest {
  @TempDir private Path folder = Path.of("");

  private Path root = Path.of("");

  @BeforeEach
  void resolveLinks() throws IOException {
    root = folder.toRealPath();
  }

  @Test
  void findsItsJarsAndLibrariesWithoutItsBenchmarks() throws IOException {
    var checkout = new FakeCheckout(root.resolve("old"), "old");
    Path workload =
        Files.createDirectories(checkout.root().resolve("bench/workload/target/cantle"));
    Path library = Files.writeString(root.resolve("netty-1.jar"), "");
    checkout.build(List.of(workload, library, checkout.jar()));

    BuiltCheckout built = BuiltCheckout.of(checkout.root());
    assertThat(built.root()).isEqualTo(checkout.root());
    assertThat(built.jars()).containsExactly(checkout.jar());
    assertThat(built.libraries()).containsExactly(library);
  }

  @Test
  void refusesWhatIsNoCheckout() throws IOException {
    assertRefused(root.resolve("absent"), "is not a folder");
    assertRefused(root, "is not the root folder of a checkout of Cantle: it has no bench/cantle");
  }

  @Test
  void saysHowToBuildWhatIsNotBuilt() throws IOException {
    var checkout = new FakeCheckout(root.resolve("old"), "old");
    String advice = "; build it by `cd " + checkout.root() + " && ./mvnw ";

    checkout.build(List.of());
    assertRefused(checkout.root(), "is not built: no jar of Cantle", advice);

    Path absent = checkout.root().resolve("core/target/cantle-core-2.jar");
    checkout.build(List.of(absent));
    assertRefused(checkout.root(), "is not built completely: there is no " + absent, advice);

    Files.delete(checkout.root().resolve("bench/cantle/target/classpath.txt"));
    assertRefused(checkout.root(), "it has no bench/cantle/target/classpath.txt", advice);
  }

  @Test
  void refusesACopyThatStillNamesTheJarsOfTheOriginal() throws IOException {
    var original = new FakeCheckout(root.resolve("original"), "old");
    var copy = new FakeCheckout(root.resolve("copy"), "old");
    copy.build(List.of(original.jar()));

    assertRefused(
        copy.root(), "was copied after it was built: its class path names " + original.jar());
  }

  @Test
  void refusesJarsThatAreOlderThanTheirSources() throws IOException {
    var checkout = new FakeCheckout(root.resolve("old"), "old");
    checkout.edit();

    assertRefused(checkout.root(), "was changed after it was built: ", "is newer than", "./mvnw ");
  }

  @Test
  void doesNotKnowTheCommitOfWhatGitDoesNotKnow() throws Exception {
    var checkout = new FakeCheckout(root.resolve("old"), "old");
    // This makes it no repository, even where the folder of the test is in one.
    Files.writeString(checkout.root().resolve(".git"), "gitdir: absent\n");

    assertThat(BuiltCheckout.of(checkout.root()).commit()).isEqualTo(BuiltCheckout.UNKNOWN_COMMIT);
  }

  private static void assertRefused(Path folder, String... parts) {
    assertThatThrownBy(() -> BuiltCheckout.of(folder))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(folder.toString())
        .hasMessageContainingAll(parts);
  }
}
