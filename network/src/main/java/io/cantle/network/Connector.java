package io.cantle.network;

import io.cantle.core.base.PrintableText;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.RateLimitedLog;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens for connections, opens them, and puts the handlers of each together.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Connector implements PeerFinder.Dialer {
  private static final System.Logger LOGGER = System.getLogger(Connector.class.getName());

  /** A connection on which nothing has arrived for so long is closed: its peer is not there. */
  static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** A connection on which nothing was sent for so long carries a heartbeat. */
  static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long a node that leaves waits until others are told. */
  private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int ACCEPT_BACKLOG = 1_024;
  private static final int MAX_FLUSHES = 256;

  /** Buffers are pooled. The library's other pool grows with the load and does not shrink. */
  private static final ByteBufAllocator ALLOCATOR = new PooledByteBufAllocator(true);

  private final TransportSettings settings;
  private final Member self;
  private final EventLoops loops;
  private final ControlThread control;
  private final PeerTable table;
  private final MessageHandler.FrameListener frames;
  private final RateLimitedLog strangerLog;
  private final Consumer<Throwable> failures;
  private final int maxFrameBytes;
  private final ConnectionGate gate = new ConnectionGate();
  private final NewcomerBudget newcomers = new NewcomerBudget();
  private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
  private volatile @Nullable InetSocketAddress listening;
  private volatile boolean closing;
  private volatile boolean aborted;

  Connector(
      TransportSettings settings,
      Member self,
      EventLoops loops,
      ControlThread control,
      PeerTable table,
      MessageHandler.FrameListener frames,
      RateLimitedLog strangerLog,
      Consumer<Throwable> failures,
      int maxFrameBytes) {
    this.settings = settings;
    this.self = self;
    this.loops = loops;
    this.control = control;
    this.table = table;
    this.frames = frames;
    this.strangerLog = strangerLog;
    this.failures = failures;
    this.maxFrameBytes = maxFrameBytes;
  }

  /** Where this node listens; null before it does. */
  @Nullable InetSocketAddress listening() {
    return listening;
  }

  // ------------------------------------------------------------------ accepted connections

  /**
   * Listens on the first free port of the settings.
   *
   * @throws BindException if none is free
   * @throws IOException if this node cannot listen at its address
   */
  void listen() throws IOException {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops.accepting())
            .channel(loops.listenerClass())
            .option(ChannelOption.SO_BACKLOG, ACCEPT_BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                });
    for (int port = settings.port(); ; port++) {
      ChannelFuture bound = bootstrap.bind(settings.bindAddress(), port).awaitUninterruptibly();
      Throwable failure = bound.cause();
      if (failure == null) {
        listening = (InetSocketAddress) bound.channel().localAddress();
        register(bound.channel());
        return;
      }
      if (!isPortInUse(failure)) {
        throw new IOException(failure.getMessage(), failure);
      }
      if (port == settings.port() + settings.portRange()) {
        BindException allInUse = new BindException(failure.getMessage());
        allInUse.initCause(failure);
        throw allInUse;
      }
    }
  }

  /** The library's native part does not throw a BindException. */
  private static boolean isPortInUse(Throwable failure) {
    return failure instanceof BindException
        || String.valueOf(failure.getMessage()).contains("Address already in use");
  }

  private void accept(Channel channel) {
    register(channel);
    if (channel.remoteAddress() instanceof InetSocketAddress remote) {
      gate.enter(channel, remote.getAddress());
    }
    addOpening(
        channel,
        Lane.DATA,
        false,
        OpeningHandler.DEADLINE_NANOS,
        new OpeningHandler.Outcome() {
          @Override
          public void onOpened(ChannelHandlerContext context, Opening peer) {
            gate.leave(channel);
            open(context, peer, false);
          }

          @Override
          public void onRefused(ChannelHandlerContext context, String why) {
            SocketAddress remote = channel.remoteAddress();
            strangerLog.warn("opening", () -> "closed a connection of " + remote + ": it " + why);
          }

          @Override
          public void onFailed(Throwable cause) {
            failures.accept(cause);
          }

          @Override
          public void onOtherGrid(ChannelHandlerContext context, String name) {
            // Several grids may share the ports of a machine.
            SocketAddress remote = channel.remoteAddress();
            LOGGER.log(
                System.Logger.Level.DEBUG,
                "closed a connection of {0}, a node of grid \"{1}\"",
                remote,
                PrintableText.of(name, TransportSettings.MAX_NAME_BYTES));
          }
        });
  }

  // ------------------------------------------------------------------ dialed connections

  @Override
  public void dial(InetSocketAddress address, Lane lane, PeerFinder.Answer answer) {
    if (closing) {
      return;
    }
    long deadlineNanos = settings.joinTimeout().toNanos();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loops.dialing())
            .channel(loops.connectionClass())
            // Addresses are resolved. A resolver would leave a thread behind which is no daemon.
            .disableResolver()
            .localAddress(new InetSocketAddress(settings.bindAddress(), 0))
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                (int) TimeUnit.NANOSECONDS.toMillis(deadlineNanos))
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    register(channel);
                    addOpening(channel, lane, true, deadlineNanos, outcomeOf(answer));
                  }
                });
    bootstrap
        .connect(address)
        .addListener(
            (ChannelFuture connected) -> {
              Throwable failure = connected.cause();
              if (failure != null) {
                boolean refused = isRefused(failure);
                String why = refused ? "Connection refused" : String.valueOf(failure.getMessage());
                control.execute(() -> answer.onFailed(why, refused));
              }
            });
  }

  /** Whether nothing listens, as the host says. */
  private static boolean isRefused(Throwable failure) {
    return failure instanceof ConnectException
        && String.valueOf(failure.getMessage()).contains("refused");
  }

  private OpeningHandler.Outcome outcomeOf(PeerFinder.Answer answer) {
    return new OpeningHandler.Outcome() {
      @Override
      public void onOpened(ChannelHandlerContext context, Opening peer) {
        open(context, peer, true);
        control.execute(() -> answer.onFound(peer.member()));
      }

      @Override
      public void onRefused(ChannelHandlerContext context, String why) {
        control.execute(() -> answer.onFailed("what listens there " + why, false));
      }

      @Override
      public void onFailed(Throwable cause) {
        failures.accept(cause);
      }

      @Override
      public void onOtherGrid(ChannelHandlerContext context, String name) {
        onRefused(
            context,
            "is a node of grid \""
                + PrintableText.of(name, TransportSettings.MAX_NAME_BYTES)
                + "\"");
      }
    };
  }

  // ------------------------------------------------------------------ all connections

  private void register(Channel channel) {
    channels.add(channel);
    channel.closeFuture().addListener(_ -> channels.remove(channel));
    if (aborted) {
      // It may have come after the others were closed.
      channel.close();
    }
  }

  private static void configure(ChannelConfig config) {
    config
        .setAllocator(ALLOCATOR)
        .setMessageSizeEstimator(Frame.SIZE_ESTIMATOR)
        .setWriteBufferWaterMark(
            new WriteBufferWaterMark(
                PeerConnection.SOFT_LIMIT_BYTES / 2, PeerConnection.SOFT_LIMIT_BYTES))
        .setOption(ChannelOption.TCP_NODELAY, true);
  }

  private void addOpening(
      Channel channel,
      Lane lane,
      boolean dialed,
      long deadlineNanos,
      OpeningHandler.Outcome outcome) {
    configure(channel.config());
    Opening own = new Opening(settings.gridName(), self, lane, settings.advertised(listening));
    channel
        .pipeline()
        .addLast(Frame.newDecoder(Opening.MAX_BYTES))
        .addLast(new OpeningHandler(own, dialed, deadlineNanos, outcome));
  }

  /** Exchanges the handlers of an opening for those of an open connection. */
  private void open(ChannelHandlerContext context, Opening peer, boolean dialed) {
    PeerConnection connection = new PeerConnection(context.channel(), peer, dialed);
    NewcomerBudget.Counter counter = newcomers.newCounter(() -> table.isNewcomer(peer.member()));
    ChannelPipeline pipeline = context.pipeline();
    pipeline
        .addLast(new FlushConsolidationHandler(MAX_FLUSHES, true))
        .addLast(new IdleStateHandler(SILENCE_NANOS, HEARTBEAT_NANOS, 0, TimeUnit.NANOSECONDS))
        .addLast(Frame.Encoder.INSTANCE)
        .addLast(counter)
        .addLast(Frame.newDecoder(maxFrameBytes))
        .addLast(new MessageHandler(connection, counter, frames));
    // Nothing is read before the table has the connection: an answer to it would be lost.
    context.channel().config().setAutoRead(false);
    control.execute(
        () -> {
          table.onOpened(connection);
          context.channel().config().setAutoRead(true);
        });
    // In this order: what has arrived behind the opening passes from its decoder to the next one.
    pipeline.remove(context.handler());
    pipeline.removeFirst();
  }

  /** Tells members that this node leaves, and waits a moment until they can have been told. */
  void sayFarewell(List<PeerLink> links) {
    closing = true;
    List<ChannelFuture> sent = new ArrayList<>();
    for (PeerLink link : links) {
      ChannelFuture told = link.sayFarewell();
      if (told != null) {
        sent.add(told);
      }
    }
    long end = System.nanoTime() + FAREWELL_NANOS;
    for (ChannelFuture told : sent) {
      var _ = told.awaitUninterruptibly(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
  }

  /** Closes all sockets at once, from any thread; there will be no others. */
  void closeForcibly() {
    closing = true;
    aborted = true;
    for (Channel channel : channels) {
      if (!beginClose(channel)) {
        channel.unsafe().closeForcibly();
      }
    }
  }

  /**
   * Closes a socket by its event loop, which wakes the senders that wait for it. That takes a few
   * bytes; returns false if there are not even those.
   */
  private static boolean beginClose(Channel channel) {
    try {
      return channel.close().cause() == null;
    } catch (OutOfMemoryError _) {
      return false;
    }
  }

  /** Closes all sockets. */
  void close() {
    for (Channel channel : channels) {
      channel.close();
    }
  }
}
