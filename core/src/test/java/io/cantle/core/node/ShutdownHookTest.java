package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests that the JVM runs a hook as long as its grid is open, and not longer. */
final class ShutdownHookTest {
  private final ShutdownHook hook = new ShutdownHook();

  /** Returns whether the JVM knew a hook, which it does not afterwards. */
  private static boolean forget(Thread installed) {
    return Runtime.getRuntime().removeShutdownHook(installed);
  }

  @Test
  void hookThatIsInstalledClosesTheGrid() throws InterruptedException {
    try (SingleNode single = new SingleNode()) {
      hook.install(single.node);
      Thread installed = Objects.requireNonNull(hook.thread());
      assertThat(forget(installed)).isTrue();
      installed.start();
      installed.join();
      assertThat(single.node.node().state.isClosed()).isTrue();
    }
  }

  @Test
  void hookOfAClosedGridIsRemoved() {
    try (SingleNode single = new SingleNode()) {
      hook.install(single.node);
      Thread installed = Objects.requireNonNull(hook.thread());
      hook.remove();
      hook.remove();
      assertThat(forget(installed)).isFalse();
    }
  }

  /** A node whose store fails as soon as it has joined is closed before its hook is installed. */
  @Test
  void closedHookInstallsNothing() {
    try (SingleNode single = new SingleNode()) {
      hook.remove();
      hook.install(single.node);
      assertThat(hook.thread()).isNull();
    }
  }
}
