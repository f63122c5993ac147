package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.container.Lifetime;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests reads of evicted entries: the disk is read only if the value is needed. */
final class EvictedValueReadTest {
  private static final CacheDefinition ONE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1).durability(Durability.SYNC));

  private final ManualNodeStore disk = ManualNodeStore.withoutMemory();
  private final OperationFixture node = new OperationFixture(Runnable::run, 1, disk);
  private final List<OperationResult> answers = new ArrayList<>();

  /** The answer to a read of an entry with this lifetime. */
  private OperationResult read(Lifetime lifetime, boolean wantsValue) {
    node.formGrid(ONE, node.self);
    node.write(new SessionId(node.self.id(), 1), 1, "k", "value of some length", lifetime);
    node.evict(disk, "k");
    node.read(
        node.readHandler(), "k", wantsValue, result -> answers.add(Objects.requireNonNull(result)));
    node.flush(disk);
    assertThat(answers).hasSize(1);
    return answers.getFirst();
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
