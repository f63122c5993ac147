package io.cantle.store.library;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogSettings;
import io.cantle.store.log.Lsn;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
final class ByteLogTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final int FILE_BYTES = 1 << 16;

  @TempDir private Path folder = Path.of("");

  static List<LogOptions> settings() {
    return LogSettings.all().stream().map(options -> options.withFileBytes(FILE_BYTES)).toList();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void recoversFromAPosition(LogOptions options) throws Exception {
    long second;
    try (ByteLog log = ByteLog.open(folder, options, 0, ByteVisitor.NONE)) {
      long first = log.append("one".getBytes(UTF_8));
      second = log.append("two".getBytes(UTF_8), TIMEOUT);
      assertThat(second).isGreaterThan(first);
      CompletableFuture<Long> third = new CompletableFuture<>();
      log.submit("three".getBytes(UTF_8), TIMEOUT, third::complete, third::completeExceptionally);
      assertThat(third.get(20, TimeUnit.SECONDS)).isGreaterThan(second);
      assertThat(log.sync(TIMEOUT)).isGreaterThan(third.resultNow());
      assertThat(log.endLsn()).isGreaterThan(third.resultNow());
      assertThat(log.read(second)).isEqualTo("two".getBytes(UTF_8));
      assertThat(scan(log, second)).containsExactly("two", "three");
    }
    List<String> recovered = new ArrayList<>();
    try (ByteLog log =
        ByteLog.open(folder, options, second, (_, record) -> recovered.add(text(record)))) {
      assertThat(recovered).containsExactly("two", "three");
      assertThat(log.read(second)).isEqualTo("two".getBytes(UTF_8));
    }
  }

  @Test
  void refusesASecondOpenLogInAFolder() throws Exception {
    ByteLog first = ByteLog.open(folder, LogOptions.DEFAULT, 0, ByteVisitor.NONE);
    assertThatThrownBy(() -> ByteLog.open(folder, LogOptions.DEFAULT, 0, ByteVisitor.NONE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is open already")
        .hasMessageContaining("close it first");
    first.close();
    ByteLog.open(folder, LogOptions.DEFAULT, 0, ByteVisitor.NONE).close();
  }

  /** A process has one lock of a file: closing any of its channels would release it. */
  @Test
  void refusedOpenKeepsOtherProcessesOut() throws Exception {
    Path store = folder.resolve("log");
    Path same = Files.createSymbolicLink(folder.resolve("same"), store);
    try (ByteLog log = ByteLog.open(store, LogOptions.DEFAULT, 0, ByteVisitor.NONE)) {
      long _ = log.append("one".getBytes(UTF_8), TIMEOUT);
      for (Path path : List.of(store, same)) {
        assertThatThrownBy(() -> ByteLog.open(path, LogOptions.DEFAULT, 0, ByteVisitor.NONE))
            .hasMessageContaining("is open already");
      }
      assertThat(canOtherProcessLock(store)).isFalse();
    }
    assertThat(canOtherProcessLock(store)).isTrue();
  }

  private boolean canOtherProcessLock(Path store) throws Exception {
    Path source = folder.resolve("Locking.java");
    Files.writeString(
        source,
        """
        void main(String[] file) throws Exception {
          try (var channel = java.nio.channels.FileChannel.open(
              Path.of(file[0]), java.nio.file.StandardOpenOption.WRITE)) {
            System.exit(channel.tryLock() == null ? 7 : 8);
          }
        }
        """);
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process process =
        new ProcessBuilder(java.toString(), source.toString(), store.resolve("lock").toString())
            .inheritIO()
            .start();
    int exitCode = process.waitFor();
    assertThat(exitCode).isIn(7, 8);
    return exitCode == 8;
  }

  @Test
  void dropsFilesBeforeARecord() throws Exception {
    try (ByteLog log =
        ByteLog.open(folder, LogOptions.DEFAULT.withFileBytes(FILE_BYTES), 0, ByteVisitor.NONE)) {
      long first = log.append(new byte[FILE_BYTES / 2]);
      long last = first;
      while (Lsn.fileId(last) < 3) {
        last = log.append(new byte[FILE_BYTES / 2]);
      }
      log.dropBefore(last);
      assertThatThrownBy(() -> log.read(first)).isInstanceOf(ClosedChannelException.class);
      assertThat(log.read(last)).hasSize(FILE_BYTES / 2);
      assertThat(scan(log, 0)).hasSize(1);
    }
  }

  private static List<String> scan(ByteLog log, long from) throws IOException {
    List<String> found = new ArrayList<>();
    log.scan(from, (_, record) -> found.add(text(record)));
    return found;
  }

  private static String text(byte[] record) {
    return new String(record, UTF_8);
  }
}
