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
 * The uses of pages. Each page is read at another node.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class PageUseCases {
  private PageUseCases() {}

  /** A page as a node returned it. */
  private static final class PageAnswer {
    @Nullable ScanPage<Object, StampedValue> page;
    @Nullable RuntimeException thrown;

    boolean hasArrived() {
      return page != null || thrown != null;
    }
  }

  static void readAllPages(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    ScanCursor cursor = ScanCursor.START;
    while (!cursor.atEnd()) {
      int limit = call.random().nextInt(1, 40);
      ScanPage<Object, StampedValue> page = readPage(call, new ScanCursor(cursor.token()), limit);
      if (page != null) {
        call.check(
            page.entries().size() <= limit,
            () -> page.entries().size() + " entries came, not at most " + limit);
        page.entries().forEach(seen::recordEntry);
        cursor = page.next();
      }
    }
    seen.checkExactly();
  }

  /** Reads a page at any node. Returns null if that node did not return it; another node may. */
  private static @Nullable ScanPage<Object, StampedValue> readPage(
      StreamUseAttempt call, ScanCursor cursor, int limit) {
    List<NodeSlot> steady = call.work().steadyNodes();
    NodeSlot asked =
        steady.isEmpty() ? call.station() : steady.get(call.random().nextInt(steady.size()));
    PageAnswer answer = new PageAnswer();
    Thread client = Thread.currentThread();
    Cache<Object, StampedValue> cache = asked.node().cache();
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
    call.await(() -> answer.hasArrived() || !asked.host().isAlive());
    RuntimeException thrown = answer.thrown;
    if (thrown != null && asked == call.station()) {
      throw thrown;
    }
    if (thrown != null && asked.state() == NodeSlot.State.STEADY) {
      call.reportFailure(thrown);
    }
    return answer.page;
  }
}
