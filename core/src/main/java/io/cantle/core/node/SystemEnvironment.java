package io.cantle.core.node;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Environment;
import io.cantle.core.base.NonBlockingThread;
import io.cantle.core.memory.HeapGuard;
import io.cantle.core.transport.RateLimitedLog;
import java.lang.foreign.Arena;
import java.security.SecureRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a real node: the machine's clock, virtual threads, a worker for each
 * processor, one thread for timers, real randomness.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class SystemEnvironment implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SystemEnvironment.class.getName());

  /** The most workers that may wait at a time and be replaced. */
  private static final int MAX_WAITING_WORKERS = 256;

  private static final int KEEP_ALIVE_SECONDS = 60;

  /** The heap of this process, made when the first node needs it. */
  private static final class ProcessHeap {
    private static final RateLimitedLog HEAP_LOG = new RateLimitedLog(LOG, System::nanoTime);
    static final HeapGuard GUARD = new HeapGuard(new SystemHeapGauge());

    static {
      GUARD.addListener(ProcessHeap::log);
    }

    private ProcessHeap() {}

    private static void log() {
      boolean isFull = GUARD.isFull();
      HEAP_LOG.log(
          isFull ? System.Logger.Level.WARNING : System.Logger.Level.INFO,
          isFull ? "full" : "room",
          () ->
              (isFull
                      ? "the heap of this process is nearly full: %,d MiB of the %,d MiB that may be"
                          + " taken are in use, %,d MiB of them by entries. Writes that need memory"
                          + " here are refused until %,d MiB are free: remove entries, have caches"
                          + " with CacheConfig.maxBytes, raise -Xmx or have more nodes"
                      : "the heap of this process has room again: %,d MiB of the %,d MiB that may be"
                          + " taken are in use, %,d MiB of them by entries")
                  .formatted(
                      GUARD.usedBytes() >> 20,
                      GUARD.limitBytes() >> 20,
                      GUARD.entryBytes() >> 20,
                      Math.max(1, GUARD.slackBytes() >> 20)),
          null);
    }
  }

  private final ExecutorService threads;
  private final ForkJoinPool workers;
  private final ScheduledThreadPoolExecutor timers;
  private final EmergencyThread emergency;
  private final Environment environment;

  /** Creates the environment of the node of this name. */
  public SystemEnvironment(String nodeName) {
    emergency = new EmergencyThread("cantle-" + nodeName + "-emergency");
    emergency.start();
    threads =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual()
                .name("cantle-" + nodeName + "-", 0)
                .uncaughtExceptionHandler(this::logUncaught)
                .factory());
    int processors = Runtime.getRuntime().availableProcessors();
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    workers =
        new ForkJoinPool(
            processors,
            pool -> new Worker(pool, "cantle-" + nodeName + "-worker", loader),
            this::logUncaught,
            true,
            processors,
            processors + MAX_WAITING_WORKERS,
            1,
            full -> true,
            KEEP_ALIVE_SECONDS,
            TimeUnit.SECONDS);
    timers =
        new ScheduledThreadPoolExecutor(
            1, task -> new TimerThread(task, "cantle-" + nodeName + "-timers"));
    timers.setRemoveOnCancelPolicy(true);
    timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    environment =
        new Environment(
            new SystemClock(),
            threads,
            workers,
            new SecureRandom(),
            processors,
            Runtime.getRuntime().maxMemory(),
            ProcessHeap.GUARD,
            Arena::ofShared,
            error -> emergency.raise());
  }

  /** Sets what to do when memory is exhausted; a thread that exists already does it. */
  public void setOutOfMemoryHandler(Runnable action) {
    emergency.setAction(action);
  }

  /** The environment that is passed to the node. */
  public Environment environment() {
    return environment;
  }

  @Override
  public void close() {
    emergency.end();
    timers.shutdownNow();
    threads.shutdown();
    workers.shutdown();
  }

  private void logUncaught(Thread thread, Throwable thrown) {
    if (thrown instanceof OutOfMemoryError) {
      emergency.raise();
      return;
    }
    LOG.log(System.Logger.Level.ERROR, "a task of thread " + thread.getName() + " failed", thrown);
  }

  private final class TimerThread extends Thread implements NonBlockingThread {
    TimerThread(Runnable task, String name) {
      super(task, name);
      setDaemon(true);
      setUncaughtExceptionHandler(SystemEnvironment.this::logUncaught);
    }
  }

  /** Runs users' functions; a worker that waits by the clock is replaced meanwhile. */
  private static final class Worker extends ForkJoinWorkerThread {
    Worker(ForkJoinPool pool, String name, @Nullable ClassLoader loader) {
      super(null, pool, true);
      setName(name + "-" + getPoolIndex());
      setContextClassLoader(loader);
    }
  }

  /** One wait of a worker. */
  private static final class WorkerWait implements ForkJoinPool.ManagedBlocker {
    private final Object blocker;
    private final long untilNanos;

    WorkerWait(Object blocker, long nanos) {
      this.blocker = blocker;
      this.untilNanos = System.nanoTime() + nanos;
    }

    @Override
    public boolean block() {
      LockSupport.parkNanos(blocker, untilNanos - System.nanoTime());
      return true;
    }

    @Override
    public boolean isReleasable() {
      return untilNanos - System.nanoTime() <= 0;
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
    public long bootNanos() {
      return BootClock.nanos();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (!(Thread.currentThread() instanceof Worker)) {
        LockSupport.parkNanos(blocker, nanos);
      } else if (nanos > 0) {
        try {
          ForkJoinPool.managedBlock(new WorkerWait(blocker, nanos));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
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
      } catch (OutOfMemoryError e) {
        emergency.raise();
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.ERROR, "a timer failed", e);
      }
    }
  }
}
