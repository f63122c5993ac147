package io.cantle.core.segment;

import io.cantle.core.node.PlantedOwner;
import io.netty.channel.Channel;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Classes that each break one rule of the house; nothing runs them. */
public final class Planted {

  private Planted() {}

  /** Imports upward, from segment to node. */
  public static final class ImportsUpward {
    PlantedOwner[] above = {};
  }

  /** Names the library of the transport where that is not allowed. */
  public interface NamesNetty {
    /** Returns a connection of that library. */
    Channel connection();
  }

  /** Reads an object through Java serialization. */
  public static final class SerializesJava {
    static Object read(InputStream in) throws IOException, ClassNotFoundException {
      return new ObjectInputStream(in).readObject();
    }
  }

  /** Starts a thread by its constructor. */
  public static final class ConstructsThread {
    static Thread thread() {
      return new Thread(() -> {});
    }
  }

  /** Starts a thread by its builder. */
  public static final class BuildsVirtualThread {
    static Thread thread() {
      return Thread.ofVirtual().unstarted(() -> {});
    }
  }

  /** Creates a pool. */
  public static final class MakesPool {
    static ExecutorService pool() {
      return Executors.newVirtualThreadPerTaskExecutor();
    }
  }

  /** Creates a timer, which is a thread. */
  public static final class MakesTimer {
    static Timer timer() {
      return new Timer();
    }
  }

  /** Runs work on the common pool. */
  public static final class RunsAsyncWithoutExecutor {
    static CompletableFuture<Void> run() {
      return CompletableFuture.runAsync(() -> {});
    }
  }

  /** The allowed form, with an executor. */
  public static final class RunsAsyncWithExecutor {
    static CompletableFuture<Void> run(Executor executor) {
      return CompletableFuture.runAsync(() -> {}, executor);
    }
  }

  /** Runs work on the common pool through a parallel stream. */
  public static final class StreamsInParallel {
    static long count(List<String> all) {
      return all.parallelStream().count();
    }
  }

  /** Reads the time of the machine. */
  public static final class ReadsNanoTime {
    static long time() {
      return System.nanoTime();
    }
  }

  /** Reads the time of the machine, by a method reference. */
  public static final class ReadsMillisByReference {
    static LongSupplier time() {
      return System::currentTimeMillis;
    }
  }

  /** Reads the time of the machine as a date. */
  public static final class ReadsInstant {
    static Instant time() {
      return Instant.now();
    }
  }

  /** Waits in a way that the simulated clock cannot end. */
  public static final class WaitsOnFuture {
    static String join(Future<String> future)
        throws InterruptedException, ExecutionException, TimeoutException {
      return future.get(1, TimeUnit.SECONDS);
    }
  }

  /** Waits likewise, at a lower level. */
  public static final class ParksForNanos {
    static void park() {
      LockSupport.parkNanos(1);
    }
  }

  /** Creates a random generator of its own. */
  public static final class MakesRandom {
    static RandomGenerator random() {
      return new Random(1);
    }
  }

  /** Uses a hidden static random generator. */
  public static final class DrawsFromMath {
    static double draw() {
      return Math.random();
    }
  }

  /** Uses the random generator of the thread. */
  public static final class DrawsFromThread {
    static RandomGenerator random() {
      return ThreadLocalRandom.current();
    }
  }

  /** Draws a random name. */
  public static final class DrawsUuid {
    static UUID draw() {
      return UUID.randomUUID();
    }
  }

  /** Reads a file without the store. */
  public static final class ReadsFile {
    static byte[] read(Path path) throws IOException {
      return Files.readAllBytes(path);
    }
  }

  /** Reads a file without the store, with the older classes. */
  public static final class OpensStream {
    static InputStream open() throws IOException {
      return new FileInputStream("entries");
    }
  }
}
