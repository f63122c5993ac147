package io.cantle.bench;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A child process that ends with this object or, when this process is told to end, with this
 * process.
 *
 * <p><b>Threading:</b> one thread, and the shutdown hook at any time. It is guarded by this object,
 * so that nothing starts after the hook has ended what there was.
 */
final class BenchmarkChildProcess implements AutoCloseable {
  private final Thread shutdownHook = Thread.ofPlatform().unstarted(this::endAndWait);
  private @Nullable Process process;
  private boolean ended;

  /**
   * Creates the object; nothing runs yet.
   *
   * @throws IllegalStateException if this process is about to end
   */
  BenchmarkChildProcess() {
    Runtime.getRuntime().addShutdownHook(shutdownHook);
  }

  /**
   * Starts the process.
   *
   * @throws IOException if the operating system starts no process, or this one is about to end
   */
  synchronized Process start(ProcessBuilder command) throws IOException {
    if (ended) {
      throw new IOException("interrupted");
    }
    Process started = command.start();
    process = started;
    return started;
  }

  /** Ends the process without waiting for its end. */
  @Override
  public void close() {
    endAndWait();
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException running) {
      // The shutdown hook runs already, and does what was done above.
    }
  }

  private synchronized void endAndWait() {
    ended = true;
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
