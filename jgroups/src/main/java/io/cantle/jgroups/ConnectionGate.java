package io.cantle.jgroups;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.MalformedException;
import io.cantle.core.transport.RateLimitedLog;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A server socket that accepts {@link ChannelSocket}s, and keeps each connection outside until it
 * has sent its {@link ConnectionOpening}.
 *
 * <p>One thread serves all of them, so a connection outside costs only a socket and a few dozen
 * bytes. It must send its opening within {@link #OPENING_NANOS}. At most {@link
 * #MAX_OUTSIDE_PER_ADDRESS} connections of one address are outside, and {@link #MAX_OUTSIDE} in
 * all. Beyond that the oldest is closed first, because a node sends its opening as soon as it is
 * connected and is inside by then.
 *
 * <p>Admitted connections wait in a short queue for JGroups to {@link #accept} them. Everything
 * that JGroups reads first of a connection has already arrived, so it never waits for a peer.
 *
 * <p><b>Threading:</b> any thread; {@code outside} belongs to the gate's thread.
 */
final class ConnectionGate extends ServerSocket {
  static final int MAX_OUTSIDE = 1_024;
  static final int MAX_OUTSIDE_PER_ADDRESS = 512;
  static final long OPENING_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int MAX_INSIDE = 64;

  /** How many connections are accepted before those outside are served again. */
  private static final int MAX_ACCEPTED_AT_ONCE = 64;

  /**
   * How long to pause when the system has no more descriptors, since an immediate retry does not
   * help.
   */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long MAX_WAIT_MILLIS = 1_000;

  private final ServerSocketChannel server;
  private final ServerSocket options;
  private final ConnectionOpening opening;
  private final ChannelSocketProvider sockets;
  private final RateLimitedLog log;
  private final Selector selector;
  private final SelectionKey accepting;
  private final LinkedHashSet<PendingConnection> outside = new LinkedHashSet<>();
  private final List<PendingConnection> admitted = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final ArrayDeque<ChannelSocket> inside = new ArrayDeque<>();

  private long pausedUntilNanos;

  @GuardedBy("lock")
  private boolean closed;

  /** Held while the selector is closed. */
  private final Object closing = new Object();

  /** A connection outside. */
  private record PendingConnection(
      SocketChannel channel,
      InetSocketAddress from,
      ConnectionOpening.OpeningReader reader,
      long deadlineNanos) {}

  /** Creates an unbound socket. */
  ConnectionGate(ConnectionOpening opening, ChannelSocketProvider sockets, RateLimitedLog log)
      throws IOException {
    this.opening = opening;
    this.sockets = sockets;
    this.log = log;
    server = ServerSocketChannel.open();
    Selector opened = null;
    try {
      opened = Selector.open();
      server.configureBlocking(false);
      accepting = server.register(opened, SelectionKey.OP_ACCEPT);
    } catch (IOException e) {
      // A node that is short of descriptors must not lose more of them.
      closeQuietly(opened);
      closeQuietly(server);
      throw e;
    }
    selector = opened;
    options = server.socket();
  }

  /**
   * Binds to an address and begins to accept. At least {@link #MAX_OUTSIDE} connections may wait to
   * be accepted, if the system allows as many.
   */
  @Override
  public void bind(SocketAddress address, int waiting) throws IOException {
    options.bind(address, Math.max(waiting, MAX_OUTSIDE));
    new TransportThread(this::run, "cantle-gate-" + getLocalPort(), sockets::onOutOfMemory).start();
  }

  @Override
  public boolean isClosed() {
    return !server.isOpen();
  }

  @Override
  public int getLocalPort() {
    return options.getLocalPort();
  }

  @Override
  public void setReuseAddress(boolean on) throws SocketException {
    options.setReuseAddress(on);
  }

  @Override
  public void setReceiveBufferSize(int bytes) throws SocketException {
    options.setReceiveBufferSize(bytes);
  }

  /**
   * Waits for the next admitted connection.
   *
   * @throws SocketException if the gate is closed, which JGroups treats as the normal end
   */
  @Override
  public ChannelSocket accept() throws SocketException {
    lock.lock();
    try {
      while (inside.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      if (closed) {
        throw new SocketException("Socket closed");
      }
      return inside.removeFirst();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the server and every connection that was not accepted. No connection is made once this
   * has returned: the system goes on making them until the server has left its selector as well.
   */
  @Override
  public void close() throws IOException {
    sockets.forget(this);
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      for (ChannelSocket socket : inside) {
        socket.close();
      }
      inside.clear();
    } finally {
      lock.unlock();
    }
    server.close();
    // This ends the wait of the gate's thread as well.
    closeSelector();
  }

  /**
   * Closes the selector. If another thread does so, waits until it has: only then is all closed.
   */
  private void closeSelector() throws IOException {
    synchronized (closing) {
      selector.close();
    }
  }

  private void run() {
    try {
      while (server.isOpen()) {
        try {
          selector.select(this::serve, waitMillis());
          closeExpired();
          while (!admitted.isEmpty()) {
            admitAll();
          }
          sockets.closeSilent(ChannelSocketProvider.MAX_SILENT_NEWCOMERS);
        } catch (IOException e) {
          onAcceptFailure(e);
        } catch (RuntimeException e) {
          goOn(e);
        }
      }
    } finally {
      for (PendingConnection arrival : List.copyOf(outside)) {
        close(arrival);
      }
      for (PendingConnection arrival : admitted) {
        closeQuietly(arrival.channel());
      }
      closeQuietly(this::closeSelector);
      closeQuietly(server);
    }
  }

  /** One connection must not bar the way for all others; and a key is cancelled by a close. */
  private void goOn(RuntimeException failure) {
    if (server.isOpen()) {
      log.warn("gate", () -> "a connection was not served: " + failure);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** How long there is nothing to do but wait for the network. */
  private long waitMillis() {
    long now = System.nanoTime();
    long left = TimeUnit.MILLISECONDS.toNanos(MAX_WAIT_MILLIS);
    if (!outside.isEmpty()) {
      left = Math.min(left, outside.getFirst().deadlineNanos() - now);
    }
    if (accepting.isValid() && accepting.interestOps() == 0) {
      left = Math.min(left, pausedUntilNanos - now);
      if (left <= 0) {
        accepting.interestOps(SelectionKey.OP_ACCEPT);
      }
    }
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(left));
  }

  private void serve(SelectionKey key) {
    if (key.equals(accepting)) {
      acceptOutside();
    } else if (key.attachment() instanceof PendingConnection arrival) {
      read(arrival);
    }
  }

  private void acceptOutside() {
    for (int i = 0; i < MAX_ACCEPTED_AT_ONCE; i++) {
      SocketChannel channel = null;
      try {
        channel = server.accept();
        if (channel == null) {
          return;
        }
        channel.configureBlocking(false);
        InetSocketAddress from = (InetSocketAddress) channel.getRemoteAddress();
        PendingConnection arrival =
            new PendingConnection(
                channel,
                from,
                opening.reader(from.getAddress()),
                System.nanoTime() + OPENING_NANOS);
        channel.register(selector, SelectionKey.OP_READ, arrival);
        outside.add(arrival);
        closeBeyondLimits(from.getAddress());
        read(arrival);
      } catch (IOException e) {
        closeQuietly(channel);
        onAcceptFailure(e);
        return;
      } catch (ClosedSelectorException e) {
        closeQuietly(channel);
        throw e;
      }
    }
  }

  private void closeBeyondLimits(InetAddress address) {
    if (outside.size() <= MAX_OUTSIDE_PER_ADDRESS) {
      return;
    }
    List<PendingConnection> ofAddress =
        outside.stream().filter(each -> each.from().getAddress().equals(address)).toList();
    if (ofAddress.size() > MAX_OUTSIDE_PER_ADDRESS) {
      closeOldest(ofAddress.getFirst());
    } else if (outside.size() > MAX_OUTSIDE) {
      closeOldest(outside.getFirst());
    }
  }

  private void closeOldest(PendingConnection oldest) {
    log.warn(
        "crowd",
        () ->
            ("%s connections that have not shown that they belong to this grid wait at port %s; the"
                    + " oldest, from %s, is closed")
                .formatted(outside.size(), getLocalPort(), oldest.from()));
    close(oldest);
  }

  private void read(PendingConnection arrival) {
    try {
      while (true) {
        int count = arrival.channel().read(arrival.reader().buffer());
        if (count < 0) {
          // A port scan closes its connection like this as well, so it is not worth a log line.
          close(arrival);
          return;
        }
        if (count == 0) {
          return;
        }
        switch (arrival.reader().judge()) {
          case INCOMPLETE -> {}
          case ADMITTED -> {
            outside.remove(arrival);
            admitted.add(arrival);
            return;
          }
          case OTHER_GRID -> {
            close(arrival);
            return;
          }
        }
      }
    } catch (MalformedException e) {
      log.warn(
          "opening",
          () -> "a connection from %s %s; it is closed".formatted(arrival.from(), e.getMessage()));
      close(arrival);
    } catch (IOException e) {
      close(arrival);
    }
  }

  private void closeExpired() {
    long now = System.nanoTime();
    while (!outside.isEmpty() && outside.getFirst().deadlineNanos() - now <= 0) {
      PendingConnection late = outside.getFirst();
      log.warn(
          "late",
          () ->
              ("a connection from %s has not shown that it belongs to this grid within %s ms; it is"
                      + " closed")
                  .formatted(late.from(), TimeUnit.NANOSECONDS.toMillis(OPENING_NANOS)));
      close(late);
    }
  }

  /** Passes on the admitted connections, once they are no longer registered with this selector. */
  private void admitAll() throws IOException {
    List<PendingConnection> arrivals = List.copyOf(admitted);
    for (PendingConnection arrival : arrivals) {
      SelectionKey key = arrival.channel().keyFor(selector);
      if (key == null) {
        throw new ClosedSelectorException();
      }
      key.cancel();
    }
    admitted.clear();
    try {
      selector.selectNow(this::serve);
    } catch (IOException | RuntimeException e) {
      arrivals.forEach(arrival -> closeQuietly(arrival.channel()));
      throw e;
    }
    for (PendingConnection arrival : arrivals) {
      try {
        admit(sockets.adopt(arrival.channel(), arrival.reader()));
      } catch (IOException e) {
        closeQuietly(arrival.channel());
      }
    }
  }

  private void admit(ChannelSocket socket) throws IOException {
    lock.lock();
    try {
      if (closed || inside.size() >= MAX_INSIDE) {
        socket.close();
      } else {
        inside.addLast(socket);
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void onAcceptFailure(IOException cause) {
    if (!server.isOpen()) {
      return;
    }
    if (!outside.isEmpty()) {
      close(outside.getFirst());
    }
    pausedUntilNanos = System.nanoTime() + PAUSE_NANOS;
    accepting.interestOps(0);
    log.warn("accept", () -> "a connection cannot be accepted: " + cause);
  }

  private void close(PendingConnection arrival) {
    outside.remove(arrival);
    closeQuietly(arrival.channel());
  }

  private static void closeQuietly(@Nullable Closeable resource) {
    if (resource != null) {
      try {
        resource.close();
      } catch (IOException e) {
        // The resource is given up either way.
      }
    }
  }
}
