package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What scans read of values that are on disk only. */
final class EvictedScansTest {
  private static final int KEYS = 100;

  private final ScanRig rig = ScanRig.kept(4).filled(KEYS, 200).evicted();

  private List<String> iterated(byte @Nullable [] task) {
    List<String> seen = new ArrayList<>();
    rig.scans
        .iterate(Scans.Part.KEY, task, ScanOptions.ALL, ScanRig::key)
        .forEachRemaining(seen::add);
    return seen;
  }

  private long reduced(ScanOptions options) {
    long[] total = new long[1];
    rig.scans.reduce(
        ScanRig.TASK,
        options,
        partial -> {
          total[0] += partial.readVarint();
          return true;
        });
    return total[0];
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tasksReadWhatTheyNeed(boolean needsValues) {
    ScanRig.Counting tasks =
        rig.counting(entry -> assertThat(entry.isEvicted()).isEqualTo(!needsValues));
    tasks.needsValues = needsValues;
    assertThat(iterated(ScanRig.TASK)).hasSize(KEYS).doesNotHaveDuplicates();
    assertThat(rig.disk.reads).isEqualTo(needsValues ? KEYS : 0);
    assertThat(reduced(ScanOptions.ALL)).isEqualTo(KEYS);
    assertThat(rig.disk.reads).isEqualTo(needsValues ? 2 * KEYS : 0);
  }

  @Test
  void keysAndCountsReadNothing() {
    assertThat(iterated(ScanRig.none())).hasSize(KEYS);
    assertThat(rig.scans.count(ScanOptions.ALL)).isEqualTo(KEYS);
    assertThat(rig.scans.count(some(30))).isEqualTo(30);
    assertThat(rig.disk.reads).isZero();
  }

  private ScanOptions some(int count) {
    return ScanOptions.ALL.keys(rig.keys().subList(0, count).stream().map(ScanRig::bytes).toList());
  }

  @Test
  void whoNamesKeysHasThemInMemoryAfterwards() {
    rig.counting(Entry::mustBeWhole);
    assertThat(reduced(some(30))).isEqualTo(30);
    assertThat(rig.disk.reads).isEqualTo(30);
    assertThat(reduced(some(30))).isEqualTo(30);
    assertThat(rig.disk.reads).as("they are there").isEqualTo(30);
    rig.evicted();
    assertThat(reduced(ScanOptions.ALL)).isEqualTo(KEYS);
    int before = rig.disk.reads;
    assertThat(reduced(ScanOptions.ALL)).isEqualTo(KEYS);
    assertThat(rig.disk.reads).as("a scan leaves memory as it is").isEqualTo(2 * before);
  }
}
