package io.cantle.network;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;

/**
 * Reads the frames of an open connection, and keeps it alive.
 *
 * <p><b>Threading:</b> the event loop of the connection.
 */
final class MessageHandler extends SimpleChannelInboundHandler<ByteBuf> {
  /** What frames and the end of a connection are reported to. */
  interface FrameListener {
    /** A message has arrived. */
    void onMessage(PeerConnection connection, Input message);

    /** The peer has told where other nodes listen. */
    void onAddresses(PeerConnection connection, AddressList told);

    /** The peer leaves. */
    void onFarewell(PeerConnection connection);

    /** The connection is closed. */
    void onClosed(PeerConnection connection);

    /** Something has failed; the connection is closed. */
    void onFailed(PeerConnection connection, Throwable cause);
  }

  private final PeerConnection connection;
  private final NewcomerBudget.Counter counter;
  private final FrameListener listener;

  /** Whether a frame has failed: nothing is read behind it, though more may have arrived. */
  private boolean failed;

  MessageHandler(
      PeerConnection connection, NewcomerBudget.Counter counter, FrameListener listener) {
    this.connection = connection;
    this.counter = counter;
    this.listener = listener;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    counter.onFrame();
    if (failed) {
      return;
    }
    if (!frame.isReadable()) {
      throw new MalformedException("a frame of no bytes has no type");
    }
    FrameType type = FrameType.of(frame.readUnsignedByte());
    switch (type) {
      case MESSAGE -> listener.onMessage(connection, bodyOf(frame));
      case HEARTBEAT -> {}
      case ADDRESSES -> listener.onAddresses(connection, AddressList.decode(bodyOf(frame)));
      case FAREWELL -> listener.onFarewell(connection);
    }
  }

  /** Copies what follows the type: the buffer of the frame is used again. */
  private static Input bodyOf(ByteBuf frame) {
    byte[] bytes = new byte[frame.readableBytes()];
    frame.readBytes(bytes);
    return new Input(bytes);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent idle) {
      if (idle.state() == IdleState.READER_IDLE) {
        context.close();
      } else {
        connection.write(Frame.empty(FrameType.HEARTBEAT));
      }
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    connection.onRoomChanged();
    context.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    connection.onRoomChanged();
    listener.onClosed(connection);
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed = true;
    context.close();
    listener.onFailed(connection, cause);
  }
}
