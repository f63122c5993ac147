package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckoutPairTest {
  private static final String DRIVER = "io.cantle.bench.cantle.CantleDriver";

  @TempDir private Path folder = Path.of("");

  @Test
  void putsTheSameDriverOnTheJarsOfEachSide() throws Exception {
    FakeCheckout ours = checkout("ours", "call", "call");
    FakeCheckout theirs = checkout("theirs", "call", "call");
    // It compiles only against the older jars, and is not needed.
    theirs.driver("absent");

    CheckoutPair pair = pair(ours, theirs);
    assertThat(pair.values())
        .containsEntry("baseline_driver", "of this checkout")
        .containsKeys("cantle_commit", "baseline_commit");
    assertThat(pair.cantle().driver()).isEqualTo(pair.baseline().driver());
    assertThat(files(pair.cantle())).noneMatch(files(pair.baseline())::contains);
    assertThat(methods(pair.baseline(), DRIVER)).containsExactly("call");
  }

  @Test
  void takesTheBaselinesOwnDriverWhereThisOneDoesNotCompileAgainstIt() throws Exception {
    FakeCheckout ours = checkout("ours", "newer", "newer");
    FakeCheckout theirs = checkout("theirs", "older", "older");

    CheckoutPair pair = pair(ours, theirs);
    assertThat(pair.values()).containsEntry("baseline_driver", "its own");
    assertThat(methods(pair.cantle(), "io.cantle.Product")).containsExactly("newer");
    assertThat(methods(pair.baseline(), "io.cantle.Product")).containsExactly("older");
    assertThat(methods(pair.baseline(), DRIVER)).containsExactly("call");
  }

  @Test
  void refusesABaselineThatNoDriverFits() throws Exception {
    FakeCheckout ours = checkout("ours", "newer", "newer");
    FakeCheckout theirs = checkout("theirs", "older", "oldest");

    assertThatThrownBy(() -> pair(ours, theirs))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "no driver compiles against the jars of " + theirs.root(),
            "CantleDriver.java:1: cannot find symbol",
            "newer()",
            "oldest()");
  }

  @Test
  void refusesABaselineWithoutAnyDriver() throws Exception {
    FakeCheckout ours = checkout("ours", "newer", "newer");
    var theirs = new FakeCheckout(root().resolve("theirs"), "older");

    assertThatThrownBy(() -> pair(ours, theirs)).hasMessageContaining("; there is no ");
  }

  @Test
  void measuresWhatWasBuiltWhenTheRunBeganWhateverIsBuiltLater() throws Exception {
    FakeCheckout ours = checkout("ours", "call", "call");
    FakeCheckout theirs = checkout("theirs", "call", "call");
    CheckoutPair pair = pair(ours, theirs);

    Files.delete(theirs.jar().resolve("io/cantle/Product.class"));
    assertThat(methods(pair.baseline(), "io.cantle.Product")).containsExactly("call");
    assertThat(files(pair.baseline())).noneMatch(file -> file.startsWith(theirs.root()));
  }

  @Test
  void comparesACheckoutWithItself() throws Exception {
    FakeCheckout ours = checkout("ours", "call", "call");

    CheckoutPair pair = pair(ours, ours);
    assertThat(methods(pair.cantle(), "io.cantle.Product"))
        .isEqualTo(methods(pair.baseline(), "io.cantle.Product"));
  }

  @Test
  void bringsTheFilesByWhichADriverIsFound() throws Exception {
    CheckoutPair pair = pair(checkout("ours", "call", "call"), checkout("theirs", "call", "call"));

    Path classes = files(pair.baseline()).getFirst();
    assertThat(classes.resolve("META-INF/services/io.cantle.bench.Driver"))
        .content()
        .isEqualTo(DRIVER + "\n");
    assertThat(classes.resolve("cantle-bench.properties")).content().startsWith("version=");
  }

  private FakeCheckout checkout(String name, String method, String called) throws IOException {
    var checkout = new FakeCheckout(root().resolve(name), method);
    checkout.driver(called);
    return checkout;
  }

  private CheckoutPair pair(FakeCheckout ours, FakeCheckout theirs) throws Exception {
    Path copies = Files.createTempDirectory(folder, "copies-");
    DriverCompiler compiler = DriverCompiler.ofThisJava().orElseThrow();
    return CheckoutPair.of(ours.root(), theirs.root(), compiler, copies);
  }

  private Path root() throws IOException {
    return folder.toRealPath();
  }

  /** Returns the files on a class path that are built from Cantle's sources. */
  private static List<Path> files(CheckoutClassPath classPath) {
    return BuiltCheckout.entries(classPath.text()).stream()
        .filter(BuiltCheckout::isCantle)
        .toList();
  }

  private static List<String> methods(CheckoutClassPath classPath, String type) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (Path file : files(classPath)) {
      urls.add(file.toUri().toURL());
    }
    try (var loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      List<String> names = new ArrayList<>();
      for (var method : loader.loadClass(type).getDeclaredMethods()) {
        names.add(method.getName());
      }
      return names;
    }
  }
}
