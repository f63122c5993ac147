package io.cantle.jgroups;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose reads block and whose writes never do.
 *
 * <p>Messages are passed up on the thread that reads a connection, and answered there. If writes
 * blocked, two nodes that write much to each other would stop for ever, because each one's reader
 * would wait for the other to read. So a write passes to the kernel what it accepts at once, and
 * keeps a copy of the rest, the backlog. The reader sends the backlog between two reads: it waits
 * for either direction in one selector. No thread that holds a lock of JGroups ever waits for a
 * peer, and a connection to a stalled peer can be closed at any time.
 *
 * <p>The backlog has two limits. An application thread that finds it above {@link
 * #SOFT_LIMIT_BYTES} after its own write waits for room in {@link BackpressureTcp}, where it holds
 * no lock. A thread of the transport does not wait. It may add up to {@link #HARD_LIMIT_BYTES}; a
 * write beyond that fails.
 *
 * <p>A failed write closes the socket and throws nothing. The reader then finds it closed, JGroups
 * opens another socket when there is more to send, and sends again whatever was not acknowledged.
 *
 * <p><b>Threading:</b> any thread; only one thread reads, the connection's reader.
 */
final class ChannelSocket extends Socket implements ByteChannel {
  static final int SOFT_LIMIT_BYTES = 1 << 20;

  /**
   * A part of the heap. It is less than the longest message, since long messages are sent in
   * fragments.
   */
  static final int HARD_LIMIT_BYTES =
      Math.clamp(Runtime.getRuntime().maxMemory() / 32, 8 << 20, 64 << 20);

  /** The limit for a peer that is neither a member nor a former one; what it is sent is short. */
  static final int NEWCOMER_LIMIT_BYTES = 256 << 10;

  /**
   * Limits the JDK's direct buffer, which is cached per thread and as large as the largest
   * transfer.
   */
  private static final int MAX_TRANSFER_BYTES = 128 << 10;

  private static final System.Logger LOGGER = System.getLogger(ChannelSocket.class.getName());

  private final SocketChannel channel;
  private final Socket options;
  private final Selector selector = Selector.open();

  @GuardedBy("this")
  private final ArrayDeque<ByteBuffer> backlog = new ArrayDeque<>();

  @GuardedBy("this")
  private int backlogBytes;

  /** Whether the backlog is not empty; lets the reader check without the lock. */
  private volatile boolean hasBacklog;

  /** Null until connected. */
  private @Nullable SelectionKey key;

  private volatile int readTimeoutMillis;

  /** Sent first on the connection; null for one that was accepted. */
  private final @Nullable ConnectionOpening opening;

  /** The listening address of the peer of an accepted connection. */
  private final @Nullable InetSocketAddress listeningAddress;

  /** Bytes of an accepted connection that were read before this socket took over. */
  private final ByteBuffer readAhead;

  /** Whether the peer of a connection is a newcomer. */
  private final Predicate<ChannelSocket> isNewcomer;

  private volatile long lastReceivedNanos = System.nanoTime();
  private volatile boolean hasReceived;

  /**
   * Creates a socket on a new channel, which sends an opening when it connects, or on an accepted
   * one, from which some bytes were read already.
   */
  ChannelSocket(
      SocketChannel channel,
      @Nullable ConnectionOpening opening,
      @Nullable InetSocketAddress listeningAddress,
      ByteBuffer readAhead,
      Predicate<ChannelSocket> isNewcomer)
      throws IOException {
    super((java.net.SocketImpl) null);
    this.channel = channel;
    this.options = channel.socket();
    this.opening = opening;
    this.listeningAddress = listeningAddress;
    this.isNewcomer = isNewcomer;
    this.readAhead = readAhead;
    if (channel.isConnected()) {
      try {
        stopBlocking();
      } catch (IOException e) {
        selector.close();
        throw e;
      }
    }
  }

  /**
   * The address at which the peer of an accepted connection claims to listen; null if this node
   * connected.
   */
  @Nullable InetSocketAddress listeningAddress() {
    return listeningAddress;
  }

  /** Notes that a whole frame has arrived. */
  void noteFrame() {
    lastReceivedNanos = System.nanoTime();
    hasReceived = true;
  }

  /** Whether a whole frame has arrived since the opening. */
  boolean hasReceived() {
    return hasReceived;
  }

  /** How long no whole frame has arrived, in nanoseconds. */
  long silentNanos(long nowNanos) {
    return nowNanos - lastReceivedNanos;
  }

  private void stopBlocking() throws IOException {
    channel.configureBlocking(false);
    key = channel.register(selector, SelectionKey.OP_READ);
  }

  /**
   * Waits until the backlog is at most half the soft limit, the socket is closed, or the time is
   * up.
   *
   * @throws InterruptedException if interrupted; nothing is lost, and what was written is still
   *     sent
   */
  synchronized void awaitRoom(long mostNanos) throws InterruptedException {
    long until = System.nanoTime() + mostNanos;
    long left = mostNanos;
    while (backlogBytes > SOFT_LIMIT_BYTES / 2 && channel.isOpen() && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = until - System.nanoTime();
    }
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    int first = target.position();
    while (readAhead.hasRemaining() && target.hasRemaining()) {
      target.put(readAhead.get());
    }
    if (target.position() > first) {
      return target.position() - first;
    }
    ByteBuffer part = target.slice(first, Math.min(target.remaining(), MAX_TRANSFER_BYTES));
    int timeoutMillis = readTimeoutMillis;
    long start = timeoutMillis > 0 ? System.nanoTime() : 0;
    try {
      while (true) {
        if (hasBacklog) {
          drain();
        }
        int count = channel.read(part);
        if (count < 0) {
          BackpressureTcp.markEndedByPeer();
          return count;
        }
        if (count > 0) {
          target.position(first + count);
          return count;
        }
        awaitReadiness(timeoutMillis, start);
      }
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException | ClosedSelectorException | CancelledKeyException e) {
      if (channel.isOpen()) {
        BackpressureTcp.markEndedByPeer();
      }
      throw socketClosedException(e);
    }
  }

  private void awaitReadiness(int timeoutMillis, long start) throws IOException {
    // An interrupt has no meaning here, since readers are ended by closing the socket. A set flag
    // would make every select return at once.
    Thread.interrupted();
    if (timeoutMillis == 0) {
      selector.select(ready -> {});
      return;
    }
    long leftMillis = timeoutMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    if (leftMillis <= 0) {
      throw new SocketTimeoutException("nothing arrived within " + timeoutMillis + " ms");
    }
    selector.select(ready -> {}, leftMillis);
  }

  /** Passes as much of the backlog to the kernel as it accepts. */
  private synchronized void drain() throws IOException {
    if (!hasBacklog) {
      return;
    }
    while (true) {
      ByteBuffer first = backlog.peekFirst();
      if (first == null) {
        hasBacklog = false;
        showInterest(SelectionKey.OP_READ);
        break;
      }
      backlogBytes -= transfer(first);
      if (first.hasRemaining()) {
        break;
      }
      backlog.removeFirst();
    }
    if (backlogBytes <= SOFT_LIMIT_BYTES / 2) {
      notifyAll();
    }
  }

  private void showInterest(int operations) throws SocketException {
    SelectionKey registered = key;
    if (registered == null) {
      throw new SocketException("not connected");
    }
    registered.interestOps(operations);
  }

  /**
   * Writes until the buffer is empty or the kernel accepts no more; returns the number of bytes
   * written.
   */
  private int transfer(ByteBuffer source) throws IOException {
    int end = source.limit();
    int start = source.position();
    while (source.position() < end) {
      source.limit(Math.min(end, source.position() + MAX_TRANSFER_BYTES));
      int count = channel.write(source);
      source.limit(end);
      if (count == 0) {
        break;
      }
    }
    return source.position() - start;
  }

  /** Takes all of the buffer. */
  @Override
  public synchronized int write(ByteBuffer source) throws IOException {
    int length = source.remaining();
    try {
      drain();
      if (!hasBacklog) {
        transfer(source);
      }
      if (source.hasRemaining()) {
        addToBacklog(source);
      }
    } catch (IOException | ClosedSelectorException | CancelledKeyException e) {
      close();
    } catch (OutOfMemoryError e) {
      // How much of the frame has left is unknown.
      close();
      throw e;
    }
    source.position(source.limit());
    return length;
  }

  @GuardedBy("this")
  private void addToBacklog(ByteBuffer rest) throws IOException {
    int limit = isNewcomer.test(this) ? NEWCOMER_LIMIT_BYTES : HARD_LIMIT_BYTES;
    if (rest.remaining() > limit - backlogBytes) {
      LOGGER.log(
          limit == HARD_LIMIT_BYTES ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
          "{0} does not read: {1} bytes wait to be sent, the limit is {2}; this connection is"
              + " closed and whatever is not acknowledged will be sent again",
          getRemoteSocketAddress(),
          backlogBytes,
          limit);
      throw new SocketException("more than " + limit + " bytes wait to be sent");
    }
    // JGroups reuses the array it writes from.
    byte[] copy = new byte[rest.remaining()];
    rest.get(copy);
    backlog.addLast(ByteBuffer.wrap(copy));
    if (!hasBacklog) {
      hasBacklog = true;
      showInterest(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
      selector.wakeup();
    }
    backlogBytes += copy.length;
    if (backlogBytes > SOFT_LIMIT_BYTES) {
      BackpressureTcp.markCongested(this);
    }
  }

  /**
   * Creates a SocketException, which JGroups treats as the normal end of a connection. It logs
   * others.
   */
  private static SocketException socketClosedException(Exception cause) {
    SocketException closed = new SocketException("Socket closed");
    closed.initCause(cause);
    return closed;
  }

  @Override
  public void close() throws IOException {
    channel.close();
    selector.close();
    synchronized (this) {
      backlog.clear();
      backlogBytes = 0;
      notifyAll();
    }
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws IOException {
    channel.bind(address);
  }

  @Override
  public void connect(SocketAddress address, int timeoutMillis) throws IOException {
    options.connect(address, timeoutMillis);
    if (opening != null) {
      // A new connection has room for the opening, so this does not wait.
      channel.write(opening.bytes());
    }
    stopBlocking();
  }

  @Override
  public InputStream getInputStream() {
    return Channels.newInputStream(this);
  }

  @Override
  public OutputStream getOutputStream() {
    return Channels.newOutputStream(this);
  }

  @Override
  public @Nullable InetAddress getInetAddress() {
    return options.getInetAddress();
  }

  @Override
  public InetAddress getLocalAddress() {
    return options.getLocalAddress();
  }

  @Override
  public int getPort() {
    return options.getPort();
  }

  @Override
  public int getLocalPort() {
    return options.getLocalPort();
  }

  @Override
  public @Nullable SocketAddress getRemoteSocketAddress() {
    return options.getRemoteSocketAddress();
  }

  @Override
  public @Nullable SocketAddress getLocalSocketAddress() {
    return options.getLocalSocketAddress();
  }

  @Override
  public boolean isConnected() {
    return options.isConnected();
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }

  @Override
  public boolean isClosed() {
    return !isOpen();
  }

  @Override
  public void setSoTimeout(int timeoutMillis) {
    readTimeoutMillis = timeoutMillis;
  }

  @Override
  public int getSoTimeout() {
    return readTimeoutMillis;
  }

  @Override
  public void setTcpNoDelay(boolean on) throws SocketException {
    options.setTcpNoDelay(on);
  }

  @Override
  public void setKeepAlive(boolean on) throws SocketException {
    options.setKeepAlive(on);
  }

  @Override
  public void setSoLinger(boolean on, int seconds) throws SocketException {
    try {
      channel.setOption(StandardSocketOptions.SO_LINGER, on ? seconds : -1);
    } catch (IOException e) {
      throw socketClosedException(e);
    }
  }

  @Override
  public void setSendBufferSize(int bytes) throws SocketException {
    options.setSendBufferSize(bytes);
  }

  @Override
  public void setReceiveBufferSize(int bytes) throws SocketException {
    options.setReceiveBufferSize(bytes);
  }
}
