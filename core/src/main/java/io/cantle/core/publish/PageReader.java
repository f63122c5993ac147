package io.cantle.core.publish;

import io.cantle.CallTimeoutException;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Input;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.scan.PullAnswer;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanContext;
import io.cantle.core.scan.ScanRequest;
import io.cantle.core.scan.ScanStatus;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.ScanTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Reads one page of entries: segments in their order, from a position on. Neighbouring segments of
 * the same owner are read with one pull.
 *
 * <p><b>Threading:</b> one thread.
 */
final class PageReader<T extends Map.Entry<?, ?>> {
  static final int MAX_LIMIT = 100_000;
  private static final int MAX_SEGMENTS_PER_PULL = 64;
  private static final long ANSWER_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(32);

  private final ScanContext context;
  private final int limit;
  private final Function<Input, T> entryReader;
  private final int segmentCount;
  private final List<T> elements = new ArrayList<>();
  private int bytes;
  private int segment;
  private SegmentCursor cursor;
  private boolean primaryOnly;
  private long deadline;

  private PageReader(
      ScanContext context,
      int limit,
      Function<Input, T> entryReader,
      PageTokenCodec.PagePosition from) {
    this.context = context;
    this.limit = limit;
    this.entryReader = entryReader;
    this.segmentCount = context.segmentCount();
    this.segment = from.segment();
    this.cursor = from.cursor();
  }

  /** Reads a page. */
  static <K, V> ScanPage<K, V> readPage(
      ScanContext context, ScanCursor from, int limit, Function<Input, Map.Entry<K, V>> read) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit " + limit + " of a page is not within 1.." + MAX_LIMIT);
    }
    Topology topology = context.topology();
    String name = topology.caches().get(context.cache()).definition().name();
    PageTokenCodec tokenCodec = new PageTokenCodec(context.gridId(), name, context.segmentCount());
    PageReader<Map.Entry<K, V>> reader =
        new PageReader<>(context, limit, read, tokenCodec.decode(from));
    reader.fill();
    return new ScanPage<>(
        reader.elements,
        tokenCodec.encode(new PageTokenCodec.PagePosition(reader.segment, reader.cursor)));
  }

  private void fill() {
    long pause = MIN_PAUSE_NANOS;
    deadline = context.clock().nanoTime() + context.timeoutNanos();
    while (segment < segmentCount && elements.size() < limit && bytes < PullClient.BUDGET_BYTES) {
      int segmentBefore = segment;
      SegmentCursor from = cursor;
      boolean knewPrimaryOnly = primaryOnly;
      boolean isPageFull = pull();
      if (isPageFull) {
        return;
      }
      if (segment != segmentBefore || !cursor.equals(from)) {
        deadline = context.clock().nanoTime() + context.timeoutNanos();
        pause = MIN_PAUSE_NANOS;
      } else if (knewPrimaryOnly == primaryOnly) {
        pause(pause);
        pause = Math.min(pause * 2, MAX_PAUSE_NANOS);
      }
    }
  }

  /** Pulls what comes next; returns true if the page ends although it may have room. */
  private boolean pull() {
    Topology topology = context.topology();
    Member source = sourceOf(topology, segment);
    List<ScanTarget> targets = new ArrayList<>();
    targets.add(new ScanTarget(segment, cursor));
    for (int next = segment + 1;
        next < segmentCount
            && targets.size() < MAX_SEGMENTS_PER_PULL
            && sourceOf(topology, next).equals(source);
        next++) {
      targets.add(new ScanTarget(next, SegmentCursor.START));
    }
    int budget = PullClient.BUDGET_BYTES - bytes;
    PullRequest pull =
        new PullRequest(
            context.cache(),
            PullRequest.Part.ENTRY,
            null,
            budget,
            elements.isEmpty(),
            limit - elements.size(),
            false,
            targets);
    long now = context.clock().nanoTime();
    Input in =
        context
            .messaging()
            .call(
                source,
                new ScanMessage.Request(topology.number(), 0, pull),
                Math.min(now + ANSWER_TIMEOUT_NANOS, deadline));
    if (in == null) {
      return false;
    }
    int status = in.readByte();
    ScanRequest.throwFailure(status, in);
    return status == ScanStatus.OK && readAnswer(in);
  }

  private Member sourceOf(Topology topology, int segmentNumber) {
    SegmentOwnership ownership = context.ownership(topology, segmentNumber);
    boolean isLocal =
        ownership.owners().contains(context.self()) && !(primaryOnly && segmentNumber == segment);
    return isLocal ? context.self() : ownership.primary();
  }

  private boolean readAnswer(Input in) {
    PullAnswer blocks = new PullAnswer(in);
    for (PullAnswer.Block block; (block = blocks.next()) != null; ) {
      bytes += block.elements().remaining();
      for (int i = 0; i < block.count(); i++) {
        elements.add(entryReader.apply(block.elements()));
      }
      int status = block.end().status();
      SegmentCursor next = block.end().cursor();
      if (status == ScanStatus.BLOCK_ENDS) {
        continue;
      }
      boolean isLong = status == ScanStatus.OVERSIZED;
      primaryOnly = status != ScanStatus.DONE && status != ScanStatus.MORE && !isLong;
      if (status == ScanStatus.DONE) {
        segment++;
        cursor = SegmentCursor.START;
      } else if (next != null) {
        cursor = next;
      }
      if (status != ScanStatus.DONE) {
        // An entry that is longer than the room that is left begins the next page.
        return isLong && !elements.isEmpty();
      }
    }
    return false;
  }

  private void pause(long nanos) {
    context.checkAvailable();
    long now = context.clock().nanoTime();
    if (now - deadline >= 0) {
      throw new CallTimeoutException(
          "no owner of segment "
              + segment
              + " answered within "
              + TimeUnit.NANOSECONDS.toMillis(context.timeoutNanos())
              + " ms; trying again is safe");
    }
    context.clock().sleepNanos(this, Math.min(nanos, deadline - now));
    MessagingService.checkInterrupted();
  }
}
