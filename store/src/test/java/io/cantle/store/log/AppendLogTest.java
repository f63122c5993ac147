package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.disk.FileDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The log on real files, with real threads. */
class AppendLogTest {
  private static final long SECONDS = Duration.ofSeconds(20).toNanos();
  private static final int FILE = 1 << 16;

  @TempDir private Path directory = Path.of("");

  @ParameterizedTest
  @EnumSource
  void givesBackWhatManyAppended(SyncPolicy policy) throws Exception {
    List<Long> numbers = new ArrayList<>();
    try (AppendLog log = open(policy, RecordVisitor.NONE);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> appends = new ArrayList<>();
      for (int index = 0; index < 300; index++) {
        LogRecord record = record(index);
        appends.add(threads.submit(() -> log.append(record, SECONDS)));
      }
      for (Future<Long> append : appends) {
        numbers.add(append.get());
      }
      for (int index = 0; index < 300; index++) {
        assertThat(log.read(numbers.get(index)).key()).isEqualTo(key(index));
      }
      assertThat(scanned(log)).hasSize(300).isSorted();
    }
    List<Long> recovered = new ArrayList<>();
    try (AppendLog log = open(policy, record -> recovered.add(record.lsn()))) {
      assertThat(recovered).isSorted().containsExactlyInAnyOrderElementsOf(numbers);
      for (int index = 0; index < 300; index++) {
        assertThat(log.read(numbers.get(index)).key()).isEqualTo(key(index));
      }
    }
  }

  private static List<Long> scanned(AppendLog log) throws IOException {
    List<Long> numbers = new ArrayList<>();
    log.scan(0, record -> numbers.add(record.lsn()));
    return numbers;
  }

  @Test
  void refusesWhatIsTooLong() throws Exception {
    try (AppendLog log = open(SyncPolicy.GROUP, RecordVisitor.NONE)) {
      LogRecord huge = LogRecord.of((byte) 1, key(1), new byte[FILE]);
      assertThatThrownBy(() -> log.append(huge, SECONDS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("recordBytes");
    }
  }

  private AppendLog open(SyncPolicy policy, RecordVisitor visitor) throws IOException {
    return AppendLog.open(
        new FileDisk(directory.resolve("log")),
        LogOptions.of(policy).withFileBytes(FILE),
        17,
        new TestClock(),
        Thread.ofPlatform().daemon().factory(),
        0,
        visitor);
  }

  private static LogRecord record(int index) {
    return LogRecord.of((byte) 1, key(index), new byte[index * 7]);
  }

  private static byte[] key(int index) {
    return Integer.toString(index).getBytes(StandardCharsets.UTF_8);
  }
}
