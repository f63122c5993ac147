package io.cantle.chaos;

import io.cantle.Cache;
import io.cantle.Grid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a node.
 *
 * <p><b>Threading:</b> any thread; guarded by this.
 */
final class NodeClients {
  /** A call ends within the timeout of its grid; this is longer. */
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(40);

  private static final long LOOK_NANOS = 20_000_000L;

  private final ChaosNodeSettings settings;
  private final KeyGenerations keys;
  private final CallRecorder log;
  private final @Nullable BulkScans scans;
  private final List<ChaosClient> clients = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  NodeClients(
      ChaosNodeSettings settings, Grid grid, Cache<String, Long> cache, HistoryWriter writer) {
    this.settings = settings;
    this.keys = new KeyGenerations(settings.startNanos());
    this.log = new CallRecorder(writer);
    this.scans = settings.scans() > 0 ? new BulkScans(settings, grid, log) : null;
    long place = (long) settings.place() << 16 | settings.incarnation();
    SplittableRandom random = new SplittableRandom(settings.seed() ^ place);
    for (int number = 0; number < settings.clients(); number++) {
      long first = (place << 4 | number) << 32;
      AtomicLong values = new AtomicLong(first + 1);
      clients.add(
          new ChaosClient(
              settings.place() + "." + settings.incarnation() + "." + number,
              cache,
              keys,
              log,
              random.split(),
              TimeUnit.SECONDS.toNanos(settings.clients()) / settings.callsPerSecond(),
              number == 0,
              values::getAndIncrement));
    }
  }

  CallRecorder log() {
    return log;
  }

  /** Puts the entries that must exist from the beginning, besides the keys of clients. */
  void fill() {
    if (scans != null) {
      scans.fill();
    }
  }

  synchronized void startClients() {
    if (scans != null) {
      scans.start();
    }
    for (ChaosClient client : clients) {
      threads.add(Thread.ofPlatform().daemon().name("cantle-chaos-client").start(client));
    }
  }

  /** Ends all clients, and returns how many are still in a call. */
  synchronized long stopClients() {
    clients.forEach(ChaosClient::stop);
    if (scans != null) {
      scans.stop();
    }
    long end = System.nanoTime() + STOP_TIMEOUT.toNanos();
    for (Thread thread : threads) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, end - System.nanoTime()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    while (scans != null && scans.running() > 0 && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return threads.stream().filter(Thread::isAlive).count() + (scans == null ? 0 : scans.running());
  }

  /** Reads a part of all keys there ever were, once; the clients have ended. */
  synchronized void readPart(int part, int parts) {
    List<String> all = new ArrayList<>();
    KeyGenerations.registersUntil(keys.generationAt(System.nanoTime())).forEach(all::add);
    KeyGenerations.counterKeys().forEach(all::add);
    for (int index = part; index < all.size(); index += parts) {
      clients.getFirst().read(all.get(index));
    }
  }

  @Override
  public String toString() {
    return "clients of " + settings.historyFile();
  }
}
