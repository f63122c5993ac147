package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Entry;
import io.cantle.core.wire.PullRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How scans read values that are only on disk. */
final class EvictedValueScanTest {
  private static final int KEYS = 100;

  private final ScanFixture rig = ScanFixture.stored(4).filled(KEYS, 200).evicted();

  private List<String> iterated(byte @Nullable [] task) {
    List<String> seen = new ArrayList<>();
    rig.scanner
        .iterate(
            new PullClient.ScanSpec(PullRequest.EntryPart.KEY, task, ScanOptions.ALL),
            ScanFixture::key)
        .forEachRemaining(seen::add);
    return seen;
  }

  private long reduced(ScanOptions options) {
    long[] total = new long[1];
    rig.scanner.reduce(
        ScanFixture.task(),
        options,
        partial -> {
          total[0] += partial.readVarint();
          return true;
        });
    return total[0];
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tasksLoadOnlyNeededValues(boolean needsValues) {
    ScanFixture.Counting tasks =
        rig.counting(entry -> assertThat(entry.isEvicted()).isEqualTo(!needsValues));
    tasks.needsValues = needsValues;
    assertThat(iterated(ScanFixture.task())).hasSize(KEYS).doesNotHaveDuplicates();
    assertThat(rig.disk.readCount).isEqualTo(needsValues ? KEYS : 0);
    assertThat(reduced(ScanOptions.ALL)).isEqualTo(KEYS);
    assertThat(rig.disk.readCount).isEqualTo(needsValues ? 2 * KEYS : 0);
  }

  @Test
  void keyScansAndCountsLoadNoValues() {
    assertThat(iterated(ScanFixture.none())).hasSize(KEYS);
    assertThat(rig.scanner.count(ScanOptions.ALL)).isEqualTo(KEYS);
    assertThat(rig.scanner.count(some(30))).isEqualTo(30);
    assertThat(rig.disk.readCount).isZero();
  }

  private ScanOptions some(int count) {
    return ScanOptions.ALL.keys(
        rig.keys().subList(0, count).stream().map(ScanFixture::bytes).toList());
  }

  @Test
  void scanOfNamedKeysKeepsTheirValuesInMemory() {
    rig.counting(Entry::requireValue);
    assertThat(reduced(some(30))).isEqualTo(30);
    assertThat(rig.disk.readCount).isEqualTo(30);
    assertThat(reduced(some(30))).isEqualTo(30);
    assertThat(rig.disk.readCount).as("they are there").isEqualTo(30);
    rig.evicted();
    assertThat(reduced(ScanOptions.ALL)).isEqualTo(KEYS);
    int before = rig.disk.readCount;
    assertThat(reduced(ScanOptions.ALL)).isEqualTo(KEYS);
    assertThat(rig.disk.readCount).as("a scan leaves memory as it is").isEqualTo(2 * before);
  }
}
