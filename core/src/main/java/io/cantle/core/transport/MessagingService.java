package io.cantle.core.transport;

import io.cantle.GridException;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Environment;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
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
 * most kinds the grid it belongs to, in some grids a stamp (see {@link HybridLogicalClock}), and
 * the request's number (0: nobody waits). A message to this node itself takes the same way without
 * the network.
 *
 * <p><b>Threading:</b> any thread; handlers run on the transport's threads and must not wait.
 */
public final class MessagingService implements Transport.Receiver {
  static final int VERSION = 4;

  /** Where a message says what it is. */
  private static final int KIND_AT = 1;

  /** Added to the version of a message that tells the latest stamp its sender has seen. */
  private static final int STAMPED_FLAG = 0x80;

  /** How many of those that have gone are remembered; messages about older ones are long over. */
  private static final int MAX_GONE_MEMBERS = 10_000;

  /**
   * For how long an answer is waited for from one the transport does not show: it may be wrong, and
   * one that has a lease be left out for seconds.
   */
  static final long GONE_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * After how long an ask counts as forgotten. Who waits for one sends it again before; who did not
   * wait, and comes back to it, finds it lost and asks anew.
   */
  static final long ABANDONED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(6);

  private static final System.Logger LOG = System.getLogger(MessagingService.class.getName());

  /** What is done with messages that are no answers. */
  public interface Handler {
    /** Handles one message; must not wait. */
    void handle(MessageKind kind, Member from, long request, Input body);

    /** The members have changed; must not wait. */
    void onMembersChanged(List<Member> members);

    /** Messages cannot be handled for want of memory. */
    default void outOfMemory(OutOfMemoryError error) {}
  }

  private final Transport transport;
  private final Environment environment;
  private final Handler handler;
  private final HybridLogicalClock stampClock;
  private final ConcurrentHashMap<Long, ResponseHandler> handlers = new ConcurrentHashMap<>();
  private final AtomicLong requestNumbers = new AtomicLong();
  private final EarlyMessageBuffer earlyMessages = new EarlyMessageBuffer();
  private volatile Runnable sweeper = () -> {};
  private volatile long gridTag;
  private volatile boolean stampsMessages;
  private volatile List<Member> members = List.of();
  private volatile Set<Member> goneMembers = Set.of();
  private volatile @Nullable Member self;
  private volatile @Nullable String incompatiblePeer;

  /** Requests over a transport that is not started yet. */
  public MessagingService(Transport transport, Environment environment, Handler handler) {
    this.transport = transport;
    this.environment = environment;
    this.handler = handler;
    this.stampClock = new HybridLogicalClock(environment.clock());
  }

  /** Connects; from then on messages are handled. */
  public void start() {
    transport.start(this);
    self = transport.self();
    earlyMessages.onReady();
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
  public boolean isPresent(Member member) {
    return !goneMembers.contains(member);
  }

  /** The clock that deadlines are readings of. */
  public Clock clock() {
    return environment.clock();
  }

  @Override
  public void onMembersChanged(List<Member> present) {
    if (!earlyMessages.bufferUntilReady(() -> applyMembers(present))) {
      applyMembers(present);
    }
  }

  private void applyMembers(List<Member> present) {
    Set<Member> newlyGone = new LinkedHashSet<>(goneMembers);
    members.stream().filter(member -> !present.contains(member)).forEach(newlyGone::add);
    if (newlyGone.removeIf(present::contains)) {
      LOG.log(System.Logger.Level.DEBUG, "one that was called gone is back: {0}", present);
    }
    for (Iterator<Member> oldest = newlyGone.iterator(); newlyGone.size() > MAX_GONE_MEMBERS; ) {
      oldest.next();
      oldest.remove();
    }
    goneMembers = newlyGone;
    members = List.copyOf(present);
    handler.onMembersChanged(present);
    wakeAll();
  }

  @Override
  public void receive(Member from, Input message) {
    try {
      if (!earlyMessages.bufferUntilReady(() -> decodeAndDispatch(from, message))) {
        decodeAndDispatch(from, message);
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

  private void decodeAndDispatch(Member from, Input message) {
    try {
      int version = message.readByte();
      if ((version & ~STAMPED_FLAG) != VERSION) {
        dropOtherVersion(from, version & ~STAMPED_FLAG & 0xFF);
        return;
      }
      MessageKind kind = MessageKind.of(message.readByte());
      long messageGrid = kind.isGridScoped() ? message.readLong() : 0;
      if ((version & STAMPED_FLAG) != 0) {
        stampClock.observe(message.readLong());
      }
      if (kind.isGridScoped()
          && messageGrid != gridTag
          && isForOtherGrid(messageGrid, kind, from, message)) {
        return;
      }
      dispatch(kind, from, message);
    } catch (MalformedException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "dropped a message from " + from + " that cannot be read",
          e);
    }
  }

  /** Drops a message; its sender says so many that the log is told of the first one only. */
  private void dropOtherVersion(Member from, int version) {
    String text = from + " speaks message version " + version + ", this node " + VERSION;
    if (!text.equals(incompatiblePeer)) {
      incompatiblePeer = text;
      LOG.log(System.Logger.Level.WARNING, "dropped messages: {0}", text);
    }
  }

  /**
   * Who sent the last message this node could not read because its sender is of another release,
   * and what both speak; null if all could be read.
   */
  public @Nullable String incompatiblePeer() {
    return incompatiblePeer;
  }

  /** Whether a message is of another grid; kept for later while this node is in none. */
  private boolean isForOtherGrid(long messageGrid, MessageKind kind, Member from, Input message) {
    return earlyMessages.bufferUntilInGrid(
            () -> gridTag == 0,
            () -> {
              if (messageGrid == gridTag) {
                dispatch(kind, from, message);
              }
            })
        || messageGrid != gridTag;
  }

  private void dispatch(MessageKind kind, Member from, Input message) {
    try {
      long request = message.readVarint();
      if (kind == MessageKind.RESPONSE) {
        ResponseHandler waiter = handlers.get(request);
        if (waiter != null) {
          waiter.onResponse(from, message);
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
  public HybridLogicalClock stampClock() {
    return stampClock;
  }

  /**
   * The grid this node is in; messages of others are dropped. Zero for none.
   *
   * @param writesAreStamped whether messages tell how late it is
   */
  public void enterGrid(UUID id, boolean writesAreStamped) {
    stampsMessages = writesAreStamped;
    gridTag = id.getMostSignificantBits() ^ id.getLeastSignificantBits();
  }

  /** Handles what came for this grid before this node was in it. */
  public void replayEarly() {
    earlyMessages.onGridJoined();
  }

  /** Begins a message to which nobody answers. */
  public Output newMessage(MessageKind kind) {
    return newMessage(kind, 0, 64);
  }

  /** Begins a message; the body is written behind what is there. */
  public Output newMessage(MessageKind kind, long request, int bodyBytes) {
    Output out = new Output(bodyBytes + 28);
    boolean isStamped = stampsMessages;
    out.writeByte(isStamped ? VERSION | STAMPED_FLAG : VERSION);
    out.writeByte(kind.code());
    if (kind.isGridScoped()) {
      out.writeLong(gridTag);
    }
    if (isStamped) {
      out.writeLong(stampClock.latest());
    }
    out.writeVarint(request);
    return out;
  }

  /** Begins an answer. */
  public Output newResponse(long request, int bodyBytes) {
    return newMessage(MessageKind.RESPONSE, request, bodyBytes);
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
      if (MessageKind.of(message.array()[KIND_AT]).isUrgent() && !to.equals(self)) {
        transport.sendUrgent(to, message);
      } else {
        send(to, message);
      }
    } else {
      environment.threads().execute(() -> transport.send(to, message));
    }
  }

  /**
   * Sends from a thread that holds a lock: by way of another thread, unless to this node itself.
   */
  public void postAsync(Member to, Output message) {
    if (to.equals(self)) {
      send(to, message);
    } else {
      environment.threads().execute(() -> transport.send(to, message));
    }
  }

  /** A number that nothing else has here. */
  public long nextRequestNumber() {
    return requestNumbers.incrementAndGet();
  }

  /** Makes a number for somebody who waits; {@link #unregister} ends it. */
  public long register(ResponseHandler waiter) {
    long number = nextRequestNumber();
    handlers.put(number, waiter);
    return number;
  }

  /** Answers to this number are dropped from now on. */
  public void unregister(long number) {
    handlers.remove(number);
  }

  /** Tells everybody who waits to look again. */
  public void wakeAll() {
    handlers.values().forEach(ResponseHandler::wake);
  }

  /**
   * Sends a request and waits for its one answer.
   *
   * @return the answer, or null when the member is gone or the deadline has passed
   */
  public @Nullable Input call(
      Member to, MessageKind kind, Consumer<Output> body, long deadlineNanos) {
    return call(to, kind, body, deadlineNanos, () -> false);
  }

  /**
   * Sends a request and waits for its one answer, as long as that makes sense.
   *
   * @param isPointless whether an answer is not worth waiting for any more; asked when everybody
   *     who waits is told to look again
   * @return the answer, or null when the member is gone, the deadline has passed, or it is in vain
   */
  public @Nullable Input call(
      Member to,
      MessageKind kind,
      Consumer<Output> body,
      long deadlineNanos,
      BooleanSupplier isPointless) {
    BlockingCall call = new BlockingCall(to, Thread.currentThread());
    long startNanos = clock().nanoTime();
    long number = register(call);
    try {
      Output message = newMessage(kind, number, 256);
      body.accept(message);
      send(to, message, deadlineNanos);
      while (call.answer == null) {
        long now = clock().nanoTime();
        long left =
            (isPresent(to) ? deadlineNanos : earlier(startNanos + GONE_GRACE_NANOS, deadlineNanos))
                - now;
        if (left <= 0 || isPointless.getAsBoolean()) {
          break;
        }
        clock().parkNanos(this, left);
        checkInterrupted();
      }
      return call.answer;
    } finally {
      unregister(number);
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
  public PendingRequest startRequest(
      Member to,
      MessageKind kind,
      int bodyBytes,
      Consumer<Output> body,
      Consumer<Input> arrived,
      Signal signal) {
    long number = nextRequestNumber();
    PendingRequest ask = new PendingRequest(this, number, to, arrived, signal);
    handlers.put(number, ask);
    Output message = newMessage(kind, number, bodyBytes);
    body.accept(message);
    send(to, message);
    ask.markSent();
    if (!isPresent(to)) {
      // It went before the ask was registered: nobody else will say so.
      ask.wake();
    }
    return ask;
  }

  /** Sends a request that is under way once more: it, or its answer, may have been lost. */
  public void resend(PendingRequest ask, MessageKind kind, int bodyBytes, Consumer<Output> body) {
    Output message = newMessage(kind, ask.number(), bodyBytes);
    body.accept(message);
    send(ask.member(), message);
    ask.markSent();
  }

  /**
   * Drops asks that nobody misses: those of iterators that were forgotten and whose answer was
   * lost, and what else there is to drop. To be called now and then.
   */
  public void sweepAbandoned() {
    sweeper.run();
    long now = clock().nanoTime();
    for (ResponseHandler waiter : handlers.values()) {
      if (waiter instanceof PendingRequest ask) {
        ask.expireIfAbandoned(now);
      }
    }
  }

  /** What else is to be done with each {@link #sweepAbandoned}; must not wait. */
  public void whenSwept(Runnable more) {
    sweeper = more;
  }

  /** How many requests wait for their answer. */
  public int pendingCount() {
    return handlers.size();
  }

  /** Called by whoever waits in a loop: an interrupted thread gives up its call. */
  public static void checkInterrupted() {
    if (Thread.currentThread().isInterrupted()) {
      throw new GridException("the calling thread was interrupted while it waited");
    }
  }

  /** Leaves the network. */
  public void close() {
    transport.close();
  }

  private static final class BlockingCall implements ResponseHandler {
    private final Member member;
    private final Thread thread;
    private volatile @Nullable Input answer;

    BlockingCall(Member member, Thread thread) {
      this.member = member;
      this.thread = thread;
    }

    @Override
    public void onResponse(Member from, Input body) {
      if (from.equals(member)) {
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
