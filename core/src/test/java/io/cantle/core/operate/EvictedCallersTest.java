package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.TimeoutException;
import io.cantle.WhenCut;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
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
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long callers and bulk writes wait for what is on disk only. */
final class EvictedCallersTest {
  private static final CacheDefinition ONE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1).durability(Durability.SYNC));

  private static final String LONG = "value of some length";

  private final HandClock clock = new HandClock();
  private final World world = new World(clock, Runnable::run, new Random(1));
  private final Member self = HandNetwork.member("self");
  private final Member second = HandNetwork.member("second");
  private final Codec codec =
      new Codec(AllowList.of(List.of()), EvictedCallersTest.class.getClassLoader());
  private final HandStore disk = small();
  private final Requests requests =
      new Requests(
          new HandNetwork().transport(self),
          world,
          (MessagesOnly)
              (kind, from, request, body) -> {
                if (kind != Kind.READ) {
                  keeper().came(kind, from, body);
                }
              });
  private final TopologyKeeper keeper = HandTopology.keeper(requests, world, 1);
  private final CachePlace place = new CachePlace(keeper, clock, ONE);
  private final Replicas replicas =
      new Replicas(new Decoded(codec, 1 << 20), new HybridClock(clock), clock, disk);
  private final CommitNotices notices = new CommitNotices(requests, keeper, world, replicas);
  private final Acks acks = new Acks(requests, world, replicas, notices);
  private final Writers writers =
      new Writers(
          requests,
          keeper,
          world,
          replicas,
          notices,
          acks,
          new Expiry(requests, keeper, world, replicas, notices),
          codec,
          new Conflicts(WhenCut.stop()));
  private final List<Integer> refused = new ArrayList<>();
  private long sequence;

  private static HandStore small() {
    HandStore disk = new HandStore();
    disk.memoryBytes = 0;
    return disk;
  }

  private TopologyKeeper keeper() {
    return keeper;
  }

  private void open(Member... owners) {
    requests.start();
    requests.members(List.of(self));
    keeper.members(List.of(self));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
    Topology founded = keeper.current();
    Topology next =
        HandTopology.used(
            new Topology(
                founded.number() + 1,
                founded.charter(),
                founded.membership(),
                List.of(new CacheOwnership(ONE, List.of(HandTopology.owned(1, owners))))));
    Output out = new Output(64);
    next.write(out);
    keeper.came(Kind.TOPOLOGY, self, out.toInput());
    replicas.adopt(keeper.current(), Topology.NONE, self);
    replica().serve(1);
  }

  private Replica replica() {
    return Objects.requireNonNull(replicas.find(0, 0));
  }

  private long life() {
    return keeper.current().membership().admission(self);
  }

  /** Writes keys, until their values are on disk only. */
  private void fill(String... keys) {
    for (String text : keys) {
      byte[] key = HandReplica.bytes(text);
      Effect put = Effect.put(HandReplica.bytes(text + LONG), Result.TRUE, false);
      sequence++;
      Command command = new Command(new SessionId(self.id(), life()), sequence, sequence, 1, 1);
      Attempt written =
          replica().execute(() -> true, 1, command, hash(key), key, 0, key.length, found -> put);
      assertThat(written).isInstanceOf(Outcome.Written.class);
    }
    settle();
    for (String text : keys) {
      byte[] key = HandReplica.bytes(text);
      assertThat(replica().peek(hash(key), key, 0, key.length).evicted()).isNotNull();
    }
  }

  private long hash(byte[] key) {
    return KeyHash.hash(keeper.current().hashSeed(), key, 0, key.length);
  }

  private void settle() {
    for (int i = 0; i < 5; i++) {
      disk.flush();
      clock.advance(1);
    }
  }

  private Found read(long nanos) {
    return new Callers(requests, keeper, replicas, writers, TimeUnit.SECONDS.toNanos(10))
        .read(place, HandReplica.bytes("k"), true, clock.nanoTime() + nanos);
  }

  private void readInVain(long nanos) {
    assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> read(nanos));
  }

  @Test
  void aLookUpWaitsForTheDiskNoLongerThanItMay() {
    open(self);
    fill("k");
    disk.slowReads = new ArrayList<>();
    long begin = clock.nanoTime();
    long nanos = TimeUnit.MILLISECONDS.toNanos(100);
    readInVain(nanos);
    assertThat(clock.nanoTime() - begin).isEqualTo(nanos);
    assertThat(disk.reads).isEqualTo(1);
  }

  @Test
  void whatMayNotBeToldHereIsNotRead() {
    open(self, second);
    fill("k");
    readInVain(TimeUnit.SECONDS.toNanos(1));
    assertThat(disk.reads).isZero();
  }

  @Test
  void aLookUpComesToItsEndThoughTheValueGoesAgainAtOnce() {
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
    assertThat(HandReplica.text(read(TimeUnit.SECONDS.toNanos(1)).value())).isEqualTo(LONG);
    assertThat(disk.reads).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBulkWaitsOnceForADiskThatDoesNotAnswer(boolean ended) {
    open(self);
    fill("k", "l", "m");
    disk.slowReads = new ArrayList<>();
    disk.ended = ended;
    long begin = clock.nanoTime();
    new BulkWriters(requests, keeper, world, replicas, notices, acks, writers)
        .came(self, asked(), bulk("k", "l", "m"));
    assertThat(refused).containsExactly(0, 1, 2);
    assertThat(clock.nanoTime() - begin).isEqualTo(ended ? 0 : TimeUnit.SECONDS.toNanos(2));
  }

  private Input bulk(String... keys) {
    Output out = new Output(64);
    out.writeLong(keeper.current().number());
    out.writeVarint(0);
    out.writeVarint(life());
    out.writeVarint(keys.length);
    for (String key : keys) {
      sequence++;
      Put put = new Put(Slice.of(HandReplica.bytes("new")), false);
      new BulkItem(0, 1, 1, sequence, sequence, Slice.of(HandReplica.bytes(key)), put).write(out);
    }
    return out.toInput();
  }

  private long asked() {
    return requests.register(
        new Waiting() {
          @Override
          public void answered(Member from, Input body) {
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
