package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.transport.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All elements of a scan, pulled. Up to {@value #PULLS} pulls share the batch; one is asked for
 * anew when an answer has been used up, never before, so that what waits here is never more than
 * the batch and {@value #BUDGET_BYTES} bytes, or one entry that is longer than that. The first
 * batch has to be used up whole: many a reader wants no more.
 *
 * <p>An owner does not send an entry that is longer than the share of a pull, but says how long it
 * is. Then fewer pulls are made at a time, with larger shares, and for one longer than half of all
 * a single one, which takes it however long it is. With each answer that is forgotten by half.
 *
 * <p>This node answers for itself what it may; everything else, and what is dirty here, comes from
 * the primary.
 *
 * <p>What a pull may bring is reserved before, see {@link ScanBuffers}. When others need what
 * nobody reads here, all of it is dropped but the rest of the small block the reader is in, and
 * asked for again from where the first dropped block of each segment begins.
 *
 * <p><b>Threading:</b> one thread at a time reads, and holds the lock while it is in here, also
 * while it waits: nobody else waits for the lock, and who finds it taken knows that this is being
 * read. {@link #wake} by any thread.
 */
final class Pulling implements ScanBuffers.Holder {
  static final int PULLS = 4;
  static final int BUDGET_BYTES = 1 << 20;

  /** An answer is at least so long, however many scans there are. */
  private static final int LEAST_ANSWER_BYTES = 8 << 10;

  /** What an answer takes besides its elements: where to go on. */
  private static final int MARGIN_BYTES = 1_024;

  private static final int PULL_SEGMENTS = 64;

  /** What of a scan is wanted. */
  record Wish(Scans.Part part, byte @Nullable [] task, ScanOptions options) {}

  /** What has come, in order. */
  sealed interface Event {
    /** Of which segment. */
    int segment();
  }

  /** Elements of one segment. */
  static final class Block implements Event {
    private final int segment;
    private final Cursor begin;
    private final Answer answer;
    private final int length;
    private final int count;
    private volatile Bytes bytes;
    private int position;
    private int left;

    private Block(int segment, Cursor begin, Answer answer, Input in, int length, int count) {
      this.segment = segment;
      this.begin = begin;
      this.answer = answer;
      this.bytes = new Bytes(in.array(), in.position());
      this.length = length;
      this.count = count;
      this.left = count;
    }

    /** Where its elements are: in an answer, until that is needed for others. */
    private record Bytes(byte[] array, int offset) {
      static final Bytes NONE = new Bytes(new byte[0], 0);
    }

    /** Lets go of the answer it came in; its reader may be reading. */
    private void detach() {
      Bytes its = bytes;
      bytes = new Bytes(Arrays.copyOfRange(its.array, its.offset, its.offset + length), 0);
    }

    private <T> T read(Function<Input, T> read) {
      Bytes its = bytes;
      Input in = new Input(its.array, its.offset + position, length - position);
      T element = read.apply(in);
      position = in.position() - its.offset;
      left--;
      return element;
    }

    @Override
    public int segment() {
      return segment;
    }

    /** How many elements are to be read. */
    int left() {
      return left;
    }
  }

  /** A segment is done, or was lost before it was. */
  record Ended(int segment, boolean complete) implements Event {}

  /** Elements that have come together, and are dropped together. */
  private static final class Answer {
    private final int bytes;

    /** What is reserved for them. */
    private final int reservedBytes;

    private int elements;
    private int blocks;
    private boolean dropped;

    Answer(int bytes, int reservedBytes) {
      this.bytes = bytes;
      this.reservedBytes = reservedBytes;
    }
  }

  /** What is left of a scan that was stopped. */
  record Rest(List<Event> events, Map<Integer, Cursor> cursors) {
    Rest {
      events = List.copyOf(events);
      cursors = Map.copyOf(cursors);
    }
  }

  /** A pull of a share. What it brings counts from the moment it has come. */
  private static final class Share implements Asking.Question {
    private final Access access;
    private final Wish wish;
    private final ScanMeter.Account account;
    private final ScanBuffers.ScanBuffer buffer;
    private final int bytes;
    private final boolean takesLong;
    private final int elements;
    private int reservedBytes;
    private int elementsCame;
    private int bytesCame;
    private boolean came;
    private boolean settled;

    Share(
        Access access,
        Wish wish,
        ScanMeter.Account account,
        ScanBuffers.ScanBuffer buffer,
        int reservedBytes,
        int bytes,
        boolean takesLong,
        int elements) {
      this.access = access;
      this.wish = wish;
      this.account = account;
      this.buffer = buffer;
      this.reservedBytes = reservedBytes;
      this.bytes = bytes;
      this.takesLong = takesLong;
      this.elements = elements;
      account.pulls(1);
    }

    @Override
    public int elements() {
      return elements;
    }

    @Override
    public int bytes() {
      return bytes;
    }

    /** Called before the answer is seen by the thread of the scan. */
    @Override
    public synchronized void arrived(Input answer) {
      if (settled) {
        return;
      }
      came = true;
      buffer.resize(reservedBytes, answer.array().length);
      reservedBytes = answer.array().length;
      Input in = new Input(answer.array(), answer.position(), answer.remaining());
      if (in.readByte() == Outcome.OK) {
        bytesCame = in.remaining();
        elementsCame = elementsOf(in);
      }
      account.waiting(elementsCame, bytesCame);
      account.pulls(-1);
    }

    private static int elementsOf(Input in) {
      int all = 0;
      try {
        while (in.readVarint() != 0) {
          all += in.readInt();
          in.skip(in.readInt());
          int outcome = in.readByte();
          if (outcome == Outcome.LONG) {
            in.readVarint();
          }
          if (Outcome.hasCursor(outcome)) {
            Cursor.read(in);
          }
        }
      } catch (MalformedException e) {
        // The thread of the scan says so when it reads the answer.
        return 0;
      }
      return all;
    }

    /** Hands over to whoever counts what came of it; returns what is reserved for that. */
    synchronized int settle() {
      settled = true;
      account.waiting(-elementsCame, -bytesCame);
      if (!came) {
        account.pulls(-1);
      }
      return reservedBytes;
    }

    @Override
    public void write(Output out, List<Want> wants) {
      boolean keepsRefused = wish.options().delivery() == Delivery.AT_LEAST_ONCE;
      new Pull(
              access.cache(),
              wish.part(),
              wish.task(),
              bytes - MARGIN_BYTES,
              takesLong,
              elements,
              keepsRefused,
              wants)
          .write(out);
    }
  }

  private final Access access;
  private final Wish wish;
  private final Asking asking;
  private final ArrayDeque<Event> events;
  private final ScanMeter.Account account;
  private final ScanBuffers.ScanBuffer buffer;
  private final ReentrantLock lock = new ReentrantLock();
  private final int most;
  private final int elements;
  private int answersWaiting;
  private int bytesWaiting;

  /** How long answers may be: shorter where they are dropped before they are read. */
  private int answerBytes;

  /** How long an entry may be expected to be. */
  private int longest;

  /** Whether all that had come was used up before: whoever is limited to a batch wants no more. */
  private boolean readsOn;

  private @Nullable Block reading;

  /** A scan from its beginning, over what the options say. */
  static Rest all(Access access, ScanOptions options) {
    Map<Integer, Cursor> cursors = new TreeMap<>();
    access.segments(options).stream().forEach(segment -> cursors.put(segment, Cursor.START));
    return new Rest(List.of(), cursors);
  }

  /**
   * A scan of what is left.
   *
   * @param holder when it is forgotten, so is what waits for it
   */
  Pulling(Access access, Wish wish, Rest rest, boolean lostIsTold, Object holder) {
    ScanOptions options = wish.options();
    int batch = Math.max(1, Math.min(options.batch(), ScanOptions.MAX_BATCH));
    this.access = access;
    this.wish = wish;
    this.most = Math.min(PULLS, batch);
    this.elements = batch / most;
    Asking.Manner manner = new Asking.Manner(Kind.PULL, PULLS, PULL_SEGMENTS, true, lostIsTold);
    this.asking = new Asking(access, options, manner, rest.cursors());
    this.account = access.meter().account(holder);
    this.buffer = access.buffers().open(this);
    this.answerBytes = usualAnswerBytes();
    this.events = new ArrayDeque<>(rest.events());
    Set<Answer> answers = new HashSet<>();
    for (Event event : events) {
      if (event instanceof Block block && block.answer.dropped) {
        account.waiting(block.count, block.length);
      } else if (event instanceof Block block && answers.add(block.answer)) {
        buffer.add(block.answer.reservedBytes);
        arrived(block.answer);
      }
    }
  }

  private int usualAnswerBytes() {
    return access.buffers().answerBytes(BUDGET_BYTES / PULLS, LEAST_ANSWER_BYTES);
  }

  private void arrived(Answer answer) {
    answersWaiting++;
    bytesWaiting += answer.bytes;
    account.waiting(answer.elements, answer.bytes);
    longest = Math.max(longest, answer.bytes / answer.elements);
  }

  private void askMore() {
    int expected = Math.max(longest, asking.longestToCome()) + 2 * MARGIN_BYTES;
    int pulls = Math.clamp(BUDGET_BYTES / expected, 1, most);
    // With fewer than usual, because entries are long, each may take what there is for all.
    int share = Math.min(BUDGET_BYTES / pulls, Math.max(answerBytes, expected));
    int reserved = Math.max(share, expected);
    int free = pulls - asking.underWay() - answersWaiting;
    int fitting = (BUDGET_BYTES - bytesWaiting - asking.bytesUnderWay()) / share;
    asking.askMore(
        Math.min(free, fitting),
        () ->
            buffer.reserve(reserved)
                ? new Share(access, wish, account, buffer, reserved, share, pulls == 1, elements)
                : null);
  }

  /** Lets the thread that waits look up. */
  void wake() {
    asking.wake();
  }

  @Override
  public void granted() {
    asking.wake();
  }

  /** What comes next, or null at the end or when it is not wanted any more. */
  @Nullable Event next(BooleanSupplier unwanted) {
    lock.lock();
    try {
      asking.restartWaiting();
      while (true) {
        Event event = peek();
        if (event != null || asking.over() || unwanted.getAsBoolean()) {
          return event == null ? null : take();
        }
        asking.await();
      }
    } finally {
      leave();
    }
  }

  /** The reader goes: from now on it is waited for. */
  private void leave() {
    buffer.read();
    lock.unlock();
  }

  /** What comes next, without waiting for it: it stays the next. */
  private @Nullable Event peek() {
    Event first = events.peek();
    if (first != null) {
      if (readsOn) {
        askMore();
      }
      return first;
    }
    do {
      askMore();
      // An answer may bring no element and a rest to ask for: nobody else would wake who waits.
    } while (collect() && events.isEmpty());
    return events.peek();
  }

  /** What has come already, without asking for anything: it stays the next. */
  @Nullable Event arrived() {
    lock.lock();
    try {
      if (events.isEmpty()) {
        collect();
      }
      return events.peek();
    } finally {
      leave();
    }
  }

  /** Takes the end of a segment, if that comes next. */
  @Nullable Ended takeEnd() {
    lock.lock();
    try {
      return arrived() instanceof Ended && take() instanceof Ended end ? end : null;
    } finally {
      leave();
    }
  }

  private Event take() {
    Event event = events.remove();
    reading = event instanceof Block block ? block : null;
    return event;
  }

  /** Whether all has been taken. */
  boolean over() {
    lock.lock();
    try {
      return events.isEmpty() && asking.over();
    } finally {
      leave();
    }
  }

  /** Reads the next element of a block. One that cannot be read stays the next. */
  <T> T read(Block block, Function<Input, T> read) {
    T element = block.read(read);
    if (block.left == 0) {
      lock.lock();
      try {
        used(block);
      } finally {
        leave();
      }
    }
    return element;
  }

  private void used(Block block) {
    reading = null;
    // Its reader may keep the block until it comes for the next one.
    block.bytes = Block.Bytes.NONE;
    Answer answer = block.answer;
    if (answer.dropped) {
      account.waiting(-block.count, -block.length);
      return;
    }
    answer.elements -= block.count;
    boolean last = --answer.blocks == 0;
    if (last) {
      answersWaiting--;
      bytesWaiting -= answer.bytes;
      readsOn |= answersWaiting == 0;
      answerBytes = Math.min(2 * answerBytes, usualAnswerBytes());
      buffer.release(answer.reservedBytes);
    }
    account.waiting(-block.count, last ? -answer.bytes : 0);
  }

  // ------------------------------------------------------------------ what others need

  /** Drops what has come and was not read, and calls off what was asked for. */
  @Override
  public boolean reclaim() {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      Set<Answer> answers = new HashSet<>();
      if (asking.underWay() > 0 || !events.isEmpty()) {
        asking.underWay(question -> release((Share) question));
        asking.restart(dropUnread(answers));
      }
      Block half = reading;
      if (half != null) {
        keep(half, answers);
      }
      answers.forEach(this::drop);
      answerBytes = Math.max(answerBytes / 2, Math.min(LEAST_ANSWER_BYTES, answerBytes));
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void release(Share share) {
    buffer.release(share.settle());
  }

  /**
   * Drops all blocks that were not begun; returns where to go on.
   *
   * @param answers to which the answers are added that nothing is left of
   */
  private Map<Integer, Cursor> dropUnread(Set<Answer> answers) {
    Map<Integer, Cursor> rest = asking.rest();
    List<Event> left = new ArrayList<>();
    Set<Integer> dropped = new HashSet<>();
    for (Event event : events) {
      switch (event) {
        case Block block when block.left < block.count -> {
          keep(block, answers);
          left.add(block);
        }
        case Block block -> {
          // Where what was told does not count, the rest begins before it: that stays so.
          rest.merge(block.segment, block.begin, Cursor::earlier);
          dropped.add(block.segment);
          answers.add(block.answer);
        }
        case Ended end when dropped.contains(end.segment) -> {}
        case Ended end -> left.add(end);
      }
    }
    events.clear();
    events.addAll(left);
    return rest;
  }

  /** Lets a block that was begun go on without the answer it came in. */
  private void keep(Block half, Set<Answer> answers) {
    if (!half.answer.dropped) {
      half.detach();
      answers.add(half.answer);
      account.waiting(half.count, half.length);
    }
  }

  private void drop(Answer answer) {
    answer.dropped = true;
    answersWaiting--;
    bytesWaiting -= answer.bytes;
    account.waiting(-answer.elements, -answer.bytes);
    buffer.release(answer.reservedBytes);
  }

  // ------------------------------------------------------------------ what comes

  /** Takes in what has come; whether an answer was among it. */
  private boolean collect() {
    boolean came = false;
    for (Asked one; (one = asking.ended()) != null; ) {
      came = true;
      int reserved = one.question() instanceof Share share ? share.settle() : 0;
      boolean keeps = false;
      try {
        Input in = one.told();
        keeps = in != null && accept(one, in, reserved);
      } finally {
        if (!keeps) {
          buffer.release(reserved);
        }
        asking.settle(one);
      }
    }
    for (Integer lost; (lost = asking.lost()) != null; ) {
      events.add(new Ended(lost, false));
    }
    return came;
  }

  /** Takes in what was told; whether there are elements among it. */
  private boolean accept(Asked one, Input in, int reserved) {
    Answer answer = new Answer(in.remaining(), reserved);
    longest /= 2;
    Cursor begin = null;
    for (long named = in.readVarint(); named != 0; named = in.readVarint()) {
      int segment = (int) named - 1;
      int count = in.readInt();
      int length = in.readInt();
      if (count > 0) {
        Cursor place = begin == null ? one.rest().getOrDefault(segment, Cursor.START) : begin;
        events.add(new Block(segment, place, answer, in, length, count));
        answer.blocks++;
        answer.elements += count;
      }
      in.skip(length);
      int outcome = in.readByte();
      if (outcome == Outcome.BLOCK_ENDS) {
        begin = Cursor.read(in);
        continue;
      }
      begin = null;
      if (one.ended(segment, outcome, in)) {
        events.add(new Ended(segment, true));
      }
    }
    one.brought(answer.elements);
    if (answer.blocks > 0) {
      arrived(answer);
    }
    return answer.blocks > 0;
  }

  /** Stops it; returns what has not been read. */
  Rest stop() {
    lock.lock();
    try {
      return stopped();
    } finally {
      lock.unlock();
    }
  }

  private Rest stopped() {
    List<Event> left = new ArrayList<>();
    Block half = reading;
    if (half != null && half.left > 0) {
      left.add(half);
    }
    left.addAll(events);
    Map<Integer, Cursor> cursors = asking.rest();
    asking.cancel();
    events.clear();
    reading = null;
    account.close();
    buffer.close();
    return new Rest(left, cursors);
  }
}
