package io.cantle.network;

import io.cantle.core.transport.Member;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An open connection: its peer has shown that it belongs to the grid.
 *
 * <p><b>Threading:</b> any thread; {@link #awaitRoom} only threads that may wait.
 */
final class PeerConnection {
  /** A sender that may wait does so while more than this has not been sent. */
  static final int SOFT_LIMIT_BYTES = 1 << 20;

  private final Channel channel;
  private final Opening peer;
  private final boolean dialed;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition roomMade = lock.newCondition();

  /**
   * Wraps a channel.
   *
   * @param peer what the peer says of itself
   * @param dialed whether this node has opened the connection
   */
  PeerConnection(Channel channel, Opening peer, boolean dialed) {
    this.channel = channel;
    this.peer = peer;
    this.dialed = dialed;
  }

  Member member() {
    return peer.member();
  }

  Lane lane() {
    return peer.lane();
  }

  /** Where the peer can be reached. */
  InetSocketAddress listening() {
    return peer.listening();
  }

  /** Whether this node has opened the connection. */
  boolean isDialed() {
    return dialed;
  }

  boolean isOpen() {
    return channel.isActive();
  }

  /** What waits to be sent, in bytes. */
  long pendingBytes() {
    var buffer = channel.unsafe().outboundBuffer();
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  /** Whether little waits to be sent. */
  boolean hasRoom() {
    return channel.isWritable();
  }

  /** Sends a frame; never waits. If the connection is closed, the frame is lost. */
  void write(Frame frame) {
    channel.writeAndFlush(frame, channel.voidPromise());
  }

  /** Sends a frame; the result is complete once the operating system has taken it. */
  ChannelFuture writeTracked(Frame frame) {
    return channel.writeAndFlush(frame);
  }

  /** Waits until little waits to be sent, the connection is closed, or the time is over. */
  void awaitRoom(long maxWaitNanos) {
    if (channel.isWritable() || maxWaitNanos <= 0) {
      return;
    }
    lock.lock();
    try {
      long left = maxWaitNanos;
      while (!channel.isWritable() && channel.isActive() && left > 0) {
        left = roomMade.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Wakes senders: there may be room, or the connection is closed. */
  void onRoomChanged() {
    lock.lock();
    try {
      roomMade.signalAll();
    } finally {
      lock.unlock();
    }
  }

  ChannelFuture close() {
    return channel.close();
  }
}
