package io.cantle.core.publish;

import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Input;
import io.cantle.core.call.CallLoop;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.Topology;
import io.cantle.core.scan.PullAnswer;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanContext;
import io.cantle.core.scan.ScanRequest;
import io.cantle.core.scan.ScanStatus;
import io.cantle.core.transport.Member;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.ScanTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads one page of entries: segments in their order, from a position on. Neighbouring segments of
 * the same owner are read with one pull.
 *
 * <p><b>Threading:</b> one thread.
 */
final class PageReader<T extends Map.Entry<?, ?>> {
  static final int MAX_LIMIT = 100_000;
  private static final int MAX_SEGMENTS_PER_PULL = 64;

  private final ScanContext context;
  private final int limit;
  private final Function<Input, T> entryReader;
  private final int segmentCount;
  private final CallLoop loop;
  private final List<T> elements = new ArrayList<>();
  private int bytes;
  private int segment;
  private SegmentCursor cursor;
  private boolean primaryOnly;

  private PageReader(
      ScanContext context,
      int limit,
      Function<Input, T> entryReader,
      PageTokenCodec.PagePosition from) {
    this.context = context;
    this.limit = limit;
    this.entryReader = entryReader;
    this.segmentCount = context.segmentCount();
    this.loop = context.newLoop();
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
    reader.loop.run(
        until -> context.topology(),
        reader::attempt,
        last -> "a page that has come to segment " + reader.segment + "; trying again is safe");
    return new ScanPage<>(
        reader.elements,
        tokenCodec.encode(new PageTokenCodec.PagePosition(reader.segment, reader.cursor)));
  }

  /** Pulls what comes next; returns this reader if the page ends. */
  private @Nullable PageReader<T> attempt(Topology topology) {
    int segmentBefore = segment;
    SegmentCursor from = cursor;
    boolean knewPrimaryOnly = primaryOnly;
    boolean ends = isFull() || pull(topology);
    if (segment != segmentBefore || !cursor.equals(from)) {
      loop.onProgress();
    } else if (primaryOnly != knewPrimaryOnly) {
      loop.skipPause();
    }
    return ends || isFull() ? this : null;
  }

  private boolean isFull() {
    return segment >= segmentCount || elements.size() >= limit || bytes >= PullClient.BUDGET_BYTES;
  }

  /** Pulls what comes next; returns true if the page ends although it may have room. */
  private boolean pull(Topology topology) {
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
    PullRequest pull =
        new PullRequest(
            context.cache(),
            PullRequest.EntryPart.ENTRY,
            null,
            PullClient.BUDGET_BYTES - bytes,
            elements.isEmpty(),
            limit - elements.size(),
            false,
            targets);
    Input in =
        context
            .messaging()
            .call(
                source, new ScanMessage.Request(topology.number(), 0, pull), loop.answerDeadline());
    if (in == null) {
      return false;
    }
    int status = in.readByte();
    ScanRequest.throwFailure(status, in);
    return status == ScanStatus.OK && readAnswer(in);
  }

  private Member sourceOf(Topology topology, int segmentNumber) {
    return context.sourceOf(topology, segmentNumber, primaryOnly && segmentNumber == segment);
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
}
