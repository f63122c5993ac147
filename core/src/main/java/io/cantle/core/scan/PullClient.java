package io.cantle.core.scan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.Delivery;
import io.cantle.NotAvailableException;
import io.cantle.core.base.Input;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.PullRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Pulls all elements of a scan. Up to {@value #MAX_PULLS} pulls share the batch. A pull is repeated
 * only after an answer has been used up, so the buffered elements never exceed the batch and
 * {@value #BUDGET_BYTES} bytes, or one entry that is longer than that; four times as much where the
 * reader keeps every element anyway. The first batch must be used up completely before more is
 * pulled, because many readers want no more.
 *
 * <p>An owner does not send an entry that is longer than the share of a pull, but answers how long
 * it is. Then fewer pulls with larger shares are made. An entry longer than half of the budget is
 * fetched by a single pull, which accepts it however long it is. Each answer halves the expected
 * length again.
 *
 * <p>This node answers for itself what it may answer. Everything else, and what is dirty here,
 * comes from the primary.
 *
 * <p>The memory of an answer is reserved before the pull is sent, see {@link ScanBufferPool}. When
 * other scans need memory that no reader uses here, everything is dropped but the rest of the small
 * block that the reader is in. What was dropped is pulled again from where the first dropped block
 * of each segment begins.
 *
 * <p><b>Threading:</b> one thread at a time reads. It holds the lock while it is in here, also
 * while it waits. No other thread waits for the lock: a thread that finds it taken knows that the
 * scan is being read. {@link #wake} by any thread.
 */
public final class PullClient {
  static final int MAX_PULLS = 4;
  static final int BUDGET_BYTES = 1 << 20;

  /**
   * How many times as much is buffered for a reader that reads all and keeps it: fewer and longer
   * answers take less processor time.
   */
  private static final int READS_ALL_FACTOR = 4;

  /** The smallest size of an answer, however many scans there are. */
  static final int MIN_ANSWER_BYTES = 8 << 10;

  /** What an answer takes besides its elements: the cursors. */
  static final int MARGIN_BYTES = 1_024;

  static final int MAX_SEGMENTS_PER_PULL = 64;

  /**
   * What a scan delivers, and its settings.
   *
   * @param readsAll whether its reader keeps every element, and wants them all at once
   */
  public record ScanSpec(
      PullRequest.EntryPart part, byte @Nullable [] task, ScanOptions options, boolean readsAll) {
    /** A scan whose reader may take its time, and may stop before the end. */
    public ScanSpec(PullRequest.EntryPart part, byte @Nullable [] task, ScanOptions options) {
      this(part, task, options, false);
    }

    /** How many times as much is buffered as for other readers, unless the user has set a batch. */
    private int bufferFactor() {
      return readsAll && options.batch() == ScanOptions.DEFAULT_BATCH_ELEMENTS
          ? READS_ALL_FACTOR
          : 1;
    }

    /** A pull that has no targets yet. */
    PullRequest newPull(int cache, int bytes, boolean acceptsOversized, int elements) {
      boolean keepsAfterMove = options.delivery() == Delivery.AT_LEAST_ONCE;
      int maxBytes = bytes - MARGIN_BYTES;
      return new PullRequest(
          cache, part, task, maxBytes, acceptsOversized, elements, keepsAfterMove, List.of());
    }
  }

  /** Something that has arrived, in order. */
  public sealed interface ScanEvent {
    /** The segment it belongs to. */
    int segment();
  }

  /** Elements of one segment. */
  public static final class ElementBlock implements ScanEvent {
    private final int segment;
    private final SegmentCursor begin;
    private final BufferedAnswer answer;
    private final int length;
    private final int count;
    private volatile ElementBytes bytes;
    private int position;
    private int remaining;

    private ElementBlock(PullAnswer.Block block, SegmentCursor begin, BufferedAnswer answer) {
      this.segment = block.segment();
      this.begin = begin;
      this.answer = answer;
      this.bytes = new ElementBytes(block.elements().array(), block.elements().position());
      this.length = block.elements().remaining();
      this.count = block.count();
      this.remaining = count;
    }

    /**
     * The bytes of its elements: within the answer, until the memory of that is needed for others.
     */
    private record ElementBytes(byte[] array, int offset) {
      static final ElementBytes NONE = new ElementBytes(new byte[0], 0);
    }

    /** Copies the elements out of the answer, while its reader may be reading. */
    private void detach() {
      ElementBytes its = bytes;
      bytes = new ElementBytes(Arrays.copyOfRange(its.array, its.offset, its.offset + length), 0);
    }

    private <T> T read(Function<Input, T> read) {
      ElementBytes its = bytes;
      Input in = new Input(its.array, its.offset + position, length - position);
      T element = read.apply(in);
      position = in.position() - its.offset;
      remaining--;
      return element;
    }

    @Override
    public int segment() {
      return segment;
    }

    /** The number of elements not read yet. */
    public int remaining() {
      return remaining;
    }
  }

  /** The end of a segment: it was read to its end, or lost before. */
  public record SegmentEnd(int segment, boolean complete) implements ScanEvent {}

  /** An answer whose elements arrived together and are dropped together. */
  private static final class BufferedAnswer {
    private final int bytes;

    /** Its memory, at the scan that reads it now. */
    private ScanBufferPool.ScanBuffer.Reservation reservation;

    private int elements;
    private int blocks;
    private boolean dropped;

    BufferedAnswer(int bytes, ScanBufferPool.ScanBuffer.Reservation reservation) {
      this.bytes = bytes;
      this.reservation = reservation;
    }
  }

  /** What is left of a scan that was stopped. */
  public record RemainingScan(List<ScanEvent> events, Map<Integer, SegmentCursor> cursors) {
    public RemainingScan {
      events = List.copyOf(events);
      cursors = Map.copyOf(cursors);
    }
  }

  private final ScanContext context;
  private final ScanSpec spec;
  private final ScanClient scanClient;

  @GuardedBy("lock")
  private final ArrayDeque<ScanEvent> events;

  private final ScanMetrics.ScanAccount account;
  private final ScanBufferPool.ScanBuffer buffer;
  private final ReentrantLock lock = new ReentrantLock();
  private final int budgetBytes;
  private final int maxPulls;
  private final int elementsPerPull;

  @GuardedBy("lock")
  private int bufferedAnswers;

  @GuardedBy("lock")
  private int bufferedBytes;

  /** How long answers may be: shorter where answers are dropped before they are read. */
  @GuardedBy("lock")
  private int answerBytes;

  /** The expected length of an entry. */
  @GuardedBy("lock")
  private int expectedEntryBytes;

  /**
   * Whether everything that had arrived was used up once. A reader limited to one batch wants no
   * more.
   */
  @GuardedBy("lock")
  private boolean prefetches;

  @GuardedBy("lock")
  private @Nullable ElementBlock currentBlock;

  /** A scan from the beginning of all segments that the options select. */
  public static RemainingScan fromStart(ScanContext context, ScanOptions options) {
    return new RemainingScan(List.of(), context.startCursors(options));
  }

  /**
   * Creates a scan of what is left of another.
   *
   * @param holder the iterator or feed that reads this scan; once it is unreachable, what it
   *     buffered no longer counts in the metrics
   */
  public PullClient(
      ScanContext context,
      ScanSpec spec,
      RemainingScan remaining,
      boolean reportsLost,
      Object holder) {
    ScanOptions options = spec.options();
    int batch =
        Math.clamp((long) options.batch() * spec.bufferFactor(), 1, ScanOptions.MAX_BATCH_ELEMENTS);
    this.budgetBytes = BUDGET_BYTES * spec.bufferFactor();
    this.context = context;
    this.spec = spec;
    this.maxPulls = Math.min(MAX_PULLS, batch);
    this.elementsPerPull = batch / maxPulls;
    ScanClient.RequestPolicy policy =
        new ScanClient.RequestPolicy(
            MessageKind.PULL, MAX_PULLS, MAX_SEGMENTS_PER_PULL, reportsLost, spec.task() != null);
    this.account = context.metrics().openAccount(holder);
    this.scanClient = new ScanClient(context, options, policy, remaining.cursors(), this::reclaim);
    this.buffer = scanClient.buffer();
    this.answerBytes = usualAnswerBytes();
    this.events = new ArrayDeque<>(remaining.events());
    Set<BufferedAnswer> answers = new HashSet<>();
    for (ScanEvent event : events) {
      if (event instanceof ElementBlock block && block.answer.dropped) {
        account.add(block.count, block.length, 0);
      } else if (event instanceof ElementBlock block && answers.add(block.answer)) {
        block.answer.reservation = buffer.add(block.answer.reservation);
        bufferAnswer(block.answer);
      }
    }
  }

  private int usualAnswerBytes() {
    return context.buffers().answerBytes(budgetBytes / MAX_PULLS);
  }

  @GuardedBy("lock")
  private void bufferAnswer(BufferedAnswer answer) {
    bufferedAnswers++;
    bufferedBytes += answer.bytes;
    account.add(answer.elements, answer.bytes, 0);
    expectedEntryBytes = Math.max(expectedEntryBytes, answer.bytes / answer.elements);
  }

  @GuardedBy("lock")
  private void sendMore() {
    int expected =
        Math.max(expectedEntryBytes, scanClient.progress.longestOversizedBytes())
            + 2 * MARGIN_BYTES;
    int pulls = Math.clamp(budgetBytes / expected, 1, maxPulls);
    // Entries are long when there are fewer pulls than usual, so each may take all bytes there are.
    int bytesPerPull = Math.min(budgetBytes / pulls, Math.max(answerBytes, expected));
    int freeSlots = pulls - scanClient.inFlightCount() - bufferedAnswers;
    int affordable = (budgetBytes - bufferedBytes - scanClient.inFlightBytes()) / bytesPerPull;
    scanClient.sendMore(
        Math.min(freeSlots, affordable),
        Math.max(bytesPerPull, expected),
        () ->
            new PullTemplate(
                account, spec.newPull(context.cache(), bytesPerPull, pulls == 1, elementsPerPull)));
  }

  /** Wakes the waiting thread. */
  public void wake() {
    scanClient.wake();
  }

  /**
   * Waits for the next event; null at the end, or when no more are wanted.
   *
   * @throws IllegalStateException if the node was closed
   */
  public @Nullable ScanEvent next(BooleanSupplier unwanted) {
    context.guard().check();
    lock.lock();
    try {
      scanClient.restartTimeout();
      while (true) {
        ScanEvent event = peek();
        if (event != null || scanClient.isDone() || unwanted.getAsBoolean()) {
          return event == null ? null : take();
        }
        scanClient.awaitProgress();
      }
    } catch (NotAvailableException | RejectedExecutionException e) {
      throw context.guard().explain(e);
    } finally {
      buffer.read();
      lock.unlock();
    }
  }

  /** Returns the next event without waiting for it and without removing it. */
  @GuardedBy("lock")
  private @Nullable ScanEvent peek() {
    ScanEvent first = events.peek();
    if (first != null) {
      if (prefetches) {
        sendMore();
      }
      return first;
    }
    do {
      sendMore();
      // An answer may bring no element but a cursor to continue from: nothing else would wake this
      // thread.
    } while (collectAnswers() && events.isEmpty());
    return events.peek();
  }

  /** Removes the next event if it has arrived already and is the end of a segment. */
  public @Nullable SegmentEnd takeEnd() {
    lock.lock();
    try {
      if (events.isEmpty()) {
        collectAnswers();
      }
      return events.peek() instanceof SegmentEnd && take() instanceof SegmentEnd end ? end : null;
    } finally {
      buffer.read();
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private ScanEvent take() {
    ScanEvent event = events.remove();
    currentBlock = event instanceof ElementBlock block ? block : null;
    return event;
  }

  /** Whether everything was delivered. */
  public boolean isExhausted() {
    lock.lock();
    try {
      return events.isEmpty() && scanClient.isDone();
    } finally {
      buffer.read();
      lock.unlock();
    }
  }

  /** Reads the next element of a block. An element that cannot be read stays the next. */
  public <T> T read(ElementBlock block, Function<Input, T> read) {
    T element = block.read(read);
    if (block.remaining == 0) {
      lock.lock();
      try {
        release(block);
      } finally {
        buffer.read();
        lock.unlock();
      }
    }
    return element;
  }

  @GuardedBy("lock")
  private void release(ElementBlock block) {
    currentBlock = null;
    // The reader may keep the block until it asks for the next one.
    block.bytes = ElementBlock.ElementBytes.NONE;
    BufferedAnswer answer = block.answer;
    if (answer.dropped) {
      account.add(-block.count, -block.length, 0);
      return;
    }
    answer.elements -= block.count;
    boolean isLastBlock = --answer.blocks == 0;
    if (isLastBlock) {
      bufferedAnswers--;
      bufferedBytes -= answer.bytes;
      prefetches |= bufferedAnswers == 0;
      answerBytes = Math.min(2 * answerBytes, usualAnswerBytes());
      answer.reservation.release();
    }
    account.add(-block.count, isLastBlock ? -answer.bytes : 0, 0);
  }

  // ------------------------------------------------------------------ reclaiming memory

  /**
   * Drops what has arrived unread and cancels the requests in flight; returns false if the scan is
   * being read at the moment.
   */
  private boolean reclaim() {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      Set<BufferedAnswer> answers = new HashSet<>();
      if (scanClient.inFlightCount() > 0 || !events.isEmpty()) {
        scanClient.restart(dropUnread(answers));
      }
      ElementBlock partlyRead = currentBlock;
      if (partlyRead != null) {
        keep(partlyRead, answers);
      }
      answers.forEach(this::drop);
      answerBytes = Math.max(answerBytes / 2, Math.min(MIN_ANSWER_BYTES, answerBytes));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Drops all blocks of which no element was read; returns the cursors to continue from.
   *
   * @param answers receives the answers of which nothing is left
   */
  @GuardedBy("lock")
  private Map<Integer, SegmentCursor> dropUnread(Set<BufferedAnswer> answers) {
    Map<Integer, SegmentCursor> rest = scanClient.remainingCursors();
    List<ScanEvent> unread = new ArrayList<>();
    Set<Integer> dropped = new HashSet<>();
    for (ScanEvent event : events) {
      switch (event) {
        case ElementBlock block when block.remaining < block.count -> {
          keep(block, answers);
          unread.add(block);
        }
        case ElementBlock block -> {
          // If the remaining cursor is earlier, because the answer did not count, it stays.
          rest.merge(block.segment, block.begin, SegmentCursor::earlier);
          dropped.add(block.segment);
          answers.add(block.answer);
        }
        case SegmentEnd end when dropped.contains(end.segment) -> {}
        case SegmentEnd end -> unread.add(end);
      }
    }
    events.clear();
    events.addAll(unread);
    return rest;
  }

  /** Keeps a partly read block without the answer it came in. */
  private void keep(ElementBlock partlyRead, Set<BufferedAnswer> answers) {
    if (!partlyRead.answer.dropped) {
      partlyRead.detach();
      answers.add(partlyRead.answer);
      account.add(partlyRead.count, partlyRead.length, 0);
    }
  }

  @GuardedBy("lock")
  private void drop(BufferedAnswer answer) {
    answer.dropped = true;
    bufferedAnswers--;
    bufferedBytes -= answer.bytes;
    account.add(-answer.elements, -answer.bytes, 0);
    answer.reservation.release();
  }

  // ------------------------------------------------------------------ answers

  /** Reads the answers that have arrived; returns whether there was one. */
  @GuardedBy("lock")
  private boolean collectAnswers() {
    boolean anyAnswer = false;
    for (ScanRequest request; (request = scanClient.pollEnded()) != null; ) {
      anyAnswer = true;
      boolean keeps = false;
      try {
        Input in = request.readAnswer();
        keeps = in != null && readAnswer(request, in);
      } finally {
        if (!keeps) {
          request.reservation.release();
        }
        scanClient.settle(request);
      }
    }
    for (Integer lostSegment; (lostSegment = scanClient.progress.pollLost()) != null; ) {
      events.add(new SegmentEnd(lostSegment, false));
    }
    return anyAnswer;
  }

  /** Reads one answer; returns whether it brought elements. */
  @GuardedBy("lock")
  private boolean readAnswer(ScanRequest request, Input in) {
    BufferedAnswer answer = new BufferedAnswer(in.remaining(), request.reservation);
    expectedEntryBytes /= 2;
    SegmentCursor begin = null;
    PullAnswer blocks = new PullAnswer(in);
    for (PullAnswer.Block block; (block = blocks.next()) != null; ) {
      int segment = block.segment();
      if (block.count() > 0) {
        SegmentCursor blockStart =
            begin == null ? request.remaining().getOrDefault(segment, SegmentCursor.START) : begin;
        events.add(new ElementBlock(block, blockStart, answer));
        answer.blocks++;
        answer.elements += block.count();
      }
      boolean goesOn = block.end().status() == ScanStatus.BLOCK_ENDS;
      begin = goesOn ? block.end().cursor() : null;
      if (!goesOn && request.endSegment(segment, block.end())) {
        events.add(new SegmentEnd(segment, true));
      }
    }
    request.recordElements(answer.elements);
    if (answer.blocks > 0) {
      bufferAnswer(answer);
    }
    return answer.blocks > 0;
  }

  /** Stops the scan; returns what has not been read. */
  public RemainingScan stop() {
    lock.lock();
    try {
      List<ScanEvent> unread = new ArrayList<>();
      ElementBlock partlyRead = currentBlock;
      if (partlyRead != null && partlyRead.remaining > 0) {
        unread.add(partlyRead);
      }
      unread.addAll(events);
      Map<Integer, SegmentCursor> cursors = scanClient.remainingCursors();
      scanClient.close();
      events.clear();
      currentBlock = null;
      account.close();
      return new RemainingScan(unread, cursors);
    } finally {
      lock.unlock();
    }
  }
}
