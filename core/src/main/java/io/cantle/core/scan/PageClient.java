package io.cantle.core.scan;

import io.cantle.core.base.Input;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanTarget;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads one page of entries: segments in their order, from a position on. There is one pull at a
 * time, of neighbouring segments of the same owner. It asks for no more than the page has room for,
 * so the page ends where its last answer ended. It opens as many segments as a pull may cover, and
 * the next of them after these, so a short page of a cache of many segments costs little.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class PageClient<T> {
  static final int MAX_LIMIT = 100_000;

  private static final ScanClient.RequestPolicy POLICY =
      new ScanClient.RequestPolicy(
          MessageKind.PULL, 1, PullClient.MAX_SEGMENTS_PER_PULL, false, false);

  private static final PullClient.ScanSpec ENTRIES =
      new PullClient.ScanSpec(PullRequest.EntryPart.ENTRY, null, ScanOptions.ALL);

  private final ScanContext context;
  private final int limit;
  private final Function<Input, T> entryReader;
  private final List<T> elements = new ArrayList<>();
  private int bytes;

  /**
   * Creates a page that has read nothing yet.
   *
   * @param limit the most entries it may have
   */
  public PageClient(ScanContext context, int limit, Function<Input, T> entryReader) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit " + limit + " of a page is not within 1.." + MAX_LIMIT);
    }
    this.context = context;
    this.limit = limit;
    this.entryReader = entryReader;
  }

  /** The entries of the page. */
  public List<T> elements() {
    return Collections.unmodifiableList(elements);
  }

  /** Reads the page; returns the position after it, which is in no segment at the end. */
  public ScanTarget read(ScanTarget from) {
    int segmentCount = context.segmentCount();
    int nextSegment = from.segment();
    SegmentCursor cursor = from.cursor();
    ScanMetrics.ScanAccount account = context.metrics().openAccount(this);
    // Nothing of it can be reclaimed, since it reads its answers as they arrive.
    ScanClient scanClient = new ScanClient(context, ScanOptions.ALL, POLICY, Map.of(), () -> false);
    try {
      while (nextSegment < segmentCount && scanClient.isDone() && hasRoom()) {
        int end = Math.min(nextSegment + PullClient.MAX_SEGMENTS_PER_PULL, segmentCount);
        for (; nextSegment < end; nextSegment++) {
          scanClient.progress.put(nextSegment, cursor);
          cursor = SegmentCursor.START;
        }
        scanClient.run(() -> sendNext(scanClient, account), this::readAnswer);
      }
      ScanTarget rest = scanClient.progress.first();
      return rest == null ? new ScanTarget(nextSegment, SegmentCursor.START) : rest;
    } finally {
      scanClient.close();
      account.close();
    }
  }

  private void sendNext(ScanClient scanClient, ScanMetrics.ScanAccount account) {
    int room =
        Math.min(
            PullClient.BUDGET_BYTES - bytes,
            context.buffers().answerBytes(PullClient.BUDGET_BYTES));
    int answerBytes = room + PullClient.MARGIN_BYTES;
    scanClient.sendMore(
        1 - scanClient.inFlightCount(),
        answerBytes,
        () ->
            new PullTemplate(
                account,
                ENTRIES.newPull(
                    context.cache(), answerBytes, elements.isEmpty(), limit - elements.size())));
  }

  /** Reads an answer as far as it is without a gap; returns whether the page may go on. */
  private boolean readAnswer(ScanRequest request, Input in) {
    PullAnswer blocks = new PullAnswer(in);
    for (PullAnswer.Block block; (block = blocks.next()) != null; ) {
      bytes += block.elements().remaining();
      for (int i = 0; i < block.count(); i++) {
        elements.add(entryReader.apply(block.elements()));
      }
      PullAnswer.SegmentStatus end = block.end();
      boolean goesOn = end.status() == ScanStatus.BLOCK_ENDS;
      if (!goesOn && !request.endSegment(block.segment(), end)) {
        // An entry that is longer than the room that is left begins the next page.
        return hasRoom() && (end.status() != ScanStatus.OVERSIZED || elements.isEmpty());
      }
    }
    return hasRoom();
  }

  private boolean hasRoom() {
    return elements.size() < limit && bytes < PullClient.BUDGET_BYTES;
  }
}
