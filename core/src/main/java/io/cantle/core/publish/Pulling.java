package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.transport.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
 * <p><b>Threading:</b> one thread at a time; {@link #wake} by any.
 */
final class Pulling {
  static final int PULLS = 4;
  static final int BUDGET_BYTES = 1 << 20;

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
    private final Answer answer;
    private final byte[] bytes;
    private final int end;
    private final int count;
    private int position;
    private int left;

    private Block(int segment, Answer answer, Input in, int length, int count) {
      this.segment = segment;
      this.answer = answer;
      this.bytes = in.array();
      this.position = in.position();
      this.end = position + length;
      this.count = count;
      this.left = count;
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
    private int elements;
    private int blocks;

    Answer(int bytes) {
      this.bytes = bytes;
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
    private final int bytes;
    private final boolean takesLong;
    private final int elements;
    private int elementsCame;
    private int bytesCame;
    private boolean came;
    private boolean settled;

    Share(
        Access access,
        Wish wish,
        ScanMeter.Account account,
        int bytes,
        boolean takesLong,
        int elements) {
      this.access = access;
      this.wish = wish;
      this.account = account;
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
          if (outcome == Outcome.MORE || outcome == Outcome.DIRTY || outcome == Outcome.LONG) {
            Cursor.read(in);
          }
        }
      } catch (MalformedException e) {
        // The thread of the scan says so when it reads the answer.
        return 0;
      }
      return all;
    }

    /** Hands over to whoever counts what came of it. */
    synchronized void settle() {
      settled = true;
      account.waiting(-elementsCame, -bytesCame);
      if (!came) {
        account.pulls(-1);
      }
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
  private final int most;
  private final int elements;
  private int answersWaiting;
  private int bytesWaiting;

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
    this.events = new ArrayDeque<>(rest.events());
    List<Answer> answers = new ArrayList<>();
    for (Event event : events) {
      if (event instanceof Block block && !answers.contains(block.answer)) {
        answers.add(block.answer);
      }
    }
    answers.forEach(this::arrived);
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
    int share = BUDGET_BYTES / pulls;
    int free = pulls - asking.underWay() - answersWaiting;
    int fitting = (BUDGET_BYTES - bytesWaiting - asking.bytesUnderWay()) / share;
    asking.askMore(
        Math.min(free, fitting),
        () -> new Share(access, wish, account, share, pulls == 1, elements));
  }

  /** Lets the thread that waits look up. */
  void wake() {
    asking.wake();
  }

  /** What comes next, or null at the end or when it is not wanted any more. */
  @Nullable Event next(BooleanSupplier unwanted) {
    asking.restartWaiting();
    while (true) {
      Event event = peek();
      if (event != null || asking.over() || unwanted.getAsBoolean()) {
        return event == null ? null : take();
      }
      asking.await();
    }
  }

  /** What comes next, without waiting for it: it stays the next. */
  @Nullable Event peek() {
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
    if (events.isEmpty()) {
      collect();
    }
    return events.peek();
  }

  /** Takes the next of what has come. */
  Event take() {
    Event event = events.remove();
    reading = event instanceof Block block ? block : null;
    return event;
  }

  /** Whether all has been taken. */
  boolean over() {
    return events.isEmpty() && asking.over();
  }

  /** Reads the next element of a block. One that cannot be read stays the next. */
  <T> T read(Block block, Function<Input, T> read) {
    Input in = new Input(block.bytes, block.position, block.end - block.position);
    T element = read.apply(in);
    block.position = in.position();
    block.left--;
    if (block.left == 0) {
      used(block);
    }
    return element;
  }

  private void used(Block block) {
    reading = null;
    Answer answer = block.answer;
    answer.elements -= block.count;
    boolean last = --answer.blocks == 0;
    if (last) {
      answersWaiting--;
      bytesWaiting -= answer.bytes;
      readsOn |= answersWaiting == 0;
    }
    account.waiting(-block.count, last ? -answer.bytes : 0);
  }

  /** Takes in what has come; whether an answer was among it. */
  private boolean collect() {
    boolean came = false;
    for (Asked one; (one = asking.ended()) != null; ) {
      came = true;
      if (one.question() instanceof Share share) {
        share.settle();
      }
      try {
        Input in = one.told();
        if (in != null) {
          accept(one, in);
        }
      } finally {
        asking.settle(one);
      }
    }
    for (Integer lost; (lost = asking.lost()) != null; ) {
      events.add(new Ended(lost, false));
    }
    return came;
  }

  private void accept(Asked one, Input in) {
    Answer answer = new Answer(in.remaining());
    longest /= 2;
    for (long named = in.readVarint(); named != 0; named = in.readVarint()) {
      int segment = (int) named - 1;
      int count = in.readInt();
      int length = in.readInt();
      if (count > 0) {
        events.add(new Block(segment, answer, in, length, count));
        answer.blocks++;
        answer.elements += count;
      }
      in.skip(length);
      if (one.ended(segment, in.readByte(), in)) {
        events.add(new Ended(segment, true));
      }
    }
    one.brought(answer.elements);
    if (answer.blocks > 0) {
      arrived(answer);
    }
  }

  /** Stops it; returns what has not been read. */
  Rest stop() {
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
    return new Rest(left, cursors);
  }
}
