package io.cantle.network;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Input;
import io.cantle.core.base.NonBlockingThread;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.RateLimitedLog;
import io.cantle.core.transport.Transport;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The transport on Netty: a connection for data and one for urgent messages to each other node.
 *
 * <p>Messages are handed up on the event loop that has read them, and small ones may be sent from
 * there, since no event loop waits for the network. Any other thread waits in {@link #send} while
 * much of what was sent to the same member has not left this node.
 *
 * <p>The members that are present are those with a connection. The id of a member is new for each
 * start. A connection that was lost may come back, and the layers above must not treat its member
 * as new.
 *
 * <p><b>Threading:</b> any thread; {@link #close} must not be called from within the receiver.
 */
public final class NettyTransport implements Transport {
  private static final System.Logger LOGGER = System.getLogger(NettyTransport.class.getName());

  /** The log for problems that strangers can cause. */
  private static final RateLimitedLog STRANGER_LOG = new RateLimitedLog(LOGGER, System::nanoTime);

  /** How long a sender waits for room that has set no limit. A silent peer is given up sooner. */
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The most that waits for one member, unless a share of the heap is less. */
  private static final long MAX_PENDING_BYTES = 64 << 20;

  private static final int PENDING_HEAP_DIVISOR = 32;

  /** How often a member tells another where members listen. */
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TransportSettings settings;
  private final Member self;

  /** Held while starting and closing. */
  private final ReentrantLock lifecycle = new ReentrantLock();

  /** Each call of the receiver holds a permit; closing takes them all. */
  private final Semaphore receiverPermits = new Semaphore(Integer.MAX_VALUE);

  @GuardedBy("lifecycle")
  private @Nullable EventLoops loops;

  private volatile @Nullable Network network;
  private volatile boolean closing;
  private volatile boolean closed;
  private volatile boolean aborted;

  /** Creates a transport that does nothing until {@link #start}. */
  public NettyTransport(TransportSettings settings) {
    this.settings = settings;
    UUID id = UUID.randomUUID();
    UUID node = settings.node();
    this.self = new Member(id, node == null ? id : node, settings.nodeName());
  }

  // ------------------------------------------------------------------ start and close

  /**
   * Connects, and returns once it was looked for other nodes. The receiver has been given the
   * members by then.
   *
   * @throws UncheckedIOException with a {@link BindException} if the ports of the settings are in
   *     use; choose others, or a wider range
   * @throws IllegalStateException if called twice or after {@link #close}
   */
  @Override
  public void start(Receiver receiver) {
    lifecycle.lock();
    try {
      if (closed || loops != null) {
        throw new IllegalStateException(
            "transport of node " + settings.nodeName() + " was started or closed before");
      }
      connect(receiver);
    } finally {
      lifecycle.unlock();
    }
  }

  @GuardedBy("lifecycle")
  private void connect(Receiver receiver) {
    if (closing) {
      throw new IllegalStateException(
          "transport of node " + settings.nodeName() + " is closed while it starts");
    }
    EventLoops opened = new EventLoops(settings.nodeName());
    loops = opened;
    Network created = new Network(receiver, opened);
    network = created;
    if (aborted) {
      created.connector.closeForcibly();
    }
    try {
      created.start();
    } catch (BindException e) {
      disconnect();
      BindException taken = new BindException(portsInUseMessage());
      taken.initCause(e);
      throw new UncheckedIOException(taken.getMessage(), taken);
    } catch (IOException e) {
      disconnect();
      throw new UncheckedIOException(
          "node " + settings.nodeName() + " cannot listen: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      disconnect();
      throw new IllegalStateException(
          "node " + settings.nodeName() + " was interrupted while it looked for others", e);
    }
  }

  private String portsInUseMessage() {
    String address = settings.bindAddress().getHostAddress();
    if (settings.portRange() == 0) {
      return ("port %s on %s is in use; choose another port, or allow more than one with"
              + " GridConfig.ports")
          .formatted(settings.port(), address);
    }
    int last = settings.port() + settings.portRange();
    return ("ports %s to %s on %s are all in use; choose another port, or allow more with"
            + " GridConfig.ports")
        .formatted(settings.port(), last, address);
  }

  /**
   * {@inheritDoc} Does nothing if it was closed before.
   *
   * @throws IllegalStateException if called from within the receiver
   */
  @Override
  public void close() {
    if (NonBlockingThread.isCurrent()) {
      throw new IllegalStateException(
          "transport of " + self.name() + " cannot be closed from within its receiver");
    }
    closing = true;
    Network starting = network;
    if (starting != null) {
      // A start waits no longer.
      starting.looked.countDown();
    }
    lifecycle.lock();
    try {
      if (!closed) {
        closed = true;
        receiverPermits.acquireUninterruptibly(Integer.MAX_VALUE);
        disconnect();
      }
    } finally {
      lifecycle.unlock();
    }
  }

  @GuardedBy("lifecycle")
  private void disconnect() {
    closed = true;
    Network stopping = network;
    if (stopping != null) {
      stopping.close();
    }
    EventLoops stoppingLoops = loops;
    if (stoppingLoops != null) {
      stoppingLoops.close();
    }
  }

  @Override
  public void abort() {
    aborted = true;
    Network stopping = network;
    if (stopping != null) {
      stopping.connector.closeForcibly();
      stopping.looked.countDown();
    }
  }

  private boolean isClosedOrAborted() {
    return closed || aborted;
  }

  // ------------------------------------------------------------------ what users ask

  @Override
  public Member self() {
    return self;
  }

  /** The port this node listens on; valid after {@link #start}. */
  public int port() {
    InetSocketAddress listening = started().connector.listening();
    if (listening == null) {
      throw new IllegalStateException("transport of " + self.name() + " is not started");
    }
    return listening.getPort();
  }

  private Network started() {
    Network current = network;
    if (current == null) {
      throw new IllegalStateException("transport of " + self.name() + " is not started");
    }
    return current;
  }

  @Override
  public String addressOf(Member member) {
    Network current = network;
    if (current == null) {
      return "";
    }
    if (member.equals(self)) {
      InetSocketAddress listening = current.connector.listening();
      return listening == null ? "" : text(settings.advertised(listening));
    }
    PeerLink link = current.table.find(member);
    return link == null ? "" : text(link.listening());
  }

  /** An address for people to read, as {@code host:port}. */
  static String text(InetSocketAddress address) {
    String shown = address.toString();
    return shown.substring(shown.indexOf('/') + 1);
  }

  @Override
  public void send(Member to, Output message) {
    send(to, message, MAX_WAIT_NANOS);
  }

  /**
   * Sends a message to another member. The output belongs to the transport from now on.
   *
   * @throws IllegalArgumentException if the message is longer than {@link #MAX_MESSAGE_BYTES} or is
   *     for this node itself
   * @throws IllegalStateException if called before {@link #start}
   */
  @Override
  public void send(Member to, Output message, long maxWaitNanos) {
    Network current = started();
    int length = message.position();
    if (length > MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          "message of " + length + " bytes for " + to + " exceeds " + MAX_MESSAGE_BYTES);
    }
    if (to.equals(self)) {
      throw new IllegalArgumentException(
          "message of " + self.name() + " is for itself; a transport sends only to other members");
    }
    PeerLink link = current.table.find(to);
    if (link != null && !isClosedOrAborted()) {
      link.send(message, maxWaitNanos);
    }
  }

  @Override
  public void sendUrgent(Member to, Output message) {
    PeerLink link = started().table.find(to);
    if (link != null && !isClosedOrAborted()) {
      link.sendUrgent(message);
    }
  }

  @Override
  public void setMembers(List<Member> members) {
    Network current = network;
    if (current != null) {
      current.control.execute(() -> current.table.setMembers(members));
    }
  }

  // ------------------------------------------------------------------ the parts, once started

  /** The parts of a transport that was started, and what they report. */
  private final class Network implements MessageHandler.FrameListener, PeerTable.PresenceListener {
    final Receiver receiver;
    final ControlThread control;
    final PeerTable table;
    final Connector connector;
    final PeerFinder finder;
    final CountDownLatch looked = new CountDownLatch(1);

    /** Whether the receiver is told of members; set on the control thread. */
    private boolean reporting;

    /** Whether a place has neither answered nor refused in time. */
    private volatile boolean hasWaited;

    private int told;

    Network(Receiver receiver, EventLoops loops) {
      this.receiver = receiver;
      this.control = new ControlThread(loops.dialing(), this::onThrown);
      this.table = new PeerTable(self, maxPendingBytes(), control, this);
      this.connector =
          new Connector(
              settings,
              self,
              loops,
              control,
              table,
              this,
              STRANGER_LOG,
              this::onThrown,
              FrameType.CODE_BYTES + MAX_MESSAGE_BYTES);
      this.finder =
          new PeerFinder(self, table, connector, System::nanoTime, settings::mayConnectTo);
    }

    void start() throws IOException, InterruptedException {
      connector.listen();
      control.execute(
          () -> {
            InetSocketAddress own = settings.advertised(connector.listening());
            finder.start(settings.places(own), own, this::beginReporting);
          });
      control.schedule(settings.joinTimeout().toNanos(), this::endWait);
      control.repeat(PeerFinder.CHECK_NANOS, this::check);
      control.repeat(TELL_NANOS, this::tell);
      looked.await();
      if (!closing && !aborted) {
        logProblems();
      }
    }

    /** Looks no longer for nodes that do not answer before it reports those that have. */
    private void endWait() {
      if (!reporting) {
        hasWaited = true;
        beginReporting();
      }
    }

    private void beginReporting() {
      if (!reporting) {
        reporting = true;
        onPresentChanged(table.present());
        looked.countDown();
      }
    }

    private void check() {
      if (!closed) {
        finder.check();
      }
    }

    /** Tells one member after another where members listen. */
    private void tell() {
      List<PeerLink> links = table.links();
      if (!links.isEmpty()) {
        told = (told + 1) % links.size();
        tell(links.get(told));
      }
    }

    private void tell(PeerLink link) {
      link.write(new Frame(FrameType.ADDRESSES, finder.known(link.member()).encode()));
    }

    /** Logs where no other node was found, and where this node has waited for one. */
    private void logProblems() {
      if (table.present().size() > 1) {
        return;
      }
      String silent = String.join("; ", finder.problems());
      if (!settings.seeds().isEmpty() && !silent.isEmpty()) {
        LOGGER.log(
            System.Logger.Level.WARNING,
            "{0} has found no other node of grid \"{1}\" at its seeds (GridConfig.seeds): {2}",
            self.name(),
            settings.gridName(),
            silent);
      } else if (hasWaited) {
        LOGGER.log(
            System.Logger.Level.INFO,
            "{0} has waited {1,number,#} ms for an answer, and none has come: {2}; with ports of"
                + " its own (GridConfig.ports) a node founds its grid at once",
            self.name(),
            settings.joinTimeout().toMillis(),
            silent);
      }
    }

    void close() {
      connector.sayFarewell(table.links());
      connector.close();
      looked.countDown();
    }

    @Override
    public void onMessage(PeerConnection connection, Input message) {
      if (isClosedOrAborted() || !receiverPermits.tryAcquire()) {
        return;
      }
      int length = message.remaining();
      Member from = connection.member();
      try {
        receiver.receive(from, message);
      } catch (OutOfMemoryError e) {
        receiver.onOutOfMemory(e);
      } catch (RuntimeException e) {
        // A failure on one message must not end the connection, and with it the messages after it.
        STRANGER_LOG.log(
            System.Logger.Level.ERROR,
            "receiver",
            () -> self + " failed on a message of " + length + " bytes from " + from,
            e);
      } finally {
        receiverPermits.release();
      }
    }

    @Override
    public void onAddresses(PeerConnection connection, AddressList addresses) {
      control.execute(() -> finder.onTold(connection.member(), addresses));
    }

    @Override
    public void onFarewell(PeerConnection connection) {
      control.execute(() -> table.onFarewell(connection));
    }

    @Override
    public void onClosed(PeerConnection connection) {
      control.execute(() -> table.onClosed(connection));
    }

    @Override
    public void onFailed(PeerConnection connection, Throwable cause) {
      if (!reportOutOfMemory(cause) && !(cause instanceof IOException)) {
        STRANGER_LOG.log(
            System.Logger.Level.WARNING,
            "frame",
            () -> "closed a connection of " + connection.member() + ", which has failed",
            cause);
      }
    }

    /** Something was thrown on a thread of the transport, in no connection that is open. */
    private void onThrown(Throwable thrown) {
      if (!reportOutOfMemory(thrown)
          && !(thrown instanceof IOException)
          && !(thrown instanceof DecoderException)) {
        LOGGER.log(System.Logger.Level.ERROR, self + ": the transport has failed", thrown);
      }
    }

    private boolean reportOutOfMemory(Throwable thrown) {
      for (Throwable one = thrown; one != null; one = one.getCause()) {
        if (one instanceof OutOfMemoryError e) {
          receiver.onOutOfMemory(e);
          return true;
        }
      }
      return false;
    }

    @Override
    public void onPresentChanged(List<Member> members) {
      if (!reporting || isClosedOrAborted() || !receiverPermits.tryAcquire()) {
        return;
      }
      try {
        receiver.onMembersChanged(members);
      } catch (OutOfMemoryError e) {
        receiver.onOutOfMemory(e);
      } catch (RuntimeException e) {
        LOGGER.log(
            System.Logger.Level.ERROR, "the receiver failed to handle the members " + members, e);
      } finally {
        receiverPermits.release();
      }
    }

    @Override
    public void onUp(PeerLink link) {
      if (!closed) {
        tell(link);
        finder.check();
      }
    }

    @Override
    public void onLost(PeerLink link) {
      if (!closed) {
        finder.onLost(link.listening());
      }
    }
  }

  private static long maxPendingBytes() {
    return Math.min(MAX_PENDING_BYTES, Runtime.getRuntime().maxMemory() / PENDING_HEAP_DIVISOR);
  }
}
