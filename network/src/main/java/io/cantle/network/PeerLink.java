package io.cantle.network;

import io.cantle.core.base.NonBlockingThread;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.RateLimitedLog;
import io.cantle.core.transport.Transport;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one member. Two nodes that open connections to each other at once have two of
 * one lane. Both are read, and both nodes send on the one that the member with the lower id has
 * opened.
 *
 * <p><b>Threading:</b> messages are sent by any thread; connections are added and removed by the
 * thread of {@link PeerTable}.
 */
final class PeerLink {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(System.getLogger(PeerLink.class.getName()), System::nanoTime);

  private final Member self;
  private final Member member;
  private final LongSupplier maxPendingBytes;
  private final SendWindow window = new SendWindow();
  private final List<PeerConnection> connections = new ArrayList<>();

  private volatile @Nullable PeerConnection data;
  private volatile @Nullable PeerConnection urgent;
  private volatile InetSocketAddress listening;

  /** Whether the member has told where others listen. */
  private boolean hasTold;

  /** Whether messages could be sent at some time. */
  private boolean wasUp;

  /** How often the last connection for data was lost. */
  private int lossCount;

  /**
   * Creates a link without connections.
   *
   * @param listening where the member listens
   * @param maxPendingBytes how much may wait for the member before it is given up
   */
  PeerLink(Member self, Member member, InetSocketAddress listening, LongSupplier maxPendingBytes) {
    this.self = self;
    this.member = member;
    this.listening = listening;
    this.maxPendingBytes = maxPendingBytes;
  }

  Member member() {
    return member;
  }

  /** Where the member can be reached. */
  InetSocketAddress listening() {
    return listening;
  }

  // ------------------------------------------------------------------ connections

  void add(PeerConnection connection) {
    connections.add(connection);
    listening = connection.listening();
    choose();
  }

  void remove(PeerConnection connection) {
    connections.remove(connection);
    choose();
  }

  private void choose() {
    data = best(Lane.DATA);
    urgent = best(Lane.URGENT);
    wasUp |= data != null;
  }

  private @Nullable PeerConnection best(Lane lane) {
    PeerConnection best = null;
    for (PeerConnection one : connections) {
      if (one.lane() == lane && (best == null || isOpenedByLower(one))) {
        best = one;
      }
    }
    return best;
  }

  private boolean isOpenedByLower(PeerConnection connection) {
    return connection.isDialed() == (self.compareTo(member) < 0);
  }

  /** The connections that this node has opened, and that nobody needs. */
  List<PeerConnection> surplus() {
    return connections.stream()
        .filter(one -> one.isDialed() && one != data && one != urgent)
        .toList();
  }

  List<PeerConnection> connections() {
    return List.copyOf(connections);
  }

  /** Whether messages can be sent. */
  boolean isUp() {
    return data != null;
  }

  /** Whether messages can be sent, or could be sent before. */
  boolean hasBeenUp() {
    return wasUp;
  }

  /** Whether there is no connection of this lane. */
  boolean lacks(Lane lane) {
    return (lane == Lane.DATA ? data : urgent) == null;
  }

  /** Whether this node has opened the connection for data, and so opens the urgent one too. */
  boolean isDialed() {
    PeerConnection current = data;
    return current != null && current.isDialed();
  }

  /** The member has told where others listen. */
  void onTold() {
    hasTold = true;
  }

  boolean hasTold() {
    return hasTold;
  }

  /** The last connection for data is lost; returns how often that has happened by now. */
  int onLost() {
    return ++lossCount;
  }

  int lossCount() {
    return lossCount;
  }

  // ------------------------------------------------------------------ sending

  /** Sends a frame on the connection for data; never waits. */
  void write(Frame frame) {
    PeerConnection connection = data;
    if (connection != null && !isGivenUp(connection)) {
      connection.write(frame);
    }
  }

  /** Says that this node leaves; the result is null if there is no connection. */
  @Nullable ChannelFuture sayFarewell() {
    PeerConnection connection = data;
    return connection == null ? null : connection.writeTracked(Frame.empty(FrameType.FAREWELL));
  }

  /** Sends a message: see {@link Transport#send(Member, Output, long)}. */
  void send(Output message, long maxWaitNanos) {
    PeerConnection connection = data;
    if (connection == null || isGivenUp(connection)) {
      return;
    }
    int length = message.position();
    if (length <= Transport.SMALL_MESSAGE_BYTES || NonBlockingThread.isCurrent()) {
      connection.write(new Frame(FrameType.MESSAGE, message));
      if (!connection.hasRoom() && !NonBlockingThread.isCurrent()) {
        connection.awaitRoom(maxWaitNanos);
      }
      return;
    }
    sendLong(message, length, maxWaitNanos);
  }

  private void sendLong(Output message, int length, long maxWaitNanos) {
    int entered = window.enter(length, maxWaitNanos);
    // It may be another one than before the wait.
    PeerConnection connection = data;
    if (connection == null) {
      window.leave(entered);
      return;
    }
    ChannelFuture written = connection.writeTracked(new Frame(FrameType.MESSAGE, message));
    written.addListener(_ -> window.leave(entered));
    if (length > SendWindow.WINDOW_BYTES) {
      await(written, maxWaitNanos);
    }
  }

  private static void await(ChannelFuture written, long maxWaitNanos) {
    try {
      var _ = written.await(maxWaitNanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Sends a message that bypasses others. It is dropped where earlier ones of its kind still wait.
   */
  void sendUrgent(Output message) {
    PeerConnection connection = urgent;
    if (connection == null) {
      connection = data;
    }
    if (connection != null && connection.hasRoom()) {
      connection.write(new Frame(FrameType.MESSAGE, message));
    }
  }

  /**
   * Gives up a connection whose peer takes nothing, before what waits for it fills the memory. One
   * message may exceed the limit by itself: it is what waits before it that counts.
   */
  private boolean isGivenUp(PeerConnection connection) {
    long pendingBytes = connection.pendingBytes();
    if (pendingBytes <= maxPendingBytes.getAsLong()) {
      return false;
    }
    LOG.warn(
        "pending",
        () ->
            "gave up a connection to %s, which takes too little: %,d bytes wait for it"
                .formatted(member, pendingBytes));
    connection.close();
    return true;
  }
}
