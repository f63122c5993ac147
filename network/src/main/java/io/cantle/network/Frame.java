package io.cantle.network;

import io.cantle.core.base.Output;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.MessageSizeEstimator;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.MessageToByteEncoder;

/**
 * What is written to an open connection: a type, and a body that belongs to the frame. On the wire
 * there are four bytes before it, the length of what follows; then the type in one byte.
 *
 * <p><b>Threading:</b> immutable; the body must not be touched any more.
 */
record Frame(FrameType type, Output body) {
  /** The bytes before each frame, which say how long it is. */
  static final int LENGTH_BYTES = 4;

  /** A frame without a body. */
  static Frame empty(FrameType type) {
    return new Frame(type, new Output(0));
  }

  int sizeBytes() {
    return LENGTH_BYTES + FrameType.CODE_BYTES + body.position();
  }

  /**
   * Returns a decoder that cuts frames out of what arrives. It closes over the limit before memory
   * is allocated for a frame.
   */
  static LengthFieldBasedFrameDecoder newDecoder(int maxFrameBytes) {
    return new LengthFieldBasedFrameDecoder(maxFrameBytes, 0, LENGTH_BYTES, 0, LENGTH_BYTES);
  }

  /** Writes frames. */
  @Sharable
  static final class Encoder extends MessageToByteEncoder<Frame> {
    static final Encoder INSTANCE = new Encoder();

    private Encoder() {
      super(Frame.class);
    }

    @Override
    protected ByteBuf allocateBuffer(
        ChannelHandlerContext context, Frame frame, boolean preferDirect) {
      return context.alloc().ioBuffer(frame.sizeBytes());
    }

    @Override
    protected void encode(ChannelHandlerContext context, Frame frame, ByteBuf out) {
      out.writeInt(FrameType.CODE_BYTES + frame.body.position());
      out.writeByte(frame.type.code());
      out.writeBytes(frame.body.array(), 0, frame.body.position());
    }
  }

  /** Counts frames, which wait for the event loop, by their bytes. */
  static final MessageSizeEstimator SIZE_ESTIMATOR =
      () -> {
        MessageSizeEstimator.Handle other = DefaultMessageSizeEstimator.DEFAULT.newHandle();
        return message -> message instanceof Frame frame ? frame.sizeBytes() : other.size(message);
      };
}
