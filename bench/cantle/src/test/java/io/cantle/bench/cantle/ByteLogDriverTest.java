package io.cantle.bench.cantle;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.bench.log.LogCell;
import io.cantle.bench.log.LogSetting;
import io.cantle.bench.log.LogUnderTest;
import io.cantle.bench.log.LogVariant;
import io.cantle.store.library.ByteLog;
import io.cantle.store.log.LogOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
final class ByteLogDriverTest {
  @TempDir private Path folder = Path.of("");

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ROCKSDB", "ARTEMIS", "RAW"})
  void opensTheLogOfEachVariant(LogVariant variant) throws Exception {
    var setting = new LogSetting(folder, LogCell.of(variant, 2), true, 0);
    try (LogUnderTest log = new ByteLogDriver().open(setting)) {
      for (byte number = 1; number <= 3; number++) {
        log.append(new byte[] {number});
      }
      assertThat(log.syncs()).isEqualTo(3);
    }
    List<byte[]> found = new ArrayList<>();
    ByteLog.open(folder, LogOptions.DEFAULT, 0, (_, record) -> found.add(record)).close();
    assertThat(found).containsExactly(new byte[] {1}, new byte[] {2}, new byte[] {3});
  }

  @ParameterizedTest
  @EnumSource(names = {"SIMPLE", "CANTLE"})
  void syncsNoRecordWhereNothingIsToBeSynced(LogVariant variant) throws Exception {
    var setting = new LogSetting(folder, LogCell.of(variant, 2), false, 0);
    try (LogUnderTest log = new ByteLogDriver().open(setting)) {
      log.append(new byte[] {1});
      assertThat(log.syncs()).isZero();
    }
  }
}
