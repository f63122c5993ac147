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
final class Workers {
  /** A call ends within the timeout of its grid; this is that and more. */
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private static final long LOOK_NANOS = 20_000_000L;

  private final NodeSettings settings;
  private final Keys keys;
  private final CallLog log;
  private final @Nullable BulkScans scans;
  private final List<Client> clients = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  Workers(NodeSettings settings, Grid grid, Cache<String, Long> cache, HistoryWriter writer) {
    this.settings = settings;
    this.keys = new Keys(settings.startNanos());
    this.log = new CallLog(writer);
    this.scans = settings.scans() > 0 ? new BulkScans(settings, grid, log) : null;
    long place = (long) settings.place() << 16 | settings.incarnation();
    SplittableRandom random = new SplittableRandom(settings.seed() ^ place);
    for (int number = 0; number < settings.clients(); number++) {
      long first = (place << 4 | number) << 32;
      AtomicLong values = new AtomicLong(first + 1);
      clients.add(
          new Client(
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

  CallLog log() {
    return log;
  }

  /** Puts what is to be there from the beginning, besides keys of clients. */
  void fill() {
    if (scans != null) {
      scans.fill();
    }
  }

  synchronized void start() {
    if (scans != null) {
      scans.start();
    }
    for (Client client : clients) {
      threads.add(Thread.ofPlatform().daemon().name("cantle-chaos-client").start(client));
    }
  }

  /** Ends all clients, and says how many are still in a call. */
  synchronized long stop() {
    clients.forEach(Client::stop);
    if (scans != null) {
      scans.stop();
    }
    long end = System.nanoTime() + PATIENCE.toNanos();
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
  synchronized void readAll(int part, int parts) {
    List<String> all = new ArrayList<>();
    Keys.registersUntil(keys.generation(System.nanoTime())).forEach(all::add);
    Keys.counters().forEach(all::add);
    for (int index = part; index < all.size(); index += parts) {
      clients.getFirst().read(all.get(index));
    }
  }

  @Override
  public String toString() {
    return "clients of " + settings.file();
  }
}
