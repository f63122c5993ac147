package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Parting;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.SessionId;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Mode;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagesOnly;
import io.cantle.core.transport.Requests;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a primary counts that merges: threads start when the test says so. */
final class MergeCountTest {
  private final HandClock clock = new HandClock();
  private final Queue<Runnable> threads = new ArrayDeque<>();
  private final World world = new World(clock, threads::add, new Random(1));
  private final Member self = HandNetwork.member("self");
  private final Codec codec =
      new Codec(AllowList.of(List.of()), MergeCountTest.class.getClassLoader());
  private final Slice key = Slice.of(codec.encodeKey("k"));
  private final Replicas replicas =
      new Replicas(new Decoded(codec, 1 << 20), new HybridClock(clock), clock);
  private final Requests requests =
      new Requests(
          new HandNetwork().transport(self), world, (MessagesOnly) (kind, from, id, body) -> {});
  private final TopologyKeeper keeper = HandTopology.keeper(requests, world, 1);
  private final CommitNotices notices = new CommitNotices(requests, keeper, world, replicas);
  private final Conflicts conflicts =
      new Conflicts(
          WhenCut.available(MergePolicy.custom((cache, name, ours, theirs) -> "" + ours + theirs)));
  private final Writers writers =
      new Writers(
          requests,
          keeper,
          world,
          replicas,
          notices,
          new Acks(requests, world, replicas, notices),
          new Expiry(requests, keeper, world, replicas, notices),
          codec,
          conflicts);

  @BeforeEach
  void open() {
    requests.start();
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(1));
    Topology topology =
        HandTopology.used(
            HandTopology.of(
                1,
                3,
                List.of(self),
                List.of(new CacheOwnership(one, List.of(HandTopology.owned(1, self))))));
    Output out = new Output(64);
    topology.write(out);
    keeper.came(Kind.TOPOLOGY, self, out.toInput());
    replicas.adopt(topology, Topology.NONE, self);
    assertThat(Objects.requireNonNull(replicas.find(0, 0)).serve(1)).isTrue();
    carryOut(1, new Put(Slice.of(codec.encodeValue("ours")), false));
  }

  private void carryOut(long sequence, Operation operation) {
    Command command = new Command(new SessionId(self.id(), 1), sequence, 1, sequence, 1);
    writers.write(self, 0, 0, 1, command, key, operation);
  }

  private void runThreads() {
    for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
      next.run();
    }
  }

  private Merge theirs(Mode mode) {
    Slice value = Slice.of(codec.encodeValue("theirs"));
    return new Merge(HandTopology.GRID, 1, mode, false, Parting.NEVER_TOGETHER, 1, value);
  }

  @Test
  void aMergeWhoseMessageComesTwiceIsCountedOnce() {
    carryOut(2, theirs(Mode.REMOVE));
    carryOut(2, theirs(Mode.REMOVE));
    assertThat(conflicts.losses().removed()).isEqualTo(2);
  }

  @Test
  void whatAFunctionMadeIsCountedOnceThoughTheMessageCameAgainBeforeItRan() {
    carryOut(2, theirs(Mode.CUSTOM));
    carryOut(2, theirs(Mode.CUSTOM));
    assertThat(conflicts.losses().overwritten()).isZero();
    runThreads();
    assertThat(conflicts.losses().overwritten()).isEqualTo(2);
  }
}
