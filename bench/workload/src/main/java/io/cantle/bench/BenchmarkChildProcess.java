package io.cantle.bench;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A process that outlives neither this object nor, when that is told to end, this process.
 *
 * <p><b>Threading:</b> one thread, and the shutdown hook any time: guarded by this object, so that
 * nothing starts after the hook has ended what there was.
 */
final class BenchmarkChildProcess implements AutoCloseable {
  private final Thread shutdownHook = Thread.ofPlatform().unstarted(this::endAndWait);
  private @Nullable Process process;
  private boolean ended;

  /**
   * Nothing runs yet.
   *
   * @throws IllegalStateException if this process is about to end
   */
  BenchmarkChildProcess() {
    Runtime.getRuntime().addShutdownHook(shutdownHook);
  }

  /**
   * Starts it.
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

  /** Ends it without waiting for its end. */
  @Override
  public void close() {
    endAndWait();
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException running) {
      // The hook does now what was done above.
    }
  }

  private synchronized void endAndWait() {
    ended = true;
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
