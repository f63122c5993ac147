package io.cantle.core.publish;

import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.TimeoutException;
import io.cantle.core.base.Input;
import io.cantle.core.container.Cursor;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Reads one page: segments in their order, from a place on. Neighbours of the same owner are asked
 * for in one pull.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Pages<T extends Map.Entry<?, ?>> {
  static final int MAX_LIMIT = 100_000;
  private static final int RUN = 64;
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(32);

  private final Access access;
  private final int limit;
  private final Function<Input, T> read;
  private final int segments;
  private final List<T> elements = new ArrayList<>();
  private int bytes;
  private int segment;
  private Cursor cursor;
  private boolean primaryOnly;
  private long deadline;

  private Pages(Access access, int limit, Function<Input, T> read, Tokens.Place from) {
    this.access = access;
    this.limit = limit;
    this.read = read;
    this.segments = access.segmentCount();
    this.segment = from.segment();
    this.cursor = from.cursor();
  }

  /** Reads a page. */
  static <K, V> ScanPage<K, V> page(
      Access access, ScanCursor from, int limit, Function<Input, Map.Entry<K, V>> read) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit " + limit + " of a page is not within 1.." + MAX_LIMIT);
    }
    Topology topology = access.topology();
    String name = topology.caches().get(access.cache()).definition().name();
    Tokens tokens = new Tokens(access.gridId(), name, access.segmentCount());
    Pages<Map.Entry<K, V>> page = new Pages<>(access, limit, read, tokens.place(from));
    page.fill();
    return new ScanPage<>(
        page.elements, tokens.cursor(new Tokens.Place(page.segment, page.cursor)));
  }

  private void fill() {
    long pause = PAUSE;
    deadline = access.clock().nanoTime() + access.timeoutNanos();
    while (segment < segments && elements.size() < limit && bytes < Pulling.BUDGET_BYTES) {
      int before = segment;
      Cursor from = cursor;
      boolean knew = primaryOnly;
      boolean full = pull();
      if (full) {
        return;
      }
      if (segment != before || !cursor.equals(from)) {
        deadline = access.clock().nanoTime() + access.timeoutNanos();
        pause = PAUSE;
      } else if (knew == primaryOnly) {
        pause(pause);
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
    }
  }

  /** Asks for what comes next; true when the page ends though there may be room. */
  private boolean pull() {
    Topology topology = access.topology();
    Member source = source(topology, segment);
    List<Want> wants = new ArrayList<>();
    wants.add(new Want(segment, cursor));
    for (int next = segment + 1;
        next < segments && wants.size() < RUN && source(topology, next).equals(source);
        next++) {
      wants.add(new Want(next, Cursor.START));
    }
    int budget = Pulling.BUDGET_BYTES - bytes;
    Pull pull =
        new Pull(
            access.cache(),
            Scans.Part.ENTRY,
            null,
            budget,
            elements.isEmpty(),
            limit - elements.size(),
            false,
            wants);
    long now = access.clock().nanoTime();
    Input in =
        access
            .requests()
            .call(
                source,
                Kind.PULL,
                out -> {
                  out.writeLong(topology.number());
                  out.writeVarint(0);
                  pull.write(out);
                },
                Math.min(now + ANSWER_NANOS, deadline));
    if (in == null) {
      return false;
    }
    int status = in.readByte();
    Asked.throwFailure(status, in);
    return status == Outcome.OK && accept(in);
  }

  private Member source(Topology topology, int one) {
    Ownership ownership = access.ownership(topology, one);
    boolean here = ownership.owners().contains(access.self()) && !(primaryOnly && one == segment);
    return here ? access.self() : ownership.primary();
  }

  private boolean accept(Input in) {
    for (long named = in.readVarint(); named != 0; named = in.readVarint()) {
      int count = in.readInt();
      int length = in.readInt();
      Input block = in.slice(length);
      bytes += length;
      for (int i = 0; i < count; i++) {
        elements.add(read.apply(block));
      }
      int outcome = in.readByte();
      if (outcome == Outcome.BLOCK_ENDS) {
        Cursor.read(in);
        continue;
      }
      boolean isLong = outcome == Outcome.LONG;
      if (isLong) {
        in.readVarint();
      }
      primaryOnly = outcome != Outcome.DONE && outcome != Outcome.MORE && !isLong;
      if (outcome == Outcome.DONE) {
        segment++;
        cursor = Cursor.START;
      } else if (outcome == Outcome.MORE || outcome == Outcome.DIRTY || isLong) {
        cursor = Cursor.read(in);
      }
      if (outcome != Outcome.DONE) {
        // An entry that is longer than what is left begins the next page.
        return isLong && !elements.isEmpty();
      }
    }
    return false;
  }

  private void pause(long nanos) {
    access.checkAvailable();
    long now = access.clock().nanoTime();
    if (now - deadline >= 0) {
      throw new TimeoutException(
          "segment "
              + segment
              + " found no owner that answers within "
              + TimeUnit.NANOSECONDS.toMillis(access.timeoutNanos())
              + " ms; trying again is safe");
    }
    access.clock().sleepNanos(this, Math.min(nanos, deadline - now));
    Requests.stopWhenInterrupted();
  }
}
