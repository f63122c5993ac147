package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class NewcomerBudgetTest {
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int CHUNKS = (int) (NewcomerBudget.MAX_BYTES / CHUNK_BYTES);

  private final NewcomerBudget budget = new NewcomerBudget();
  private final AtomicBoolean newcomer = new AtomicBoolean(true);

  private static void read(EmbeddedChannel channel) {
    channel.writeInbound(Unpooled.wrappedBuffer(new byte[CHUNK_BYTES]));
  }

  @Test
  void theConnectionThatExceedsTheLimitIsClosed() {
    EmbeddedChannel patient = new EmbeddedChannel(budget.newCounter(newcomer::get));
    EmbeddedChannel greedy = new EmbeddedChannel(budget.newCounter(newcomer::get));
    read(patient);
    for (int i = 1; i < CHUNKS; i++) {
      read(greedy);
    }
    assertThat(greedy.isOpen()).isTrue();
    assertThat(budget.usedBytes()).isEqualTo(NewcomerBudget.MAX_BYTES);
    ByteBuf tooMuch = Unpooled.wrappedBuffer(new byte[1]);
    greedy.writeInbound(tooMuch);
    assertThat(greedy.isOpen()).isFalse();
    assertThat(tooMuch.refCnt()).isZero();
    assertThat(patient.isOpen()).isTrue();
    assertThat(budget.usedBytes()).isEqualTo(CHUNK_BYTES);
    greedy.finishAndReleaseAll();
    patient.finishAndReleaseAll();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void whatHasArrivedWholeCountsNoMore() {
    NewcomerBudget.Counter counter = budget.newCounter(newcomer::get);
    EmbeddedChannel channel = new EmbeddedChannel(counter);
    for (int i = 0; i < 3 * CHUNKS; i++) {
      read(channel);
      counter.onFrame();
    }
    assertThat(channel.isOpen()).isTrue();
    assertThat(budget.usedBytes()).isZero();
    channel.finishAndReleaseAll();
  }

  @Test
  void membersAreNotCounted() {
    newcomer.set(false);
    EmbeddedChannel channel = new EmbeddedChannel(budget.newCounter(newcomer::get));
    for (int i = 0; i < 2 * CHUNKS; i++) {
      read(channel);
    }
    assertThat(channel.isOpen()).isTrue();
    assertThat(budget.usedBytes()).isZero();
    channel.finishAndReleaseAll();
  }
}
