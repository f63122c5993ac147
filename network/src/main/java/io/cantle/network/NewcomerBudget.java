package io.cantle.network;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Limits what all newcomers together make this node keep of frames that have not arrived whole. A
 * member may send frames of any permitted length; a peer that may be a stranger could begin many of
 * them, and end none. The connection with which the limit is exceeded is closed.
 *
 * <p><b>Threading:</b> any thread.
 */
final class NewcomerBudget {
  /** The most bytes of unfinished frames. */
  static final long MAX_BYTES = 16 << 20;

  private final AtomicLong usedBytes = new AtomicLong();

  /** How many bytes of unfinished frames there are. */
  long usedBytes() {
    return usedBytes.get();
  }

  /**
   * Returns a handler that counts what a connection brings. It stands before the decoder of frames,
   * and {@link Counter#onFrame} is called with each frame behind it.
   *
   * @param isNewcomer whether the peer still is one
   */
  Counter newCounter(BooleanSupplier isNewcomer) {
    return new Counter(isNewcomer);
  }

  /** Counts for one connection, on its event loop. */
  final class Counter extends ChannelInboundHandlerAdapter {
    private final BooleanSupplier isNewcomer;
    private long countedBytes;

    private Counter(BooleanSupplier isNewcomer) {
      this.isNewcomer = isNewcomer;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof ByteBuf bytes && isNewcomer.getAsBoolean()) {
        long more = bytes.readableBytes();
        countedBytes += more;
        if (usedBytes.addAndGet(more) > MAX_BYTES) {
          bytes.release();
          context.close();
          return;
        }
      }
      context.fireChannelRead(message);
    }

    /** A frame has arrived whole: what was counted until then is not kept any more. */
    void onFrame() {
      if (countedBytes > 0) {
        usedBytes.addAndGet(-countedBytes);
        countedBytes = 0;
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      onFrame();
      context.fireChannelInactive();
    }
  }
}
