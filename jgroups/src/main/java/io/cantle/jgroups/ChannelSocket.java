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
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
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
final class ChannelSocket extends Socket {
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
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();

  @GuardedBy("lock")
  private final ArrayDeque<ByteBuffer> backlog = new ArrayDeque<>();

  @GuardedBy("lock")
  private int backlogBytes;

  /** Whether the backlog is not empty; lets the reader check without the lock. */
  private volatile boolean hasBacklog;

  private @Nullable Selector selector;
  private @Nullable SelectionKey key;
  private volatile int readTimeoutMillis;

  /** Sent first on the connection; null for one that was accepted. */
  private final @Nullable ConnectionOpening opening;

  /** The listening address of the peer of an accepted connection. */
  private final @Nullable InetSocketAddress listeningAddress;

  /** Bytes of an accepted connection that were read before this socket took over. */
  private final ByteBuffer readAhead;

  /** Whether the peer of an accepted connection is a newcomer. */
  private final Predicate<InetSocketAddress> isNewcomer;

  private volatile long lastReceivedNanos = System.nanoTime();
  private volatile boolean hasReceived;

  /** Creates an unconnected socket, which sends an opening when it connects. */
  ChannelSocket(ConnectionOpening opening) throws IOException {
    super((java.net.SocketImpl) null);
    this.channel = SocketChannel.open();
    this.options = channel.socket();
    this.opening = opening;
    this.listeningAddress = null;
    this.isNewcomer = peer -> false;
    this.readAhead = ByteBuffer.allocate(0);
  }

  /** Creates a socket on an accepted channel, from which some bytes were read already. */
  ChannelSocket(
      SocketChannel channel,
      InetSocketAddress listeningAddress,
      ByteBuffer readAhead,
      Predicate<InetSocketAddress> isNewcomer)
      throws IOException {
    super((java.net.SocketImpl) null);
    this.channel = channel;
    this.options = channel.socket();
    this.opening = null;
    this.listeningAddress = listeningAddress;
    this.isNewcomer = isNewcomer;
    this.readAhead = readAhead;
    stopBlocking();
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
    Selector opened = Selector.open();
    selector = opened;
    key = channel.register(opened, SelectionKey.OP_READ);
  }

  /**
   * Waits until the backlog is at most half the soft limit, the socket is closed, or the time is
   * up.
   *
   * @throws InterruptedException if interrupted; nothing is lost, and what was written is still
   *     sent
   */
  void awaitRoom(long mostNanos) throws InterruptedException {
    lock.lock();
    try {
      long left = mostNanos;
      while (backlogBytes > SOFT_LIMIT_BYTES / 2 && channel.isOpen() && left > 0) {
        left = room.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (readAhead.hasRemaining()) {
      int count = Math.min(length, readAhead.remaining());
      readAhead.get(target, offset, count);
      return count;
    }
    ByteBuffer buffer = ByteBuffer.wrap(target, offset, Math.min(length, MAX_TRANSFER_BYTES));
    int timeoutMillis = readTimeoutMillis;
    long start = timeoutMillis > 0 ? System.nanoTime() : 0;
    try {
      while (true) {
        if (hasBacklog) {
          sendBacklog();
        }
        int count = channel.read(buffer);
        if (count < 0) {
          BackpressureTcp.markEndedByPeer();
        }
        if (count != 0) {
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
    Selector waiting = requireConnected(selector);
    if (timeoutMillis == 0) {
      waiting.select(ready -> {});
      return;
    }
    long leftMillis = timeoutMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    if (leftMillis <= 0) {
      throw new SocketTimeoutException("nothing arrived within " + timeoutMillis + " ms");
    }
    waiting.select(ready -> {}, leftMillis);
  }

  private void sendBacklog() throws IOException {
    lock.lock();
    try {
      drain();
    } finally {
      lock.unlock();
    }
  }

  /** Passes as much of the backlog to the kernel as it accepts. */
  @GuardedBy("lock")
  private void drain() throws IOException {
    if (!hasBacklog) {
      return;
    }
    while (true) {
      ByteBuffer first = backlog.peekFirst();
      if (first == null) {
        hasBacklog = false;
        requireConnected(key).interestOps(SelectionKey.OP_READ);
        break;
      }
      backlogBytes -= transfer(first);
      if (first.hasRemaining()) {
        break;
      }
      backlog.removeFirst();
    }
    if (backlogBytes <= SOFT_LIMIT_BYTES / 2) {
      room.signalAll();
    }
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

  private void write(byte[] source, int offset, int length) throws IOException {
    lock.lock();
    try {
      drain();
      ByteBuffer buffer = ByteBuffer.wrap(source, offset, length);
      if (!hasBacklog) {
        transfer(buffer);
      }
      if (buffer.hasRemaining()) {
        addToBacklog(buffer);
      }
    } catch (IOException | ClosedSelectorException | CancelledKeyException e) {
      close();
    } catch (OutOfMemoryError e) {
      // How much of the frame has left is unknown.
      close();
      throw e;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void addToBacklog(ByteBuffer rest) throws IOException {
    int limit =
        listeningAddress != null && isNewcomer.test(listeningAddress)
            ? NEWCOMER_LIMIT_BYTES
            : HARD_LIMIT_BYTES;
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
      requireConnected(key).interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
      requireConnected(selector).wakeup();
    }
    backlogBytes += copy.length;
    if (backlogBytes > SOFT_LIMIT_BYTES) {
      BackpressureTcp.markCongested(this);
    }
  }

  private static <T> T requireConnected(@Nullable T part) throws SocketException {
    if (part == null) {
      throw new SocketException("not connected");
    }
    return part;
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
    Selector waiting = selector;
    if (waiting != null) {
      waiting.close();
    }
    lock.lock();
    try {
      backlog.clear();
      backlogBytes = 0;
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws IOException {
    channel.bind(address);
  }

  @Override
  public void connect(SocketAddress address) throws IOException {
    connect(address, 0);
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
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        return ChannelSocket.this.read(target, offset, length);
      }

      @Override
      public void close() throws IOException {
        ChannelSocket.this.close();
      }
    };
  }

  @Override
  public OutputStream getOutputStream() {
    return new OutputStream() {
      @Override
      public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
      }

      @Override
      public void write(byte[] source, int offset, int length) throws IOException {
        ChannelSocket.this.write(source, offset, length);
      }

      @Override
      public void close() throws IOException {
        ChannelSocket.this.close();
      }
    };
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
  public boolean isClosed() {
    return !channel.isOpen();
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
