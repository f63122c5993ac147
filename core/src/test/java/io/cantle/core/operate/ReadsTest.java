package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a primary answers to a read of what its backup has not acknowledged yet. */
final class ReadsTest {
  private final HandClock clock = new HandClock();
  private final World world = new World(clock, Runnable::run, new Random(1));
  private final Member self = HandNetwork.member("self");
  private final Member backup = HandNetwork.member("backup");
  private final Codec codec = new Codec(AllowList.of(List.of()), ReadsTest.class.getClassLoader());
  private final Replicas replicas =
      new Replicas(new Decoded(codec, 1 << 20), new HybridClock(clock), clock);
  private final HandNetwork network = new HandNetwork();
  private final Requests requests =
      new Requests(
          network.transport(self),
          world,
          (MessagesOnly)
              (kind, from, request, body) -> {
                keeper().came(kind, from, body);
              });
  private final TopologyKeeper keeper = HandTopology.keeper(requests, world, 1);
  private final CommitNotices notices = new CommitNotices(requests, keeper, world, replicas);
  private final Readers readers =
      new Readers(
          requests,
          keeper,
          replicas,
          new Acks(requests, world, replicas, notices),
          new Expiry(requests, keeper, world, replicas, notices));
  private final List<String> answers = new ArrayList<>();
  private Topology topology = Topology.NONE;
  private long sequence;

  private TopologyKeeper keeper() {
    return keeper;
  }

  @BeforeEach
  void open() {
    requests.start();
    requests.members(List.of(self));
    // Alone it holds a lease; what it believes of its segment is another matter.
    keeper.members(List.of(self));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
    enter(1);
  }

  private void enter(int epoch) {
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(1));
    Topology next =
        HandTopology.of(
            epoch,
            keeper.current().hashSeed(),
            List.of(self, backup),
            List.of(new CacheOwnership(one, List.of(HandTopology.owned(epoch, self, backup)))));
    replicas.adopt(next, topology, self);
    topology = next;
    replica().serve(epoch);
  }

  private Replica replica() {
    return Objects.requireNonNull(replicas.find(0, 0));
  }

  private long hash(byte[] key) {
    return KeyHash.hash(keeper.current().hashSeed(), key, 0, key.length);
  }

  private void write(String value) {
    byte[] key = HandReplica.bytes("k");
    byte[] both = HandReplica.bytes("k" + value);
    sequence++;
    Command command = new Command(new SessionId(backup.id(), 1), sequence, sequence, 1, 1);
    Attempt outcome =
        replica()
            .execute(
                () -> true,
                replica().state().epoch(),
                command,
                hash(key),
                key,
                0,
                key.length,
                found -> Effect.put(both, Result.TRUE, false));
    assertThat(outcome).isInstanceOf(Outcome.Written.class);
  }

  private void read() {
    long number =
        requests.register(
            new Waiting() {
              @Override
              public void answered(Member from, Input body) {
                if (body.readByte() == Answers.REFUSED) {
                  answers.add("refused");
                } else {
                  body.readVarint();
                  body.readVarint();
                  answers.add(HandReplica.text(Result.read(body)));
                }
              }

              @Override
              public void wake() {}
            });
    Output out = new Output(64);
    out.writeLong(keeper.current().number());
    out.writeVarint(0);
    out.writeVarint(0);
    out.writeBoolean(true);
    Slice.of(HandReplica.bytes("k")).write(out);
    readers.came(self, number, out.toInput());
  }

  @Test
  void whatIsNotCommittedIsToldOnceItIs() {
    write("1");
    read();
    assertThat(answers).isEmpty();
    replica().acked(backup, 1, 1);
    assertThat(answers).containsExactly("1");
  }

  @Test
  void aKeyThatIsWrittenAgainAndAgainIsToldAsItWasWhenItWasAskedFor() {
    write("1");
    replica().acked(backup, 1, 1);
    write("2");
    read();
    network.underWay.clear();
    write("3");
    replica().acked(backup, 1, 2);
    assertThat(answers).containsExactly("2");
    assertThat(network.underWay).as("nobody is asked again").isEmpty();
    read();
    assertThat(answers).as("what came later is not committed").hasSize(1);
    replica().acked(backup, 1, 3);
    assertThat(answers).containsExactly("2", "3");
  }

  @Test
  void aReadThatWaitsIsRefusedWhenTheEpochEnds() {
    write("1");
    read();
    enter(2);
    assertThat(answers).containsExactly("refused");
  }
}
