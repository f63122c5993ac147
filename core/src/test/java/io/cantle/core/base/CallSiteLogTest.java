package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallSiteLogTest {
  private final List<String> lines = new ArrayList<>();
  private final CallSiteLog log = new CallSiteLog(new LineLogger());

  @Test
  void adviceIsLoggedOnceForACallSite() {
    for (int i = 0; i < 3; i++) {
      log.advise(() -> "use another form");
    }
    // This test is in a package of the grid itself, so its own frame does not count.
    assertThat(lines)
        .singleElement()
        .asString()
        .startsWith("use another form (at ")
        .contains(".java:")
        .doesNotContain("io.cantle");
  }

  @Test
  void callSiteWithoutAdviceMayGetSomeLater() {
    for (boolean isNeeded : new boolean[] {false, true, true}) {
      log.advise(() -> isNeeded ? "use another form" : null);
    }
    assertThat(lines).hasSize(1);
  }

  @Test
  void functionIsLoggedOnceForACallSite() {
    Runnable first = () -> {};
    for (int i = 0; i < 3; i++) {
      log.advise(first, () -> "first");
    }
    log.advise((Runnable) () -> {}, () -> "at the same call site as the first");
    assertThat(lines).singleElement().asString().startsWith("first (at ");
  }

  @Test
  void functionOfAThreadWithoutUserIsNamedByItsMaker() throws InterruptedException {
    Runnable function = () -> {};
    Thread thread = new Thread(() -> log.advise(function, () -> "sent nowhere"));
    thread.start();
    thread.join();
    assertThat(lines)
        .containsExactly("sent nowhere (at a function of " + getClass().getName() + ")");
  }

  @Test
  void programsOfCantleAreUsersOfIt() {
    for (String name :
        List.of(
            "io.cantle.Grid",
            "io.cantle.core.node.CacheView",
            "io.cantle.function.SerializableFunction")) {
      assertThat(GridPackages.contains(name)).as(name).isTrue();
    }
    for (String name : List.of("io.cantle.cli.Demo", "com.acme.Shop", "io.cantler.core.X")) {
      assertThat(GridPackages.contains(name)).as(name).isFalse();
    }
  }

  private final class LineLogger implements System.Logger {
    @Override
    public String getName() {
      return "lines";
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable thrown) {
      lines.add(String.valueOf(message));
    }

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, @Nullable String format, Object... values) {
      lines.add(String.valueOf(format));
    }
  }
}
