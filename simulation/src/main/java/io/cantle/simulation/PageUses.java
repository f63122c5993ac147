package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.GridException;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Uses of pages, each read at another node.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class PageUses {
  private PageUses() {}

  /** A page as a node answers it. */
  private static final class Answer {
    @Nullable ScanPage<Object, Stamp> page;
    @Nullable RuntimeException thrown;

    boolean came() {
      return page != null || thrown != null;
    }
  }

  static void pages(StreamCall call) {
    Sightings seen = call.sightings();
    ScanCursor cursor = ScanCursor.START;
    while (!cursor.atEnd()) {
      int limit = call.random().nextInt(1, 40);
      ScanPage<Object, Stamp> page = page(call, new ScanCursor(cursor.token()), limit);
      if (page != null) {
        call.expect(
            page.entries().size() <= limit,
            () -> page.entries().size() + " entries came, not at most " + limit);
        page.entries().forEach(seen::sawEntry);
        cursor = page.next();
      }
    }
    seen.exactly();
  }

  /** A page from any node; none if that node did not give it, which another may. */
  private static @Nullable ScanPage<Object, Stamp> page(
      StreamCall call, ScanCursor cursor, int limit) {
    List<Station> steady = call.work().steady();
    Station asked =
        steady.isEmpty() ? call.station() : steady.get(call.random().nextInt(steady.size()));
    Answer answer = new Answer();
    Thread client = Thread.currentThread();
    Cache<Object, Stamp> cache = asked.peer().cache();
    asked
        .host()
        .start(
            Role.CLIENT,
            () -> {
              try {
                answer.page = cache.scan(cursor, limit);
              } catch (GridException | IllegalStateException e) {
                answer.thrown = e;
              }
              LockSupport.unpark(client);
            });
    call.await(() -> answer.came() || !asked.host().alive());
    RuntimeException thrown = answer.thrown;
    if (thrown != null && asked == call.station()) {
      throw thrown;
    }
    if (thrown != null && asked.state() == Station.State.STEADY) {
      call.trouble(thrown);
    }
    return answer.page;
  }
}
