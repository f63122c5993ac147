package io.cantle.bench;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A process that outlives neither this object nor, when that is told to end, this process.
 *
 * <p><b>Threading:</b> one thread, and the shutdown hook any time: guarded by this object, so that
 * nothing starts after the hook has ended what there was.
 */
final class ChildProcess implements AutoCloseable {
  private final Thread hook = Thread.ofPlatform().unstarted(this::end);
  private @Nullable Process process;
  private boolean ended;

  /**
   * Nothing runs yet.
   *
   * @throws IllegalStateException if this process is about to end
   */
  ChildProcess() {
    Runtime.getRuntime().addShutdownHook(hook);
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
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException running) {
      // The hook does now what was done above.
    }
  }

  private synchronized void end() {
    ended = true;
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
