package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.Effect;
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
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Keys that are looked up by their names, with values that are on disk only. */
final class ScannedTest {
  private static final long SEED = 42;
  private static final int VALUE_BYTES = 200_000;

  private final Member self = HandNetwork.member("self");
  private final HandClock clock = new HandClock();
  private final HandStore disk = new HandStore();

  private Replica replica() {
    disk.memoryBytes = 0;
    Replicas replicas =
        new Replicas(
            new Decoded(new Codec(AllowList.of(List.of()), getClass().getClassLoader()), 1 << 20),
            new HybridClock(clock),
            clock,
            disk);
    CacheDefinition one =
        new CacheDefinition(
            "one", CacheConfig.distributed().segments(1).durability(Durability.SYNC));
    replicas.adopt(
        HandTopology.of(
            1,
            SEED,
            List.of(self),
            List.of(new CacheOwnership(one, List.of(HandTopology.owned(1, self))))),
        Topology.NONE,
        self);
    Replica replica = Objects.requireNonNull(replicas.find(0, 0));
    replica.serve(1);
    return replica;
  }

  private void put(Replica replica, byte[] key, long sequence) {
    byte[] both = Arrays.copyOf(key, key.length + VALUE_BYTES);
    Command command = new Command(new SessionId(self.id(), 1), sequence, 1, 1, 1);
    Outcome written =
        (Outcome)
            replica.execute(
                () -> true,
                1,
                command,
                KeyHash.hash(SEED, key, 0, key.length),
                key,
                0,
                key.length,
                found -> Effect.put(both, Result.ABSENT, false));
    assertThat(written).isInstanceOf(Outcome.Written.class);
  }

  @Test
  void ofLongValuesFewAreReadTogether() {
    Replica replica = replica();
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      keys.add(("k" + i).getBytes(StandardCharsets.UTF_8));
    }
    keys.sort(
        Comparator.comparingLong(key -> KeyHash.hash(SEED, key, 0, key.length) + Long.MIN_VALUE));
    for (int i = 0; i < keys.size(); i++) {
      put(replica, keys.get(i), i + 1);
    }
    for (int i = 0; i < 10; i++) {
      disk.flush();
      clock.advance(1);
    }
    Scanned scanned = new Scanned(replica, replica.state(), new Want(0, Cursor.START, keys), SEED);
    List<Long> seen = new ArrayList<>();
    Cursor at =
        scanned.scan(
            Cursor.START,
            true,
            entry -> {
              seen.add(entry.index());
              return seen.size() == 2 ? Visit.STOP_AFTER : Visit.NEXT;
            });
    assertThat(disk.reads).isBetween(2, 6);
    scanned.scan(
        at,
        true,
        entry -> {
          entry.mustBeWhole();
          seen.add(entry.index());
          return Visit.NEXT;
        });
    assertThat(seen).hasSize(50).isSorted();
  }
}
