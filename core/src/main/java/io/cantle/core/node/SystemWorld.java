package io.cantle.core.node;

import io.cantle.core.base.Clock;
import io.cantle.core.base.PromptThread;
import io.cantle.core.base.World;
import java.security.SecureRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The world as it is: the machine's clock, virtual threads, one thread for timers, real randomness.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class SystemWorld implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SystemWorld.class.getName());

  private final ExecutorService threads;
  private final ScheduledThreadPoolExecutor timers;
  private final World world;

  /** A world for the node of this name. */
  public SystemWorld(String nodeName) {
    threads =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual()
                .name("cantle-" + nodeName + "-", 0)
                .uncaughtExceptionHandler(SystemWorld::uncaught)
                .factory());
    timers =
        new ScheduledThreadPoolExecutor(
            1, task -> new TimerThread(task, "cantle-" + nodeName + "-timers"));
    timers.setRemoveOnCancelPolicy(true);
    timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    world =
        new World(
            new SystemClock(),
            threads,
            new SecureRandom(),
            Runtime.getRuntime().availableProcessors());
  }

  /** What a node takes from it. */
  public World world() {
    return world;
  }

  @Override
  public void close() {
    timers.shutdownNow();
    threads.shutdown();
  }

  private static void uncaught(Thread thread, Throwable thrown) {
    LOG.log(System.Logger.Level.ERROR, "a task of thread " + thread.getName() + " failed", thrown);
  }

  private static final class TimerThread extends Thread implements PromptThread {
    TimerThread(Runnable task, String name) {
      super(task, name);
      setDaemon(true);
      setUncaughtExceptionHandler(SystemWorld::uncaught);
    }
  }

  private final class SystemClock implements Clock {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public long wallMillis() {
      return System.currentTimeMillis();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      LockSupport.parkNanos(blocker, nanos);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      if (timers.isShutdown()) {
        return () -> {};
      }
      ScheduledFuture<?> scheduled =
          timers.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
      return () -> scheduled.cancel(false);
    }

    private void run(Runnable task) {
      try {
        task.run();
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.ERROR, "a timer failed", e);
      }
    }
  }
}
