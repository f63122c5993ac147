package io.cantle.chaos;

import io.cantle.Cache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clients of a node.
 *
 * <p><b>Threading:</b> any thread; guarded by this.
 */
final class Workers {
  /** A call ends within the timeout of its grid; this is that and more. */
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final NodeSettings settings;
  private final Keys keys;
  private final CallLog log;
  private final List<Client> clients = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  Workers(NodeSettings settings, Cache<String, Long> cache, HistoryWriter writer) {
    this.settings = settings;
    this.keys = new Keys(settings.startNanos());
    this.log = new CallLog(writer);
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

  synchronized void start() {
    for (Client client : clients) {
      threads.add(Thread.ofPlatform().daemon().name("cantle-chaos-client").start(client));
    }
  }

  /** Ends all clients, and says how many are still in a call. */
  synchronized long stop() {
    clients.forEach(Client::stop);
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (Thread thread : threads) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, end - System.nanoTime()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return threads.stream().filter(Thread::isAlive).count();
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
