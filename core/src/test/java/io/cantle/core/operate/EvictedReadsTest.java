package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Attempt;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.HandReplica;
import io.cantle.core.replica.Outcome;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.store.HandStore;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagesOnly;
import io.cantle.core.transport.Requests;
import io.cantle.core.transport.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Reads of what is on disk only: they cost a read of the disk if the value is needed. */
final class EvictedReadsTest {
  private final HandClock clock = new HandClock();
  private final World world = new World(clock, Runnable::run, new Random(1));
  private final Member self = HandNetwork.member("self");
  private final Codec codec =
      new Codec(AllowList.of(List.of()), EvictedReadsTest.class.getClassLoader());
  private final HandStore disk = new HandStore();
  private final Requests requests =
      new Requests(
          new HandNetwork().transport(self),
          world,
          (MessagesOnly)
              (kind, from, request, body) -> {
                keeper().came(kind, from, body);
              });
  private final TopologyKeeper keeper = HandTopology.keeper(requests, world, 1);
  private final List<Result> answers = new ArrayList<>();

  private TopologyKeeper keeper() {
    return keeper;
  }

  /** The answer to a read of a value that lasts so long. */
  private Result read(Lifetime lifetime, boolean wantsValue) {
    requests.start();
    requests.members(List.of(self));
    keeper.members(List.of(self));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
    disk.memoryBytes = 0;
    Replicas replicas =
        new Replicas(new Decoded(codec, 1 << 20), new HybridClock(clock), clock, disk);
    CommitNotices notices = new CommitNotices(requests, keeper, world, replicas);
    CacheDefinition one =
        new CacheDefinition(
            "one", CacheConfig.distributed().segments(1).durability(Durability.SYNC));
    long hashSeed = keeper.current().hashSeed();
    replicas.adopt(
        HandTopology.of(
            1,
            hashSeed,
            List.of(self),
            List.of(new CacheOwnership(one, List.of(HandTopology.owned(1, self))))),
        Topology.NONE,
        self);
    Replica replica = Objects.requireNonNull(replicas.find(0, 0));
    replica.serve(1);
    byte[] key = HandReplica.bytes("k");
    Effect put = Effect.put(HandReplica.bytes("kvalue of some length"), Result.TRUE, false);
    long hash = KeyHash.hash(hashSeed, key, 0, key.length);
    Attempt written =
        replica.execute(
            () -> true,
            1,
            new Command(new SessionId(self.id(), 1), 1, 1, 1, 1),
            hash,
            key,
            0,
            key.length,
            found -> put.lasting(lifetime));
    assertThat(written).isInstanceOf(Outcome.Written.class);
    for (int i = 0; i < 3; i++) {
      disk.flush();
      clock.advance(1);
    }
    assertThat(replica.peek(hash, key, 0, key.length).evicted()).isNotNull();
    new Readers(
            requests,
            keeper,
            replicas,
            new Acks(requests, world, replicas, notices),
            new Expiry(requests, keeper, world, replicas, notices))
        .came(self, asked(), question(wantsValue));
    for (int i = 0; i < 3; i++) {
      disk.flush();
      clock.advance(1);
    }
    assertThat(answers).hasSize(1);
    return answers.getFirst();
  }

  private Input question(boolean wantsValue) {
    Output out = new Output(64);
    out.writeLong(keeper.current().number());
    out.writeVarint(0);
    out.writeVarint(0);
    out.writeBoolean(wantsValue);
    Slice.of(HandReplica.bytes("k")).write(out);
    return out.toInput();
  }

  private long asked() {
    return requests.register(
        new Waiting() {
          @Override
          public void answered(Member from, Input body) {
            assertThat(body.readByte()).isNotEqualTo((byte) Answers.REFUSED);
            body.readVarint();
            body.readVarint();
            answers.add(Result.read(body));
          }

          @Override
          public void wake() {}
        });
  }

  @Test
  void whetherThereIsAKeyIsKnownWithoutTheDisk() {
    assertThat(read(Lifetime.UNLIMITED, false)).isEqualTo(Result.TRUE);
    assertThat(disk.reads).isZero();
  }

  @Test
  void theSameOfOneThatEndsSomeTime() {
    assertThat(read(new Lifetime(3_600_000, 0), false)).isEqualTo(Result.TRUE);
    assertThat(disk.reads).isZero();
  }

  @Test
  void whereReadsAreNotedTheValueIsNeeded() {
    assertThat(read(new Lifetime(0, 3_600_000), false)).isEqualTo(Result.TRUE);
    assertThat(disk.reads).isEqualTo(1);
  }

  @Test
  void aValueIsReadOnce() {
    assertThat(HandReplica.text(read(new Lifetime(3_600_000, 0), true)))
        .isEqualTo("value of some length");
    assertThat(disk.reads).isEqualTo(1);
  }
}
