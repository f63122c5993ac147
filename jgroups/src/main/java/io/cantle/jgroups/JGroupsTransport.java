package io.cantle.jgroups;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Input;
import io.cantle.core.base.NonBlockingThread;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.RateLimitedLog;
import io.cantle.core.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.MessageBatch;
import org.jspecify.annotations.Nullable;

/**
 * The transport on a JGroups channel: ordinary unicast messages over TCP on the loopback interface.
 *
 * <p>Small messages may be sent from within {@link Transport.Receiver#receive}, since no thread of
 * the transport waits for the network. Any other thread waits in {@link #send} while much of what
 * was sent to the same member is still in flight.
 *
 * <p>A member's id is new for each start. The id and the member's name are part of the JGroups
 * address, so a node that sees an address knows the member. Views are passed on unchanged. When
 * parts of a grid that had lost contact merge again, members return with the ids they had, and the
 * layers above must not treat them as new.
 *
 * <p><b>Threading:</b> any thread; {@link #close} must not be called from within the receiver.
 */
public final class JGroupsTransport implements Transport {
  private static final System.Logger LOGGER = System.getLogger(JGroupsTransport.class.getName());

  /** The logger of JGroups. It is kept, because an unreferenced logger loses its level. */
  private static final Logger JGROUPS_LOGGER = Logger.getLogger("org.jgroups");

  /** The log for problems that strangers can cause. */
  private static final RateLimitedLog STRANGER_LOG = new RateLimitedLog(LOGGER, System::nanoTime);

  private final JGroupsSettings settings;
  private final Member self;
  private final BackpressureTcp tcp;
  private final MemberDirectory directory = new MemberDirectory();
  private final ConcurrentHashMap<Member, SendWindow> windows = new ConcurrentHashMap<>();

  /** Held while starting and closing. */
  private final ReentrantLock lifecycle = new ReentrantLock();

  /** Each call of the receiver holds a permit; closing takes them all. */
  private final Semaphore receiverPermits = new Semaphore(Integer.MAX_VALUE);

  private volatile @Nullable JChannel channel;
  private volatile boolean closed;
  private volatile boolean aborted;
  private volatile int port = -1;

  @GuardedBy("lifecycle")
  private @Nullable MembershipNotifier notifier;

  /** Creates a transport that does nothing until {@link #start}. */
  public JGroupsTransport(JGroupsSettings settings) {
    this.settings = settings;
    this.tcp = JGroupsLog.createLogged(() -> new BackpressureTcp(settings, STRANGER_LOG));
    UUID id = UUID.randomUUID();
    UUID node = settings.node();
    this.self = new Member(id, node == null ? id : node, settings.nodeName());
  }

  /**
   * Connects, and returns once this node is a member. The receiver has been given the members by
   * then.
   *
   * @throws UncheckedIOException with a {@link BindException} if the ports of the settings are in
   *     use; choose others, or a wider range
   * @throws IllegalStateException if called twice or after {@link #close}, or if JGroups fails
   */
  @Override
  public void start(Receiver receiver) {
    lifecycle.lock();
    try {
      if (closed || notifier != null) {
        throw new IllegalStateException(
            "transport of node " + settings.nodeName() + " was started or closed before");
      }
      limitJGroupsLogLevel();
      connect(receiver);
    } finally {
      lifecycle.unlock();
    }
  }

  private static synchronized void limitJGroupsLogLevel() {
    if (JGROUPS_LOGGER.getLevel() == null) {
      JGROUPS_LOGGER.setLevel(Level.WARNING);
    }
  }

  @GuardedBy("lifecycle")
  private void connect(Receiver receiver) {
    MembershipNotifier newNotifier = new MembershipNotifier(receiver, settings.nodeName());
    notifier = newNotifier;
    try {
      JChannel opened = JGroupsLog.createLogged(this::newChannel);
      opened.setName(settings.nodeName());
      opened.addAddressGenerator(() -> MemberAddress.of(self));
      tcp.setOutOfMemoryHandler(receiver::onOutOfMemory);
      opened.setReceiver(new ChannelReceiver(receiver, newNotifier));
      channel = opened;
      opened.connect(settings.gridName());
      port = tcp.listeningPort();
      logSilentSeeds(opened);
      newNotifier.awaitFirst();
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      disconnect();
      throw toStartFailure(e);
    }
    LOGGER.log(
        System.Logger.Level.DEBUG,
        "{0} joined grid {1} at {2}:{3,number,#}",
        self.name(),
        settings.gridName(),
        settings.bindAddress().getHostAddress(),
        port);
  }

  /**
   * Logs where no other node was found: a warning of the seeds of the settings, and at the ports of
   * the range what listens there, since this node has waited for it.
   */
  private void logSilentSeeds(JChannel opened) {
    SeedDiscovery discovery = opened.getProtocolStack().findProtocol(SeedDiscovery.class);
    if (opened.getView().size() > 1 || discovery == null) {
      return;
    }
    if (settings.seeds().isEmpty()) {
      List<String> foreign = discovery.silentListeners();
      if (!foreign.isEmpty()) {
        LOGGER.log(
            System.Logger.Level.INFO,
            "{0} has waited {1,number,#} ms for an answer from {2}: what listens there is no node of grid"
                + " \"{3}\", but for instance one of another grid; with ports of its own"
                + " (GridConfig.ports) a grid is founded at once",
            self.name(),
            settings.joinTimeout().toMillis(),
            String.join(", ", foreign),
            settings.gridName());
      }
      return;
    }
    List<String> silent = discovery.describeSilentSeeds();
    if (!silent.isEmpty()) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "{0} has found no other node of grid \"{1}\" at its seeds (GridConfig.seeds): {2}",
          self.name(),
          settings.gridName(),
          String.join("; ", silent));
    }
  }

  private JChannel newChannel() {
    try {
      return new JChannel(ProtocolStack.protocols(settings, tcp));
    } catch (Exception e) {
      throw new IllegalStateException("JGroups rejects the protocol stack of Cantle", e);
    }
  }

  private RuntimeException toStartFailure(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        BindException taken = new BindException(portsInUseMessage());
        taken.initCause(failure);
        return new UncheckedIOException(taken.getMessage(), taken);
      }
    }
    if (failure.getCause() instanceof IOException e) {
      return new UncheckedIOException("node " + settings.nodeName() + " cannot listen", e);
    }
    return new IllegalStateException(
        "node " + settings.nodeName() + " cannot join grid " + settings.gridName(), failure);
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

  @Override
  public Member self() {
    return self;
  }

  /** The port this node listens on; valid after {@link #start}. */
  public int port() {
    if (port < 0) {
      throw new IllegalStateException("transport of " + self.name() + " is not started");
    }
    return port;
  }

  @Override
  public String addressOf(Member member) {
    if (member.equals(self)) {
      return port < 0
          ? ""
          : SeedDiscovery.text(new InetSocketAddress(settings.bindAddress(), port));
    }
    IpAddress place = MemberAddress.listeningAddressOf(directory.addressOf(member));
    return place == null
        ? ""
        : SeedDiscovery.text(new InetSocketAddress(place.getIpAddress(), place.getPort()));
  }

  @Override
  public void send(Member to, Output message, long mostNanos) {
    BackpressureTcp.runWithMaxWait(mostNanos, () -> send(to, message));
  }

  /**
   * Sends a message to another member. The output belongs to the transport from now on.
   *
   * @throws IllegalArgumentException if the message is longer than {@link #MAX_MESSAGE_BYTES} or is
   *     for this node itself
   * @throws IllegalStateException if called before {@link #start}
   */
  @Override
  public void send(Member to, Output message) {
    JChannel open = channel;
    if (open == null) {
      throw new IllegalStateException("transport of " + self.name() + " is not started");
    }
    int length = message.position();
    if (length > MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          "message of " + length + " bytes for " + to + " exceeds " + MAX_MESSAGE_BYTES);
    }
    if (to.equals(self)) {
      throw new IllegalArgumentException(
          "message of " + self.name() + " is for itself; a transport sends only to other members");
    }
    Address address = directory.addressOf(to);
    if (address == null || isClosedOrAborted()) {
      return;
    }
    Message outgoing = new BytesMessage(address).setArray(message.array(), 0, length);
    if (length <= SMALL_MESSAGE_BYTES || NonBlockingThread.isCurrent()) {
      send(open, outgoing, to);
      return;
    }
    SendWindow window = windows.computeIfAbsent(to, _ -> new SendWindow());
    int entered = window.enter(length, BackpressureTcp.maxSendWaitNanos());
    try {
      // Those that waited for a member that has left would each try to connect to it again.
      if (directory.addressOf(to) != null && !isClosedOrAborted()) {
        send(open, outgoing, to);
      }
    } finally {
      window.leave(entered);
    }
  }

  /**
   * Sends a message ahead of others. It has no position in the order of messages: UNICAST3 neither
   * delays it until earlier ones have arrived nor retransmits it.
   */
  @Override
  public void sendUrgent(Member to, Output message) {
    JChannel open = channel;
    Address address = directory.addressOf(to);
    if (open != null && address != null && !isClosedOrAborted()) {
      Message urgent = new BytesMessage(address).setArray(message.array(), 0, message.position());
      urgent.setFlag(Message.Flag.NO_RELIABILITY);
      BackpressureTcp.runWithMaxWait(0, () -> send(open, urgent, to));
    }
  }

  private void send(JChannel open, Message message, Member to) {
    try {
      open.send(message);
    } catch (Exception e) {
      // A channel refuses a message only when it is no longer connected. The message is lost then,
      // like one to a member that has left.
      if (!isClosedOrAborted()) {
        throw new IllegalStateException(
            "message from " + self + " to " + to + " was refused by JGroups", e);
      }
    }
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

  private boolean isClosedOrAborted() {
    return closed || aborted;
  }

  @Override
  public void abort() {
    aborted = true;
    try {
      tcp.abort();
    } catch (IOException e) {
      throw new UncheckedIOException("a connection could not be closed", e);
    }
  }

  @GuardedBy("lifecycle")
  private void disconnect() {
    closed = true;
    MembershipNotifier stopping = notifier;
    if (stopping != null) {
      stopping.close();
    }
    JChannel open = channel;
    if (open != null) {
      open.close();
      try {
        tcp.closeSockets();
      } catch (IOException e) {
        throw new UncheckedIOException("a connection could not be closed", e);
      }
    }
  }

  /** Receives the calls of JGroups, on threads of JGroups. */
  private final class ChannelReceiver implements org.jgroups.Receiver {
    private final Receiver receiver;
    private final MembershipNotifier courier;

    ChannelReceiver(Receiver receiver, MembershipNotifier courier) {
      this.receiver = receiver;
      this.courier = courier;
    }

    @Override
    public void receive(MessageBatch batch) {
      for (Message message : batch) {
        receive(message);
      }
    }

    @Override
    public void receive(Message message) {
      if (isClosedOrAborted() || !receiverPermits.tryAcquire()) {
        return;
      }
      Member from = directory.memberOf(message.getSrc());
      try {
        Input input =
            message.hasArray()
                ? new Input(message.getArray(), message.getOffset(), message.getLength())
                : new Input(new byte[0]);
        receiver.receive(from, input);
      } catch (OutOfMemoryError e) {
        // JGroups would log the error and continue.
        receiver.onOutOfMemory(e);
      } catch (RuntimeException e) {
        // A failure on one message must not lose the messages after it in the batch.
        STRANGER_LOG.log(
            System.Logger.Level.ERROR,
            "receiver",
            () -> self + " failed on a message of " + message.getLength() + " bytes from " + from,
            e);
      } finally {
        receiverPermits.release();
      }
    }

    @Override
    public void viewAccepted(View view) {
      List<Address> addresses = view.getMembers();
      List<Member> returned = directory.install(addresses);
      List<Member> members = MemberDirectory.members(addresses);
      windows.keySet().retainAll(members);
      if (!returned.isEmpty()) {
        LOGGER.log(System.Logger.Level.DEBUG, "{0}: {1} are visible again", self, returned);
      } else if (view instanceof MergeView) {
        LOGGER.log(
            System.Logger.Level.DEBUG,
            "{0}: groups of nodes that had started separately have merged: {1}",
            self,
            members);
      }
      courier.deliver(members);
    }
  }
}
