package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.container.Lifetime;
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
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.topology.TopologyFixture;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.ResponseHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests reads of evicted entries: the disk is read only if the value is needed. */
final class EvictedValueReadTest {
  private final ManualNodeStore disk = ManualNodeStore.withoutMemory();
  private final OperationFixture node = new OperationFixture(Runnable::run, 1, disk);
  private final ManualClock clock = node.clock;
  private final Member self = node.self;
  private final MessagingService messaging = node.messaging;
  private final TopologyDriver driver = node.driver;
  private final ReplicaTable replicas = node.replicas;
  private final List<OperationResult> answers = new ArrayList<>();

  /** The answer to a read of an entry with this lifetime. */
  private OperationResult read(Lifetime lifetime, boolean wantsValue) {
    messaging.start();
    messaging.onMembersChanged(List.of(self));
    driver.onViewChange(List.of(self));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
    CacheDefinition one =
        new CacheDefinition(
            "one", CacheConfig.distributed().segments(1).durability(Durability.SYNC));
    long hashSeed = driver.current().hashSeed();
    replicas.adopt(
        TopologyFixture.of(
            1,
            hashSeed,
            List.of(self),
            List.of(new CacheOwnership(one, List.of(TopologyFixture.owned(1, self))))),
        Topology.NONE,
        self);
    Replica replica = Objects.requireNonNull(replicas.find(0, 0));
    replica.serveEpoch(1);
    byte[] key = ManualReplica.bytes("k");
    CommandEffect put =
        CommandEffect.put(
            ManualReplica.bytes("kvalue of some length"), OperationResult.TRUE, false);
    long hash = KeyHash.hash(hashSeed, key, 0, key.length);
    ExecuteResult written =
        replica.execute(
            () -> true,
            1,
            new CommandId(new SessionId(self.id(), 1), 1, 1, 1, 1),
            hash,
            key,
            0,
            key.length,
            found -> put.withLifetime(lifetime));
    assertThat(written).isInstanceOf(CommandOutcome.Written.class);
    for (int i = 0; i < 3; i++) {
      disk.flushPending();
      clock.advance(1);
    }
    assertThat(replica.readLocally(hash, key, 0, key.length).evictedEntry()).isNotNull();
    node.readHandler().onRead(self, asked(), question(wantsValue));
    for (int i = 0; i < 3; i++) {
      disk.flushPending();
      clock.advance(1);
    }
    assertThat(answers).hasSize(1);
    return answers.getFirst();
  }

  private Input question(boolean wantsValue) {
    Output out = new Output(64);
    out.writeLong(driver.current().number());
    out.writeVarint(0);
    out.writeVarint(0);
    out.writeBoolean(wantsValue);
    ByteSlice.of(ManualReplica.bytes("k")).write(out);
    return out.toInput();
  }

  private long asked() {
    return messaging.register(
        new ResponseHandler() {
          @Override
          public void onResponse(Member from, Input body) {
            assertThat(body.readByte()).isNotEqualTo((byte) OperationReplyEncoder.REFUSED);
            body.readVarint();
            body.readVarint();
            answers.add(OperationResult.read(body));
          }

          @Override
          public void wake() {}
        });
  }

  @Test
  void containsKeyNeedsNoDisk() {
    assertThat(read(Lifetime.UNLIMITED, false)).isEqualTo(OperationResult.TRUE);
    assertThat(disk.readCount).isZero();
  }

  @Test
  void containsKeyOfAnExpiringEntryNeedsNoDisk() {
    assertThat(read(new Lifetime(3_600_000, 0), false)).isEqualTo(OperationResult.TRUE);
    assertThat(disk.readCount).isZero();
  }

  @Test
  void readOfAnEntryWithMaxIdleLoadsTheValue() {
    assertThat(read(new Lifetime(0, 3_600_000), false)).isEqualTo(OperationResult.TRUE);
    assertThat(disk.readCount).isEqualTo(1);
  }

  @Test
  void valueIsLoadedOnce() {
    assertThat(ManualReplica.text(read(new Lifetime(3_600_000, 0), true)))
        .isEqualTo("value of some length");
    assertThat(disk.readCount).isEqualTo(1);
  }
}
