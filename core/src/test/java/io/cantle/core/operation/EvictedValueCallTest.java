package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.CallTimeoutException;
import io.cantle.Durability;
import io.cantle.WhenCut;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.SessionId;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.ResponseHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how long callers and bulk writes wait for values that are on disk only. */
final class EvictedValueCallTest {
  private static final CacheDefinition ONE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1).durability(Durability.SYNC));

  private static final String LONG = "value of some length";

  private final Member second = ManualNetwork.member("second");
  private final ManualNodeStore disk = ManualNodeStore.withoutMemory();
  private final OperationFixture node = new OperationFixture(Runnable::run, 1, disk);
  private final ManualClock clock = node.clock;
  private final Member self = node.self;
  private final MessagingService messaging = node.messaging;
  private final TopologyDriver driver = node.driver;
  private final CacheResolver cacheResolver = new CacheResolver(driver, clock, ONE);
  private final WriteHandler writeHandler = node.writeHandler(new ConflictResolver(WhenCut.stop()));
  private final List<Integer> refused = new ArrayList<>();
  private long sequence;

  private long life() {
    return driver.current().membership().admissionNumber(self);
  }

  /** Writes keys and waits until their values are on disk only. */
  private void fill(String... keys) {
    for (String key : keys) {
      sequence++;
      node.write(new SessionId(self.id(), life()), sequence, key, LONG, Lifetime.UNLIMITED);
    }
    node.evict(disk, keys);
  }

  private ReadResult read(long nanos) {
    return new OperationClient(node.context, writeHandler, TimeUnit.SECONDS.toNanos(10))
        .read(cacheResolver, ManualReplica.bytes("k"), true, clock.nanoTime() + nanos);
  }

  private void readInVain(long nanos) {
    assertThatExceptionOfType(CallTimeoutException.class).isThrownBy(() -> read(nanos));
  }

  @Test
  void readDoesNotWaitForTheDiskBeyondItsDeadline() {
    node.formGrid(ONE, self);
    fill("k");
    disk.slowReads = new ArrayList<>();
    long begin = clock.nanoTime();
    long nanos = TimeUnit.MILLISECONDS.toNanos(100);
    readInVain(nanos);
    assertThat(clock.nanoTime() - begin).isEqualTo(nanos);
    assertThat(disk.readCount).isEqualTo(1);
  }

  @Test
  void valueIsNotLoadedWhenTheReadMayNotBeAnsweredLocally() {
    node.formGrid(ONE, self, second);
    fill("k");
    readInVain(TimeUnit.SECONDS.toNanos(1));
    assertThat(disk.readCount).isZero();
  }

  @Test
  void readSucceedsThoughTheValueIsEvictedAgainAtOnce() {
    node.formGrid(ONE, self);
    fill("k");
    disk.slowReads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      clock.whileParked.add(
          () -> {
            List<Runnable> due = List.copyOf(Objects.requireNonNull(disk.slowReads));
            Objects.requireNonNull(disk.slowReads).clear();
            due.forEach(Runnable::run);
            node.flush(disk);
          });
    }
    assertThat(ManualReplica.text(read(TimeUnit.SECONDS.toNanos(1)).value())).isEqualTo(LONG);
    assertThat(disk.readCount).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bulkWriteWaitsOnlyOnceForAStuckDisk(boolean ended) {
    node.formGrid(ONE, self);
    fill("k", "l", "m");
    disk.slowReads = new ArrayList<>();
    disk.readsEnded = ended;
    long begin = clock.nanoTime();
    node.bulkWriteHandler(writeHandler).onBulkWrite(self, asked(), bulk("k", "l", "m"));
    assertThat(refused).containsExactly(0, 1, 2);
    assertThat(clock.nanoTime() - begin).isEqualTo(ended ? 0 : TimeUnit.SECONDS.toNanos(2));
  }

  private Input bulk(String... keys) {
    Output out = new Output(64);
    out.writeLong(driver.current().number());
    out.writeVarint(0);
    out.writeVarint(life());
    out.writeVarint(keys.length);
    for (String key : keys) {
      sequence++;
      Put put = new Put(ByteSlice.of(ManualReplica.bytes("new")), false);
      new BulkWriteItem(0, 1, 1, 1, sequence, sequence, ByteSlice.of(ManualReplica.bytes(key)), put)
          .write(out);
    }
    return out.toInput();
  }

  private long asked() {
    return messaging.register(
        new ResponseHandler() {
          @Override
          public void onResponse(Member from, Input body) {
            assertThat(body.readBoolean()).isTrue();
            for (int left = body.readCount(3); left > 0; left--) {
              refused.add(body.readCount(3));
            }
          }

          @Override
          public void wake() {}
        });
  }
}
