package io.cantle.jgroups;

import io.cantle.core.transport.RateLimitedLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jgroups.util.DefaultSocketFactory;

/**
 * Creates the sockets that JGroups asks for. Only its TCP protocol asks for plain sockets in
 * Cantle's stack. They do not block when written to, and are accepted through a {@link
 * ConnectionGate}. A connection accepted while the channel closes would have no owner, so closing
 * this provider closes whatever is still open.
 *
 * <p>Each admitted connection costs a thread. Connections of members are not limited here.
 * Connections of other nodes, which may be about to join, are limited to {@link #MAX_NEWCOMERS}. Of
 * these, at most {@link #MAX_SILENT_NEWCOMERS} may have sent no whole frame yet, or none for {@link
 * #SILENCE_NANOS}. Beyond that, the one that has been silent longest is closed first.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ChannelSocketProvider extends DefaultSocketFactory implements AutoCloseable {
  static final int MAX_NEWCOMERS = 16;
  static final int MAX_SILENT_NEWCOMERS = 12;
  static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ConnectionOpening opening;
  private final Predicate<InetSocketAddress> isKnown;
  private final RateLimitedLog log;
  private final Consumer<OutOfMemoryError> outOfMemory;

  /** The listening sockets that are not closed. */
  final Set<ConnectionGate> servers = ConcurrentHashMap.newKeySet();

  private final Set<ChannelSocket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Creates the sockets of a grid.
   *
   * @param isKnown whether a node that is or was a member, or may be one, listens at an address
   * @param outOfMemory called by a thread of these sockets that runs out of memory
   */
  ChannelSocketProvider(
      String gridName,
      Predicate<InetSocketAddress> isKnown,
      RateLimitedLog log,
      Consumer<OutOfMemoryError> outOfMemory) {
    this.outOfMemory = outOfMemory;
    this.opening = new ConnectionOpening(gridName);
    this.isKnown = isKnown;
    this.log = log;
  }

  @Override
  public Socket createSocket(String service) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      return track(
          new ChannelSocket(channel, opening, null, ByteBuffer.allocate(0), this::isNewcomer));
    } catch (IOException e) {
      // A node that is short of descriptors must not lose one more.
      channel.close();
      throw e;
    }
  }

  @Override
  public ServerSocket createServerSocket(String service) throws IOException {
    ConnectionGate server = new ConnectionGate(opening, this, log);
    servers.add(server);
    return server;
  }

  /** Notes that a listening socket is closed, or could not be bound and is given up. */
  void forget(ConnectionGate server) {
    servers.remove(server);
  }

  void onOutOfMemory(OutOfMemoryError error) {
    outOfMemory.accept(error);
  }

  /**
   * Closes all sockets, listening ones first: a peer that loses its connection by this cannot
   * connect again. None can be opened afterwards.
   */
  void abort() throws IOException {
    closed = true;
    for (ConnectionGate server : servers) {
      server.close();
    }
    close();
  }

  /**
   * Takes over a connection that the gate has admitted.
   *
   * @throws SocketException if there are too many such connections; this one is still open
   */
  ChannelSocket adopt(SocketChannel channel, ConnectionOpening.OpeningReader reader)
      throws IOException {
    makeRoomFor(reader.listeningAddress());
    return track(
        new ChannelSocket(
            channel, null, reader.listeningAddress(), reader.forJGroups(), this::isNewcomer));
  }

  private void makeRoomFor(InetSocketAddress place) throws IOException {
    if (!isKnown.test(place) && closeSilent(MAX_SILENT_NEWCOMERS - 1) >= MAX_NEWCOMERS) {
      log.warn(
          "newcomers",
          () ->
              ("%s connections are of nodes that are not members, which is the limit; the one of %s"
                      + " is closed")
                  .formatted(MAX_NEWCOMERS, place));
      throw new SocketException("too many connections of nodes that are not members");
    }
  }

  /** Notes that a whole frame of the node that listens at this address has arrived. */
  void noteFrame(InetSocketAddress place) {
    for (ChannelSocket socket : open) {
      if (place.equals(socket.listeningAddress())) {
        socket.noteFrame();
      }
    }
  }

  /**
   * Closes silent connections of nodes that are not members but for {@code most} of them, and
   * returns how many newcomers are left. Called periodically by the gate.
   */
  int closeSilent(int most) throws IOException {
    long now = System.nanoTime();
    open.removeIf(ChannelSocket::isClosed);
    List<ChannelSocket> newcomers = open.stream().filter(this::isNewcomer).toList();
    List<ChannelSocket> silent =
        newcomers.stream()
            .filter(socket -> !socket.hasReceived() || socket.silentNanos(now) >= SILENCE_NANOS)
            .sorted(Comparator.comparingLong(socket -> -socket.silentNanos(now)))
            .toList();
    int tooMany = Math.max(0, silent.size() - most);
    for (ChannelSocket socket : silent.subList(0, tooMany)) {
      socket.close();
      log.warn(
          "silent",
          () ->
              "%s connections of nodes that are not members are silent; the one of %s is closed"
                  .formatted(silent.size(), socket.listeningAddress()));
    }
    return newcomers.size() - tooMany;
  }

  private boolean isNewcomer(ChannelSocket socket) {
    InetSocketAddress place = socket.listeningAddress();
    return place != null && !isKnown.test(place);
  }

  private ChannelSocket track(ChannelSocket socket) throws IOException {
    open.removeIf(ChannelSocket::isClosed);
    open.add(socket);
    if (closed) {
      socket.close();
    }
    return socket;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    for (ChannelSocket socket : open) {
      socket.close();
    }
    open.clear();
  }
}
