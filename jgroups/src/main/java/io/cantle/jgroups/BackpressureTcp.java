package io.cantle.jgroups;

import io.cantle.core.base.MalformedException;
import io.cantle.core.base.NonBlockingThread;
import io.cantle.core.transport.RateLimitedLog;
import java.io.DataInput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.protocols.TCP;
import org.jgroups.stack.DiagnosticsHandler;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The TCP protocol of the stack, on {@link ChannelSocket}s whose frames a {@link FrameDecoder}
 * reads. An application thread that has written more than the peer reads waits here before it
 * returns. It waits here and not in the socket, because JGroups holds the lock of a connection
 * while it writes, but no lock here. It waits only for members of the view, whose connections are
 * closed when they leave the view.
 *
 * <p>A member whose last connection ends without a closing message is suspected at once, since the
 * kernel closes the connections of a process that dies. This needs neither a second port nor a
 * protocol of its own.
 *
 * <p>The listening address of a member is read from its {@link MemberAddress}.
 *
 * <p><b>Threading:</b> any thread.
 */
final class BackpressureTcp extends TCP {
  /** The socket that the current thread has just overfilled; usually null. */
  private static final ThreadLocal<@Nullable ChannelSocket> CONGESTED = new ThreadLocal<>();

  /** Set on the reader thread of a connection that the peer has ended. */
  private static final ThreadLocal<@Nullable Boolean> ENDED_BY_PEER = new ThreadLocal<>();

  /** How long the current thread may wait for room in nanoseconds. */
  private static final ThreadLocal<Long> MAX_SEND_WAIT_NANOS =
      ThreadLocal.withInitial(() -> Long.MAX_VALUE);

  /** The listening addresses of the peers of connections made before this node was in a view. */
  private final Set<Address> reachedAddresses = ConcurrentHashMap.newKeySet();

  /** Why no connection could be made to an address; recorded only until this node is in a view. */
  private final Map<Address, String> connectFailures = new ConcurrentHashMap<>();

  /**
   * The listening addresses of the members of the view. Set before the connections to others are
   * closed. A connection to an address not in here may have been made after that, and then nothing
   * would ever close it.
   */
  private volatile Set<Address> memberAddresses = Set.of();

  /** The listening addresses of seeds, and of nodes that are or were members of the view. */
  private final RecentAddresses known = new RecentAddresses();

  private final int wantedPort;
  private final RateLimitedLog limitedLog;
  private final ChannelSocketProvider sockets;
  private volatile Consumer<OutOfMemoryError> outOfMemory = error -> {};

  /** Decodes the frames of the connection that the current thread reads. */
  private final ThreadLocal<FrameDecoder> decoders;

  BackpressureTcp(JGroupsSettings settings, RateLimitedLog limitedLog) {
    this.wantedPort = settings.port();
    this.limitedLog = limitedLog;
    HeaderReader headers = new HeaderReader(settings.gridName());
    this.decoders = ThreadLocal.withInitial(() -> new FrameDecoder(headers));
    known.add(SeedDiscovery.seeds(settings).stream().map(IpAddress::new).toList());
    setPortRange(settings.portRange());
    // JGroups checks the port long before it binds, and takes 0, any free port, for a mistake.
    setBindPort(Math.max(wantedPort, 1));
    sockets =
        new ChannelSocketProvider(
            settings.gridName(), this::isKnown, limitedLog, this::onOutOfMemory);
    setSocketFactory(sockets);
  }

  /** Sets the handler to call when a thread of the transport runs out of memory. */
  void setOutOfMemoryHandler(Consumer<OutOfMemoryError> told) {
    outOfMemory = told;
  }

  /** Reports that a thread of the transport ran out of memory. */
  void onOutOfMemory(OutOfMemoryError error) {
    outOfMemory.accept(error);
  }

  /** Closes all connections, and those that are yet to be made. */
  void closeSockets() throws IOException {
    sockets.close();
  }

  /** Closes every socket. */
  void abort() throws IOException {
    sockets.abort();
  }

  /** Records that the current thread has filled a socket beyond its soft limit. */
  static void markCongested(ChannelSocket socket) {
    if (!NonBlockingThread.isCurrent()) {
      CONGESTED.set(socket);
    }
  }

  /** Records that the peer ended the connection that the current thread reads. */
  static void markEndedByPeer() {
    ENDED_BY_PEER.set(true);
  }

  /** Runs an action that sends, and waits at most {@code mostNanos} for room. */
  static void runWithMaxWait(long mostNanos, Runnable sending) {
    MAX_SEND_WAIT_NANOS.set(mostNanos);
    try {
      sending.run();
    } finally {
      MAX_SEND_WAIT_NANOS.remove();
    }
  }

  /** How long the current thread may wait for room, see {@link #runWithMaxWait}. */
  static long maxSendWaitNanos() {
    return MAX_SEND_WAIT_NANOS.get();
  }

  /** The port this node listens on; valid once started. */
  int listeningPort() {
    return ((IpAddress) listeningAddress()).getPort();
  }

  /** The address this node listens at; valid once started. */
  Address listeningAddress() {
    return srv.localAddress();
  }

  private boolean isKnown(InetSocketAddress place) {
    return known.contains(new IpAddress(place));
  }

  /** Whether there is a connection to the node that listens at this address. */
  boolean isConnectedTo(Address place) {
    return srv.connectionEstablishedTo(place);
  }

  /**
   * Whether there was ever a connection to this address; recorded only until this node is in a
   * view.
   */
  boolean hasReached(Address place) {
    return reachedAddresses.contains(place);
  }

  /** Why the last attempt to send to this address failed; null if none has, see there. */
  @Nullable String connectFailure(Address place) {
    return connectFailures.get(place);
  }

  @Override
  public void connectionEstablished(Connection connection) {
    if (view == null) {
      reachedAddresses.add(connection.peerAddress());
    }
    super.connectionEstablished(connection);
  }

  /**
   * Suspects the peer if the peer ended the connection without a closing message and there is no
   * other connection. If there are two, one of them is always closed.
   */
  @Override
  public void connectionClosed(Connection connection) {
    if (ENDED_BY_PEER.get() != null && !srv.connectionEstablishedTo(connection.peerAddress())) {
      super.connectionClosed(connection);
    }
  }

  @Override
  public void start() throws Exception {
    setBindPort(wantedPort);
    super.start();
    MemberAddress.addListeningAddress(getAddress(), (IpAddress) srv.localAddress());
  }

  @Override
  public @Nullable Object down(Event event) {
    if (event.getType() == Event.VIEW_CHANGE) {
      View view = event.getArg();
      Set<Address> next = new HashSet<>();
      for (Address member : view) {
        next.add(getPhysicalAddressFromCache(member));
      }
      memberAddresses = next;
      known.add(next);
    }
    return super.down(event);
  }

  @Override
  public @Nullable PhysicalAddress getPhysicalAddressFromCache(Address member) {
    PhysicalAddress known = super.getPhysicalAddressFromCache(member);
    if (known == null) {
      known = MemberAddress.listeningAddressOf(member);
      if (known != null) {
        addPhysicalAddressToCache(member, known);
      }
    }
    return known;
  }

  @Override
  public void send(Address to, byte[] data, int offset, int length) throws Exception {
    try {
      super.send(to, data, offset, length);
    } catch (IOException e) {
      if (view == null) {
        connectFailures.put(to, String.valueOf(e.getMessage()));
      }
      throw e;
    }
    ChannelSocket congested = CONGESTED.get();
    if (congested != null) {
      CONGESTED.remove();
      if (memberAddresses.contains(to)) {
        congested.awaitRoom(maxSendWaitNanos());
      }
    }
  }

  /**
   * Reads a whole frame and passes up the message in it. A frame that is not a message of this grid
   * ends the connection. So does an error, since the start of the next frame is then unknown.
   */
  @Override
  public void receive(Address place, DataInput in, int length) throws Exception {
    Message message;
    try {
      if (length < FrameDecoder.MIN_FRAME_BYTES || length > FrameDecoder.MAX_FRAME_BYTES) {
        throw new MalformedException("a frame of " + length + " bytes");
      }
      byte[] frame = new byte[length];
      in.readFully(frame);
      message = decoders.get().decode(frame, place);
    } catch (MalformedException e) {
      limitedLog.warn(
          "frame", () -> "a connection of " + place + " sent " + e.getMessage() + "; it is closed");
      // JGroups treats this as the normal end of a connection.
      throw new SocketException("Socket closed");
    }
    if (!memberAddresses.contains(place)) {
      noteFrame(place);
      if (!place.equals(MemberAddress.listeningAddressOf(message.getSrc()))) {
        return; // Only members send on behalf of others.
      }
    }
    if (!unicastDestMismatch(message.getDest())) {
      msg_processing_policy.process(message, message.isFlagSet(Message.Flag.OOB));
    }
  }

  private void noteFrame(Address place) {
    if (place instanceof IpAddress listening) {
      sockets.noteFrame(new InetSocketAddress(listening.getIpAddress(), listening.getPort()));
    }
  }

  /** Disables the diagnostics port, which answers any process that asks. */
  @Override
  public DiagnosticsHandler createDiagnosticsHandler() {
    return super.createDiagnosticsHandler().setEnabled(false);
  }
}
