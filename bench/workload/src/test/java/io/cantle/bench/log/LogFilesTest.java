package io.cantle.bench.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogFilesTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void overwritesAPreallocatedFileFromItsBeginAgain() throws Exception {
    byte[] large = new byte[48 << 20];
    Arrays.fill(large, (byte) 7);
    Path path = folder.resolve(ChannelLogFile.NAME);
    long size;
    try (ChannelLogFile file = ChannelLogFile.preallocated(folder, true)) {
      size = Files.size(path);
      file.write(List.of(large));
      file.write(List.of(RecordedFile.record(1)));
      file.write(List.of(large));
      file.sync();
    }
    assertThat(Files.size(path)).isEqualTo(size);
    byte[] bytes = Files.readAllBytes(path);
    assertThat(bytes[0]).isEqualTo((byte) 7);
    assertThat(bytes[large.length + Long.BYTES - 1]).isEqualTo((byte) 1);
    assertThat(bytes[bytes.length - 1]).isZero();
  }

  @Test
  void isUnusableAfterAFailure() throws Exception {
    ChannelLogFile file = ChannelLogFile.preallocated(folder, false);
    file.close();
    assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> file.write(List.of(RecordedFile.record(1))))
        .hasMessageContaining("has failed before");
  }

  @Test
  void delaysOnlySyncs() throws Exception {
    var inner = new RecordedFile();
    long delayNanos = 3_000_000;
    try (var file = new DelayedLogFile(inner, delayNanos)) {
      file.write(List.of(RecordedFile.record(1)));
      assertThat(inner.isDurable(1)).isFalse();
      long begin = System.nanoTime();
      file.sync();
      assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(delayNanos);
      assertThat(inner.isDurable(1)).isTrue();
    }
    assertThat(inner.isClosed()).isTrue();
  }

  @Test
  void leavesSyncsToTheSystem() throws Exception {
    var inner = new RecordedFile();
    try (var log = new RawLoop(new UnsyncedLogFile(inner))) {
      log.append(RecordedFile.record(1));
      assertThat(log.syncs()).isZero();
      assertThat(inner.syncs()).isZero();
      assertThat(inner.written()).containsExactly(1L);
    }
  }
}
