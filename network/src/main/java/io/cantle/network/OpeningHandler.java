package io.cantle.network;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges the openings of a connection, and makes way for the handlers of an open one. A
 * connection whose peer does not bring an opening in time, or another one than it should, is
 * closed.
 *
 * <p><b>Threading:</b> the event loop of the connection.
 */
final class OpeningHandler extends SimpleChannelInboundHandler<ByteBuf> {
  /** By when an accepted connection must be open. */
  static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** What becomes of a connection. */
  interface Outcome {
    /** The connection is open: adds its handlers to the pipeline. */
    void onOpened(ChannelHandlerContext context, Opening peer);

    /** The connection is closed, since the peer did not open it or broke a rule. */
    void onRefused(ChannelHandlerContext context, String why);

    /** Something has failed; the connection is closed. */
    void onFailed(Throwable cause);

    /** The connection is closed, since the peer is a node of another grid. */
    void onOtherGrid(ChannelHandlerContext context, String name);
  }

  private final Opening own;
  private final boolean dialed;
  private final long deadlineNanos;
  private final Outcome outcome;
  private @Nullable Future<?> deadline;
  private boolean ended;

  /**
   * Creates the handler of one connection.
   *
   * @param own what this node says of itself; for an accepted connection the lane is the peer's
   * @param dialed whether this node has opened the connection
   */
  OpeningHandler(Opening own, boolean dialed, long deadlineNanos, Outcome outcome) {
    this.own = own;
    this.dialed = dialed;
    this.deadlineNanos = deadlineNanos;
    this.outcome = outcome;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    if (context.channel().isActive()) {
      begin(context);
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    begin(context);
    context.fireChannelActive();
  }

  private void begin(ChannelHandlerContext context) {
    if (deadline != null) {
      return;
    }
    deadline =
        context
            .executor()
            .schedule(
                () -> refuse(context, dialed ? "has not answered" : "brought no opening in time"),
                deadlineNanos,
                TimeUnit.NANOSECONDS);
    if (dialed) {
      write(context, own);
    }
  }

  private static void write(ChannelHandlerContext context, Opening opening) {
    Output bytes = opening.encode();
    ByteBuf out = Unpooled.buffer(Frame.LENGTH_BYTES + bytes.position());
    out.writeInt(bytes.position());
    out.writeBytes(bytes.array(), 0, bytes.position());
    context
        .writeAndFlush(out, context.newPromise())
        .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    byte[] bytes = new byte[frame.readableBytes()];
    frame.readBytes(bytes);
    Opening peer;
    try {
      peer = Opening.decode(new Input(bytes));
    } catch (MalformedException e) {
      refuse(context, String.valueOf(e.getMessage()));
      return;
    }
    if (!peer.gridName().equals(own.gridName())) {
      refuse(context, () -> outcome.onOtherGrid(context, peer.gridName()));
    } else if (dialed && peer.lane() != own.lane()) {
      refuse(context, "answered for another lane");
    } else {
      open(context, peer);
    }
  }

  private void open(ChannelHandlerContext context, Opening peer) {
    if (ended) {
      return;
    }
    end();
    if (!dialed) {
      write(context, new Opening(own.gridName(), own.member(), peer.lane(), own.listening()));
    }
    try {
      outcome.onOpened(context, peer);
    } catch (RuntimeException e) {
      // Nothing else would close it: it has no handlers yet that look for silence.
      context.close();
      outcome.onRefused(context, "could not be opened: " + e);
      throw e;
    }
  }

  private void refuse(ChannelHandlerContext context, String why) {
    refuse(context, () -> outcome.onRefused(context, why));
  }

  private void refuse(ChannelHandlerContext context, Runnable report) {
    if (!ended) {
      end();
      context.close();
      report.run();
    }
  }

  private void end() {
    ended = true;
    Future<?> pending = deadline;
    if (pending != null) {
      pending.cancel(false);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    refuse(context, "closed the connection");
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    refuse(context, "caused " + cause);
    context.close();
    outcome.onFailed(cause);
  }
}
