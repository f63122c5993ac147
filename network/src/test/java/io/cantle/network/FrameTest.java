package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Output;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.TooLongFrameException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameTest {
  private static final int MAX_BYTES = 1_000;

  private static byte[] encoded(FrameType type, byte[] body) {
    Output out = new Output(body.length);
    out.write(body);
    EmbeddedChannel channel = new EmbeddedChannel(Frame.Encoder.INSTANCE);
    channel.writeOutbound(new Frame(type, out));
    ByteBuf written = channel.readOutbound();
    byte[] bytes = new byte[written.readableBytes()];
    written.readBytes(bytes).release();
    assertThat(channel.finish()).isFalse();
    return bytes;
  }

  private static EmbeddedChannel decoding() {
    return new EmbeddedChannel(Frame.newDecoder(MAX_BYTES));
  }

  private static void assertFrame(EmbeddedChannel channel, FrameType type, byte[] body) {
    ByteBuf frame = channel.readInbound();
    assertThat(FrameType.of(frame.readUnsignedByte())).isEqualTo(type);
    byte[] found = new byte[frame.readableBytes()];
    frame.readBytes(found).release();
    assertThat(found).isEqualTo(body);
  }

  @Test
  void aFrameSurvivesEverySplit() {
    byte[] body = {1, 2, 3, 4, 5, 6, 7};
    byte[] bytes = encoded(FrameType.ADDRESSES, body);
    for (int split = 0; split <= bytes.length; split++) {
      EmbeddedChannel channel = decoding();
      channel.writeInbound(Unpooled.copiedBuffer(bytes, 0, split));
      channel.writeInbound(Unpooled.copiedBuffer(bytes, split, bytes.length - split));
      assertFrame(channel, FrameType.ADDRESSES, body);
      assertThat(channel.finish()).isFalse();
    }
  }

  @Test
  void framesOfOneReadComeOneByOne() {
    byte[] first = encoded(FrameType.MESSAGE, new byte[] {1});
    byte[] second = encoded(FrameType.HEARTBEAT, new byte[0]);
    EmbeddedChannel channel = decoding();
    channel.writeInbound(Unpooled.copiedBuffer(first, second, first));
    assertFrame(channel, FrameType.MESSAGE, new byte[] {1});
    assertFrame(channel, FrameType.HEARTBEAT, new byte[0]);
    assertFrame(channel, FrameType.MESSAGE, new byte[] {1});
    assertThat(channel.finish()).isFalse();
  }

  @Test
  void aFrameAboveTheLimitIsRefusedByItsLength() {
    EmbeddedChannel channel = decoding();
    assertThatThrownBy(() -> channel.writeInbound(Unpooled.copyInt(MAX_BYTES + 1)))
        .isInstanceOf(TooLongFrameException.class);
    assertThat(channel.inboundMessages()).isEmpty();
    channel.finishAndReleaseAll();
  }

  @Test
  void aBodyLongerThanABufferIsWrittenWhole() {
    byte[] body = new byte[3 << 20];
    new Random(3).nextBytes(body);
    byte[] bytes = encoded(FrameType.MESSAGE, body);
    assertThat(bytes)
        .hasSize(body.length + Frame.LENGTH_BYTES + FrameType.CODE_BYTES)
        .endsWith(body);
  }
}
