package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.GridConfig;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.transport.LocalTransport;
import io.cantle.core.transport.Member;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a node is closed when its users are told so. */
@Timeout(60)
final class NodeCloserTest {
  private final SystemEnvironment environment = new SystemEnvironment("closed");

  @AfterEach
  void close() {
    environment.close();
  }

  @Test
  void closeReturnsWhenANodeWhoseStoreFailedIsClosed() throws Exception {
    CountDownLatch closing = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicBoolean closed = new AtomicBoolean();
    ManualNodeStore store = new ManualNodeStore();
    store.flushAlways();
    NodeGrid grid =
        new Node(
                GridConfig.named("local").nodeName("n"),
                getClass().getClassLoader(),
                new LocalTransport(new Member(new UUID(1, 2), new UUID(3, 4), "n")),
                environment.environment(),
                store,
                () -> {
                  closing.countDown();
                  awaitUninterruptibly(mayEnd);
                  closed.set(true);
                })
            .start();
    store.stop();
    store.fail(new IOException("the disk is gone"));
    assertThat(closing.await(10, TimeUnit.SECONDS)).isTrue();
    AtomicBoolean closedWhenReturned = new AtomicBoolean();
    Thread closer =
        Thread.ofPlatform()
            .start(
                () -> {
                  grid.close();
                  closedWhenReturned.set(closed.get());
                });
    while (closer.isAlive() && closer.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    mayEnd.countDown();
    closer.join();
    assertThat(closedWhenReturned).isTrue();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
