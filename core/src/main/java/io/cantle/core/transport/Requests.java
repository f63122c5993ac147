package io.cantle.core.transport;

import io.cantle.GridException;
import io.cantle.core.base.Clock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.base.World;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests and answers made of one-way messages. The envelope is a version byte, a kind byte, for
 * most kinds the grid it belongs to, in some grids a stamp (see {@link HybridClock}), and the
 * request's number (0: nobody waits). A message to this node itself takes the same way without the
 * network.
 *
 * <p><b>Threading:</b> any thread; handlers run on the transport's threads and must not wait.
 */
public final class Requests implements Transport.Receiver {
  static final int VERSION = 4;

  /** Where a message says what it is. */
  private static final int KIND_AT = 1;

  /** Added to the version of a message that tells the latest stamp its sender has seen. */
  private static final int STAMPED = 0x80;

  /** How many of those that have gone are remembered; messages about older ones are long over. */
  private static final int MAX_GONE = 10_000;

  /**
   * For how long an answer is waited for from one the transport does not show: it may be wrong, and
   * one that has a lease be left out for seconds.
   */
  static final long GONE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * After how long an ask counts as forgotten. Who waits for one sends it again before; who did not
   * wait, and comes back to it, finds it lost and asks anew.
   */
  static final long UNMISSED_NANOS = TimeUnit.SECONDS.toNanos(6);

  private static final System.Logger LOG = System.getLogger(Requests.class.getName());

  /** What is done with messages that are no answers. */
  public interface Handler {
    /** Handles one message; must not wait. */
    void handle(Kind kind, Member from, long request, Input body);

    /** The members have changed; must not wait. */
    void members(List<Member> members);

    /** Messages cannot be handled for want of memory. */
    default void outOfMemory(OutOfMemoryError error) {}
  }

  private final Transport transport;
  private final World world;
  private final Handler handler;
  private final HybridClock stamps;
  private final ConcurrentHashMap<Long, Waiting> waiting = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();
  private final Early early = new Early();
  private volatile Runnable sweeper = () -> {};
  private volatile long grid;
  private volatile boolean stamped;
  private volatile List<Member> members = List.of();
  private volatile Set<Member> gone = Set.of();
  private volatile @Nullable Member self;
  private volatile @Nullable String unheard;

  /** Requests over a transport that is not started yet. */
  public Requests(Transport transport, World world, Handler handler) {
    this.transport = transport;
    this.world = world;
    this.handler = handler;
    this.stamps = new HybridClock(world.clock());
  }

  /** Connects; from then on messages are handled. */
  public void start() {
    transport.start(this);
    self = transport.self();
    early.ready();
  }

  /** This node. */
  public Member self() {
    Member member = self;
    if (member == null) {
      throw new IllegalStateException("this node has not joined yet");
    }
    return member;
  }

  /**
   * Whether the transport has not called a member gone: a hint. One that was never heard of may be
   * on its way: a topology that names it can come before the view that does.
   */
  public boolean present(Member member) {
    return !gone.contains(member);
  }

  /** The clock that deadlines are readings of. */
  public Clock clock() {
    return world.clock();
  }

  @Override
  public void members(List<Member> present) {
    if (!early.keeps(() -> handleMembers(present))) {
      handleMembers(present);
    }
  }

  private void handleMembers(List<Member> present) {
    Set<Member> lost = new LinkedHashSet<>(gone);
    members.stream().filter(member -> !present.contains(member)).forEach(lost::add);
    if (lost.removeIf(present::contains)) {
      LOG.log(System.Logger.Level.DEBUG, "one that was called gone is back: {0}", present);
    }
    for (Iterator<Member> oldest = lost.iterator(); lost.size() > MAX_GONE; ) {
      oldest.next();
      oldest.remove();
    }
    gone = lost;
    members = List.copyOf(present);
    handler.members(present);
    wakeAll();
  }

  @Override
  public void receive(Member from, Input message) {
    try {
      if (!early.keeps(() -> handle(from, message))) {
        handle(from, message);
      }
    } catch (OutOfMemoryError e) {
      // Whatever the message was to change may be half changed, on whosever thread this is.
      outOfMemory(e);
      throw e;
    }
  }

  @Override
  public void outOfMemory(OutOfMemoryError error) {
    handler.outOfMemory(error);
  }

  /** Closes every socket at once. */
  public void abort() {
    transport.abort();
  }

  private void handle(Member from, Input message) {
    try {
      int version = message.readByte();
      if ((version & ~STAMPED) != VERSION) {
        ofAnotherVersion(from, version & ~STAMPED & 0xFF);
        return;
      }
      Kind kind = Kind.of(message.readByte());
      long its = kind.ofGrid() ? message.readLong() : 0;
      if ((version & STAMPED) != 0) {
        stamps.observe(message.readLong());
      }
      if (kind.ofGrid() && its != grid && isOfAnother(its, kind, from, message)) {
        return;
      }
      handle(kind, from, message);
    } catch (MalformedException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "dropped a message from " + from + " that cannot be read",
          e);
    }
  }

  /** Drops a message; its sender says so many that the log is told of the first one only. */
  private void ofAnotherVersion(Member from, int version) {
    String text = from + " speaks message version " + version + ", this node " + VERSION;
    if (!text.equals(unheard)) {
      unheard = text;
      LOG.log(System.Logger.Level.WARNING, "dropped messages: {0}", text);
    }
  }

  /**
   * Who sent the last message this node could not read because its sender is of another release,
   * and what both speak; null if all could be read.
   */
  public @Nullable String unheard() {
    return unheard;
  }

  /** Whether a message is of another grid; kept for later while this node is in none. */
  private boolean isOfAnother(long its, Kind kind, Member from, Input message) {
    return early.keepsForGrid(
            () -> grid == 0,
            () -> {
              if (its == grid) {
                handle(kind, from, message);
              }
            })
        || its != grid;
  }

  private void handle(Kind kind, Member from, Input message) {
    try {
      long request = message.readVarint();
      if (kind == Kind.ANSWER) {
        Waiting waiter = waiting.get(request);
        if (waiter != null) {
          waiter.answered(from, message);
        }
      } else {
        handler.handle(kind, from, request, message);
      }
    } catch (MalformedException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "dropped a message from " + from + " that cannot be read",
          e);
    }
  }

  /** What gives writes their stamps, in grids whose writes have some. */
  public HybridClock stamps() {
    return stamps;
  }

  /**
   * The grid this node is in; messages of others are dropped. Zero for none.
   *
   * @param writesAreStamped whether messages tell how late it is
   */
  public void grid(UUID id, boolean writesAreStamped) {
    stamped = writesAreStamped;
    grid = id.getMostSignificantBits() ^ id.getLeastSignificantBits();
  }

  /** Handles what came for this grid before this node was in it. */
  public void replay() {
    early.inGrid();
  }

  /** Begins a message to which nobody answers. */
  public Output message(Kind kind) {
    return message(kind, 0, 64);
  }

  /** Begins a message; the body is written behind what is there. */
  public Output message(Kind kind, long request, int bodyBytes) {
    Output out = new Output(bodyBytes + 28);
    boolean isStamped = stamped;
    out.writeByte(isStamped ? VERSION | STAMPED : VERSION);
    out.writeByte(kind.code());
    if (kind.ofGrid()) {
      out.writeLong(grid);
    }
    if (isStamped) {
      out.writeLong(stamps.latest());
    }
    out.writeVarint(request);
    return out;
  }

  /** Begins an answer. */
  public Output answer(long request, int bodyBytes) {
    return message(Kind.ANSWER, request, bodyBytes);
  }

  /** Sends from a thread that may wait for the network. */
  public void send(Member to, Output message) {
    if (to.equals(self)) {
      receive(to, message.toInput());
    } else {
      transport.send(to, message);
    }
  }

  /** Sends from a thread that may wait for the network, but not beyond a deadline. */
  public void send(Member to, Output message, long deadlineNanos) {
    if (to.equals(self)) {
      receive(to, message.toInput());
    } else {
      transport.send(to, message, Math.max(0, deadlineNanos - clock().nanoTime()));
    }
  }

  /** Sends from a thread that must not wait: a long message goes by way of another thread. */
  public void post(Member to, Output message) {
    if (message.position() <= Transport.SMALL_MESSAGE_BYTES || to.equals(self)) {
      if (Kind.of(message.array()[KIND_AT]).isUrgent() && !to.equals(self)) {
        transport.sendUrgent(to, message);
      } else {
        send(to, message);
      }
    } else {
      world.threads().execute(() -> transport.send(to, message));
    }
  }

  /**
   * Sends from a thread that holds a lock: by way of another thread, unless to this node itself.
   */
  public void postApart(Member to, Output message) {
    if (to.equals(self)) {
      send(to, message);
    } else {
      world.threads().execute(() -> transport.send(to, message));
    }
  }

  /** A number that nothing else has here. */
  public long number() {
    return numbers.incrementAndGet();
  }

  /** Makes a number for somebody who waits; {@link #forget} ends it. */
  public long register(Waiting waiter) {
    long number = number();
    waiting.put(number, waiter);
    return number;
  }

  /** Answers to this number are dropped from now on. */
  public void forget(long number) {
    waiting.remove(number);
  }

  /** Tells everybody who waits to look again. */
  public void wakeAll() {
    waiting.values().forEach(Waiting::wake);
  }

  /**
   * Sends a request and waits for its one answer.
   *
   * @return the answer, or null when the member is gone or the deadline has passed
   */
  public @Nullable Input call(Member to, Kind kind, Consumer<Output> body, long deadlineNanos) {
    return call(to, kind, body, deadlineNanos, () -> false);
  }

  /**
   * Sends a request and waits for its one answer, as long as that makes sense.
   *
   * @param vain whether an answer is not worth waiting for any more; asked when everybody who waits
   *     is told to look again
   * @return the answer, or null when the member is gone, the deadline has passed, or it is in vain
   */
  public @Nullable Input call(
      Member to, Kind kind, Consumer<Output> body, long deadlineNanos, BooleanSupplier vain) {
    Call call = new Call(to, Thread.currentThread());
    long began = clock().nanoTime();
    long number = register(call);
    try {
      Output message = message(kind, number, 256);
      body.accept(message);
      send(to, message, deadlineNanos);
      while (call.answer == null) {
        long now = clock().nanoTime();
        long left =
            (present(to) ? deadlineNanos : earlier(began + GONE_NANOS, deadlineNanos)) - now;
        if (left <= 0 || vain.getAsBoolean()) {
          break;
        }
        clock().parkNanos(this, left);
        stopWhenInterrupted();
      }
      return call.answer;
    } finally {
      forget(number);
    }
  }

  private static long earlier(long one, long other) {
    return one - other < 0 ? one : other;
  }

  /**
   * Sends a request and returns at once; the signal is raised when its answer has come, or cannot
   * come any more.
   *
   * @param arrived is told of the answer before that; must not wait
   */
  public Ask ask(
      Member to,
      Kind kind,
      int bodyBytes,
      Consumer<Output> body,
      Consumer<Input> arrived,
      Signal signal) {
    long number = number();
    Ask ask = new Ask(this, number, to, arrived, signal);
    waiting.put(number, ask);
    Output message = message(kind, number, bodyBytes);
    body.accept(message);
    send(to, message);
    ask.sent();
    if (!present(to)) {
      // It went before the ask was registered: nobody else will say so.
      ask.wake();
    }
    return ask;
  }

  /** Sends a request that is under way once more: it, or its answer, may have been lost. */
  public void again(Ask ask, Kind kind, int bodyBytes, Consumer<Output> body) {
    Output message = message(kind, ask.number(), bodyBytes);
    body.accept(message);
    send(ask.to(), message);
    ask.sent();
  }

  /**
   * Drops asks that nobody misses: those of iterators that were forgotten and whose answer was
   * lost, and what else there is to drop. To be called now and then.
   */
  public void sweep() {
    sweeper.run();
    long now = clock().nanoTime();
    for (Waiting waiter : waiting.values()) {
      if (waiter instanceof Ask ask) {
        ask.endIfUnmissed(now);
      }
    }
  }

  /** What else is to be done with each {@link #sweep}; must not wait. */
  public void whenSwept(Runnable more) {
    sweeper = more;
  }

  /** How many requests wait for their answer. */
  public int waiting() {
    return waiting.size();
  }

  /** Called by whoever waits in a loop: an interrupted thread gives up its call. */
  public static void stopWhenInterrupted() {
    if (Thread.currentThread().isInterrupted()) {
      throw new GridException("the calling thread was interrupted while it waited");
    }
  }

  /** Leaves the network. */
  public void close() {
    transport.close();
  }

  private static final class Call implements Waiting {
    private final Member to;
    private final Thread thread;
    private volatile @Nullable Input answer;

    Call(Member to, Thread thread) {
      this.to = to;
      this.thread = thread;
    }

    @Override
    public void answered(Member from, Input body) {
      if (from.equals(to)) {
        answer = body;
        LockSupport.unpark(thread);
      }
    }

    @Override
    public void wake() {
      LockSupport.unpark(thread);
    }
  }
}
