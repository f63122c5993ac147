package io.cantle.core.transport;

import io.cantle.GridException;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Environment;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests and matches responses to them, on top of the one-way messages of a transport. The
 * envelope of a message is a version byte (see {@link PeerVersions}), a kind byte, the grid it
 * belongs to (for most kinds), a timestamp (in some grids, see {@link HybridLogicalClock}), and the
 * request number, which is 0 if no response is expected. A message of this node to itself takes the
 * same path without the network.
 *
 * <p>A request to one member ends with its response, when its member has been gone for {@link
 * #GONE_GRACE_NANOS}, or when it is abandoned. A thread waits for one of them ({@link
 * BlockingCall}) or has several under way ({@link PendingRequest}). Requests to several members,
 * and those whose responses come from another member, register a {@link ResponseHandler}.
 *
 * <p><b>Threading:</b> any thread; handlers run on the transport's threads and must not wait.
 */
public final class MessagingService implements Transport.Receiver {
  /** The position of the kind byte in a message. */
  private static final int KIND_AT = 1;

  /**
   * Added to the version byte of a message that carries the latest timestamp its sender has seen.
   */
  private static final int STAMPED_FLAG = 0x80;

  /** The most departed members that are remembered. Messages about earlier ones ended long ago. */
  private static final int MAX_GONE_MEMBERS = 10_000;

  /**
   * How long a request waits for a member that the transport no longer lists. The transport may be
   * wrong, and may omit a member that holds a lease for seconds.
   */
  static final long GONE_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * The time after which a request counts as abandoned. A caller that waits sends it again sooner.
   * A caller that did not wait finds it abandoned when it returns, and sends a new one.
   */
  static final long ABANDONED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(6);

  private static final System.Logger LOG = System.getLogger(MessagingService.class.getName());

  /** Handles messages that are not responses. */
  public interface Handler {
    /** Handles one message; must not wait. */
    void handle(MessageKind kind, Member from, long request, Input body);

    /** Called when the members have changed; must not wait. */
    void onMembersChanged(List<Member> members);

    /** Called when messages cannot be handled because memory has run out. */
    default void onOutOfMemory(OutOfMemoryError error) {}
  }

  private final Transport transport;
  private final Member self;
  private final Environment environment;

  /** A peer may send any number of them. */
  private final RateLimitedLog undecodable;

  private final Handler handler;
  private final PeerVersions versions;
  private final HybridLogicalClock stampClock;
  private final ConcurrentHashMap<Long, ResponseHandler> handlers = new ConcurrentHashMap<>();
  private final AtomicLong requestNumbers = new AtomicLong();
  private final EarlyMessageBuffer earlyMessages = new EarlyMessageBuffer();
  private volatile Runnable sweepAction = () -> {};
  private volatile long gridTag;
  private volatile boolean stampsMessages;
  private volatile List<Member> members = List.of();
  private volatile Set<Member> listedMembers = Set.of();
  private volatile Set<Member> goneMembers = Set.of();
  private volatile @Nullable String incompatiblePeer;

  /** Creates the service over a transport that has not been started. */
  public MessagingService(Transport transport, Environment environment, Handler handler) {
    this(
        transport,
        environment,
        handler,
        new PeerVersions(PeerVersions.LOWEST, PeerVersions.HIGHEST));
  }

  /** Creates the service of a node that speaks these versions. */
  MessagingService(
      Transport transport, Environment environment, Handler handler, PeerVersions versions) {
    this.versions = versions;
    this.transport = transport;
    this.self = transport.self();
    this.environment = environment;
    this.undecodable = new RateLimitedLog(LOG, environment.clock()::nanoTime);
    this.handler = handler;
    this.stampClock = new HybridLogicalClock(environment.clock());
  }

  /** Connects; from then on messages are handled. */
  public void start() {
    transport.start(this);
    earlyMessages.onReady();
  }

  /** This node. */
  public Member self() {
    return self;
  }

  /**
   * A hint: false if the transport has reported that a member is gone. A member never seen counts
   * as present, because a topology that names it can arrive before the view that does.
   */
  public boolean isPresent(Member member) {
    return !goneMembers.contains(member);
  }

  /**
   * A hint: whether the transport lists a member now, so that a message to it may arrive. Always
   * true for this node.
   */
  public boolean isListed(Member member) {
    return listedMembers.contains(member) || member.equals(self());
  }

  /** The members that the transport lists, including this node; empty before it has started. */
  public List<Member> present() {
    return members;
  }

  /** Where a member listens, as {@code host:port}; empty if that is not known. */
  public String addressOf(Member member) {
    return transport.addressOf(member);
  }

  /** The clock whose readings the deadlines are. */
  public Clock clock() {
    return environment.clock();
  }

  @Override
  public void onMembersChanged(List<Member> present) {
    if (!earlyMessages.bufferViewUntilReady(() -> applyMembers(present))) {
      applyMembers(present);
    }
  }

  private void applyMembers(List<Member> present) {
    Set<Member> listed = Set.copyOf(present);
    LinkedHashSet<Member> newlyGone = new LinkedHashSet<>(goneMembers);
    members.stream().filter(member -> !listed.contains(member)).forEach(newlyGone::add);
    if (newlyGone.removeAll(listed)) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "a member that was reported gone is back; present now: {0}",
          present);
    }
    while (newlyGone.size() > MAX_GONE_MEMBERS) {
      newlyGone.removeFirst();
    }
    goneMembers = newlyGone;
    members = List.copyOf(present);
    listedMembers = listed;
    versions.retain(listed);
    handler.onMembersChanged(present);
    wakeAll();
  }

  @Override
  public void receive(Member from, Input message) {
    try {
      // A message keeps the whole array in memory that it is a part of.
      if (!earlyMessages.bufferUntilReady(
          message.array().length, () -> decodeAndDispatch(from, message))) {
        decodeAndDispatch(from, message);
      }
    } catch (OutOfMemoryError e) {
      // Some state may be half changed by now, on whatever thread this is.
      onOutOfMemory(e);
      throw e;
    }
  }

  @Override
  public void onOutOfMemory(OutOfMemoryError error) {
    handler.onOutOfMemory(error);
  }

  /** Closes every socket at once. */
  public void abort() {
    transport.abort();
  }

  private void decodeAndDispatch(Member from, Input message) {
    try {
      int first = message.readByte();
      int version = PeerVersions.versionOf(first);
      versions.onHeard(from, first);
      if (!versions.speaks(version)) {
        dropOtherVersion(from, first, message.readByte());
        return;
      }
      message.setVersion(version);
      MessageKind kind = MessageKind.of(message.readByte());
      long messageGrid = kind.isGridScoped() ? message.readLong() : 0;
      if ((first & STAMPED_FLAG) != 0) {
        stampClock.observe(message.readLong());
      }
      if (kind.isGridScoped()
          && messageGrid != gridTag
          && isForOtherGrid(messageGrid, kind, from, message)) {
        return;
      }
      dispatch(kind, from, message);
    } catch (MalformedException e) {
      logUndecodable(from, e);
    }
  }

  private void logUndecodable(Member from, MalformedException problem) {
    undecodable.log(
        System.Logger.Level.WARNING,
        "message",
        () -> "dropped a message from " + from + " that cannot be decoded",
        problem);
  }

  /**
   * Drops a message that this node cannot read. If its sender does not know yet that both speak a
   * higher version, an empty response that answers nothing tells it.
   */
  private void dropOtherVersion(Member from, int first, int kindCode) {
    if (versions.sharesVersion(first)) {
      if (kindCode != MessageKind.RESPONSE.code()) {
        post(from, newResponse(from, 0, 0));
      }
      return;
    }
    String text = versions.describe(from, first);
    incompatiblePeer = text;
    undecodable.warn("version", () -> "dropped a message: " + text);
  }

  /**
   * Describes the sender of the last message that was dropped because of its version, and both
   * versions. Null if all messages could be read.
   */
  public @Nullable String incompatiblePeer() {
    return incompatiblePeer;
  }

  /**
   * Whether a message is of another grid. While this node is in no grid, it is buffered, or dropped
   * if there is no space.
   */
  private boolean isForOtherGrid(long messageGrid, MessageKind kind, Member from, Input message) {
    return earlyMessages.bufferUntilInGrid(
            () -> gridTag == 0,
            message.array().length,
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
        ResponseHandler responseHandler = handlers.get(request);
        if (responseHandler != null) {
          responseHandler.onResponse(from, message);
        }
      } else {
        handler.handle(kind, from, request, message);
      }
    } catch (MalformedException e) {
      logUndecodable(from, e);
    }
  }

  /** The clock that timestamps writes, in grids whose writes carry timestamps. */
  public HybridLogicalClock stampClock() {
    return stampClock;
  }

  /**
   * Sets the grid of this node. Messages of other grids are dropped from now on.
   *
   * @param writesAreStamped whether messages carry the latest timestamp seen
   * @param gridMembers the members of the grid
   */
  public void enterGrid(UUID id, boolean writesAreStamped, List<Member> gridMembers) {
    transport.setMembers(gridMembers);
    stampsMessages = writesAreStamped;
    gridTag = id.getMostSignificantBits() ^ id.getLeastSignificantBits();
  }

  /** Tells the present grid from others, for {@link #post(long, Member, Message)}. */
  public long gridTag() {
    return gridTag;
  }

  /** Handles messages that arrived for this grid before this node joined it. */
  public void replayEarly() {
    earlyMessages.onGridJoined();
  }

  /** Begins a message that expects no response. */
  public Output newMessage(Member to, MessageKind kind) {
    return newMessage(to, gridTag, kind, 0, 64);
  }

  private Output newMessage(Member to, long tag, MessageKind kind, long request, int bodyBytes) {
    int version =
        kind.carriesTopology() ? versions.commonVersion(to, members) : versions.versionFor(to);
    Output out = new Output(bodyBytes + 28, version);
    boolean isStamped = stampsMessages;
    out.writeByte(versions.firstByte(version) | (isStamped ? STAMPED_FLAG : 0));
    out.writeByte(kind.code());
    if (kind.isGridScoped()) {
      out.writeLong(tag);
    }
    if (isStamped) {
      out.writeLong(stampClock.latest());
    }
    out.writeVarint(request);
    return out;
  }

  /** Begins a response. */
  public Output newResponse(Member to, long request, int bodyBytes) {
    return newMessage(to, gridTag, MessageKind.RESPONSE, request, bodyBytes);
  }

  /** Encodes a message that expects no response. The caller may append to a list at its end. */
  public Output encode(Member to, Message message) {
    return encode(to, 0, message);
  }

  /** Encodes a request, or the response to one. */
  public Output encode(Member to, long request, Message message) {
    return encode(to, gridTag, request, message);
  }

  private Output encode(Member to, long tag, long request, Message message) {
    Output out = newMessage(to, tag, message.kind(), request, message.expectedBytes());
    message.write(out);
    return out;
  }

  /**
   * Sends a request of a registered number, from a thread that may wait for the network until a
   * deadline.
   */
  public void send(Member to, long request, Message message, long deadlineNanos) {
    send(to, encode(to, request, message), deadlineNanos);
  }

  /** Sends a message that expects no response, as {@link #send(Member, Output)} does. */
  public void send(Member to, Message message) {
    send(to, encode(to, message));
  }

  /** Sends a message that expects no response, as {@link #post(Member, Output)} does. */
  public void post(Member to, Message message) {
    post(to, encode(to, message));
  }

  /**
   * Sends a message about a grid that this node was in when it began the work, and may have left
   * since. Members of another grid drop it.
   *
   * @param tag the {@link #gridTag} of that time
   */
  public void post(long tag, Member to, Message message) {
    post(to, encode(to, tag, 0, message));
  }

  /**
   * Sends the response to a request. Never waits, whatever the thread: the answers to other members
   * may stand behind it. The requests in flight bound what is sent beyond the room that there is.
   */
  public void respond(Member to, long request, Response response) {
    Output message = encode(to, request, response);
    if (to.equals(self) || message.position() > Transport.SMALL_MESSAGE_BYTES) {
      post(to, message);
    } else {
      transport.send(to, message, 0);
    }
  }

  /** Sends a message that expects no response, as {@link #postAsync(Member, Output)} does. */
  public void postAsync(Member to, Message message) {
    postAsync(to, encode(to, message));
  }

  /** Sends from a thread that may wait for the network. */
  public void send(Member to, Output message) {
    if (to.equals(self)) {
      receive(to, message.toInput());
    } else {
      transport.send(to, message);
    }
  }

  void send(Member to, Output message, long deadlineNanos) {
    if (to.equals(self)) {
      receive(to, message.toInput());
    } else {
      transport.send(to, message, Math.max(0, deadlineNanos - clock().nanoTime()));
    }
  }

  /** Sends from a thread that must not wait. A long message is sent by another thread. */
  public void post(Member to, Output message) {
    if (message.position() <= Transport.SMALL_MESSAGE_BYTES || to.equals(self)) {
      if (isUrgent(message) && !to.equals(self)) {
        transport.sendUrgent(to, message);
      } else {
        send(to, message);
      }
    } else {
      environment.threads().execute(() -> transport.send(to, message));
    }
  }

  private static boolean isUrgent(Output message) {
    return MessageKind.of(message.array()[KIND_AT]).isUrgent();
  }

  /**
   * Sends from a thread that holds a lock: by another thread, unless it is urgent or to this node
   * itself.
   */
  public void postAsync(Member to, Output message) {
    if (to.equals(self) || isUrgent(message)) {
      post(to, message);
    } else {
      environment.threads().execute(() -> transport.send(to, message));
    }
  }

  /** Returns a new request number, unique on this node. */
  public long nextRequestNumber() {
    return requestNumbers.incrementAndGet();
  }

  /** Registers a handler for responses under a new request number; {@link #unregister} ends it. */
  public long register(ResponseHandler responseHandler) {
    long number = nextRequestNumber();
    register(number, responseHandler);
    return number;
  }

  /** Registers a handler for responses under a request number; {@link #unregister} ends it. */
  public void register(long number, ResponseHandler responseHandler) {
    handlers.put(number, responseHandler);
  }

  /** Drops all further responses to a request number; returns whether this is the first time. */
  public boolean unregister(long number) {
    return handlers.remove(number) != null;
  }

  /** Has every waiting handler check its condition again. */
  public void wakeAll() {
    handlers.values().forEach(ResponseHandler::wake);
  }

  /**
   * Sends a request and waits for its only response, decoded, as long as waiting makes sense.
   *
   * @param isPointless whether the response is no longer needed; checked whenever the waiting
   *     threads are woken
   * @param decoder decodes the response on the thread that receives it; one that is malformed is
   *     logged and dropped
   * @return the response, or null if the member is gone, the deadline has passed, or waiting became
   *     pointless
   */
  public <T> @Nullable T call(
      Member to,
      Message request,
      long deadlineNanos,
      BooleanSupplier isPointless,
      Function<Input, T> decoder) {
    BlockingCall<T> call = new BlockingCall<>(this, to, decoder);
    long number = register(call);
    try {
      send(to, encode(to, number, request), deadlineNanos);
      return call.await(deadlineNanos, isPointless);
    } finally {
      unregister(number);
    }
  }

  /**
   * Sends a request and returns at once. The signal is raised when the response has arrived, or can
   * no longer arrive.
   *
   * @param onArrival receives the response before the signal is raised; must not wait
   */
  public PendingRequest startRequest(
      Member to, Message request, Consumer<Input> onArrival, Signal signal) {
    long number = nextRequestNumber();
    PendingRequest pending = new PendingRequest(this, number, to, onArrival, signal);
    register(number, pending);
    send(to, encode(to, number, request));
    pending.markSent();
    if (!isPresent(to)) {
      // The member left before the request was registered, so no later event would report it.
      pending.wake();
    }
    return pending;
  }

  /** Sends a pending request again, because it or its response may have been lost. */
  public void resend(PendingRequest pending, Message request) {
    send(pending.member(), encode(pending.member(), pending.number(), request));
    pending.markSent();
  }

  /**
   * Drops abandoned requests, such as that of an iterator that was dropped and whose response was
   * lost. Also runs the action of {@link #onSweep}. To be called periodically.
   */
  public void sweepAbandoned() {
    sweepAction.run();
    long now = clock().nanoTime();
    for (ResponseHandler responseHandler : handlers.values()) {
      if (responseHandler instanceof PendingRequest pending) {
        pending.expireIfAbandoned(now);
      }
    }
  }

  /** Sets an action to run with each {@link #sweepAbandoned}; it must not wait. */
  public void onSweep(Runnable more) {
    sweepAction = more;
  }

  /** The number of requests that wait for a response. */
  public int pendingCount() {
    return handlers.size();
  }

  /**
   * Ends the call of an interrupted thread. To be called by every loop that waits.
   *
   * @param awaited names what it waits for, and says whether trying again is safe
   * @throws GridException if the calling thread is interrupted
   */
  public static void checkInterrupted(Supplier<String> awaited) {
    if (Thread.currentThread().isInterrupted()) {
      throw new GridException(
          "the calling thread was interrupted while it waited for " + awaited.get());
    }
  }

  /** Leaves the network. */
  public void close() {
    transport.close();
  }
}
