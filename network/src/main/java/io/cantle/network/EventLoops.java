package io.cantle.network;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NettyRuntime;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The two event loops of a transport, on threads of their own: one for connections that this node
 * opens, one for those it accepts. Among many nodes each has about half of the work. They use epoll
 * where the library's native part is there and may be loaded, and the JDK's selectors elsewhere.
 *
 * <p>They are no group of the library: that would leave a thread behind which is no daemon.
 *
 * <p><b>Threading:</b> any thread.
 */
final class EventLoops implements AutoCloseable {
  private static final long CLOSE_SECONDS = 5;

  private final boolean usesEpoll = mayLoadNative() && Epoll.isAvailable();
  private final EventLoop dialing;
  private final EventLoop accepting;

  /** Creates loops whose threads have the node's name. */
  EventLoops(String nodeName) {
    dialing = newLoop("cantle-" + nodeName + "-dialed");
    accepting = newLoop("cantle-" + nodeName + "-accepted");
  }

  private EventLoop newLoop(String threadName) {
    IoHandlerFactory handlers = usesEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    ThreadFactory threads = task -> new TransportThread(task, threadName);
    return new SingleThreadIoEventLoop(null, threads, handlers);
  }

  /** Whether the JVM lets the library load native code without a warning. */
  private static boolean mayLoadNative() {
    // One has the native methods, the other loads the library.
    return Epoll.class.getModule().isNativeAccessEnabled()
        && NettyRuntime.class.getModule().isNativeAccessEnabled();
  }

  /** The loop of connections that this node opens; also the control thread. */
  EventLoop dialing() {
    return dialing;
  }

  /** The loop of connections that this node accepts. */
  EventLoop accepting() {
    return accepting;
  }

  /** The class of connections. */
  Class<? extends Channel> connectionClass() {
    return usesEpoll ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** The class of sockets that listen. */
  Class<? extends ServerChannel> listenerClass() {
    return usesEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /** Ends both threads, and waits until they have ended. */
  @Override
  public void close() {
    for (EventLoop loop : new EventLoop[] {dialing, accepting}) {
      var _ = loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
    }
    for (EventLoop loop : new EventLoop[] {dialing, accepting}) {
      var _ = loop.terminationFuture().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
