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
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.ExecuteResult;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.CacheResolver;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.topology.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
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
  private final ReplicaTable replicas = node.replicas;
  private final WriteHandler writeHandler = node.writeHandler(new ConflictResolver(WhenCut.stop()));
  private final List<Integer> refused = new ArrayList<>();
  private long sequence;

  private void open(Member... owners) {
    messaging.start();
    messaging.onMembersChanged(List.of(self));
    driver.onViewChange(List.of(self));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
    Topology founded = driver.current();
    Topology next =
        TopologyFixture.written(
            new Topology(
                founded.number() + 1,
                founded.gridDefinition(),
                founded.membership(),
                List.of(new CacheOwnership(ONE, List.of(TopologyFixture.owned(1, owners))))));
    Output out = new Output(64);
    next.write(out);
    driver.onMessage(MessageKind.TOPOLOGY, self, out.toInput());
    replicas.adopt(driver.current(), Topology.NONE, self);
    replica().serveEpoch(1);
  }

  private Replica replica() {
    return Objects.requireNonNull(replicas.find(0, 0));
  }

  private long life() {
    return driver.current().membership().admissionNumber(self);
  }

  /** Writes keys and waits until their values are on disk only. */
  private void fill(String... keys) {
    for (String text : keys) {
      byte[] key = ManualReplica.bytes(text);
      CommandEffect put =
          CommandEffect.put(ManualReplica.bytes(text + LONG), OperationResult.TRUE, false);
      sequence++;
      CommandId command = new CommandId(new SessionId(self.id(), life()), sequence, sequence, 1, 1);
      ExecuteResult written =
          replica().execute(() -> true, 1, command, hash(key), key, 0, key.length, found -> put);
      assertThat(written).isInstanceOf(CommandOutcome.Written.class);
    }
    settle();
    for (String text : keys) {
      byte[] key = ManualReplica.bytes(text);
      assertThat(replica().readLocally(hash(key), key, 0, key.length).evictedEntry()).isNotNull();
    }
  }

  private long hash(byte[] key) {
    return KeyHash.hash(driver.current().hashSeed(), key, 0, key.length);
  }

  private void settle() {
    for (int i = 0; i < 5; i++) {
      disk.flushPending();
      clock.advance(1);
    }
  }

  private ReadResult read(long nanos) {
    return new OperationClient(
            messaging, driver, replicas, writeHandler, TimeUnit.SECONDS.toNanos(10))
        .read(cacheResolver, ManualReplica.bytes("k"), true, clock.nanoTime() + nanos);
  }

  private void readInVain(long nanos) {
    assertThatExceptionOfType(CallTimeoutException.class).isThrownBy(() -> read(nanos));
  }

  @Test
  void readDoesNotWaitForTheDiskBeyondItsDeadline() {
    open(self);
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
    open(self, second);
    fill("k");
    readInVain(TimeUnit.SECONDS.toNanos(1));
    assertThat(disk.readCount).isZero();
  }

  @Test
  void readSucceedsThoughTheValueIsEvictedAgainAtOnce() {
    open(self);
    fill("k");
    disk.slowReads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      clock.whileParked.add(
          () -> {
            List<Runnable> due = List.copyOf(Objects.requireNonNull(disk.slowReads));
            Objects.requireNonNull(disk.slowReads).clear();
            due.forEach(Runnable::run);
            settle();
          });
    }
    assertThat(ManualReplica.text(read(TimeUnit.SECONDS.toNanos(1)).value())).isEqualTo(LONG);
    assertThat(disk.readCount).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bulkWriteWaitsOnlyOnceForAStuckDisk(boolean ended) {
    open(self);
    fill("k", "l", "m");
    disk.slowReads = new ArrayList<>();
    disk.readsEnded = ended;
    long begin = clock.nanoTime();
    new BulkWriteHandler(
            messaging,
            driver,
            node.environment,
            replicas,
            node.commitNotifier,
            node.ackExchange,
            writeHandler)
        .onBulkWrite(self, asked(), bulk("k", "l", "m"));
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
      new BulkWriteItem(0, 1, 1, sequence, sequence, ByteSlice.of(ManualReplica.bytes(key)), put)
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
