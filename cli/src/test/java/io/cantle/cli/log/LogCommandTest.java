package io.cantle.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.library.ByteLog;
import io.cantle.store.library.ByteVisitor;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogRecord;
import io.cantle.store.log.LogStrategy;
import io.cantle.store.log.Lsn;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreOptions;
import io.cantle.store.segment.StoredEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class LogCommandTest {
  private static final long WAIT = Duration.ofSeconds(20).toNanos();

  @TempDir private Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @Test
  void namesAFlippedBitOfASampledRecord() throws Exception {
    write(folder).close();
    assertThat(run("log", "verify", folder.toString())).isZero();
    assertThat(out()).contains("damaged: 0");

    assertThat(run("log", "inspect", folder.toString())).isZero();
    assertThat(out()).contains("keys: 50", "first damage: none", "files: ");
    String[] record =
        out()
            .lines()
            .dropWhile(line -> !line.startsWith("some records"))
            .skip(3)
            .findFirst()
            .orElseThrow()
            .split(" +", -1);
    flip(folder.resolve(record[0]), Long.parseLong(record[1]) + Long.parseLong(record[2]) / 2);

    Path json = folder.resolveSibling("verify.json");
    assertThat(run("log", "verify", folder.toString(), "--json", json.toString())).isOne();
    assertThat(out())
        .contains("damaged: 1")
        .contains(
            "damaged: "
                + record[0]
                + ", offset "
                + record[1]
                + ", segment "
                + record[4]
                + " of cache "
                + record[3]);
    assertThat(json).content().contains("\"damaged\": 1", "\"segment\": " + record[4]);
    assertThat(run("log", "inspect", folder.toString())).isOne();
    assertThat(out()).contains("first damage: " + record[0]);
    Files.delete(json);
  }

  @Test
  void verifiesALogOfAProgramWithoutAGrid() throws Exception {
    long lsn;
    LogOptions options =
        LogOptions.DEFAULT.withFileBytes(1 << 16).withStrategy(new LogStrategy.Simple());
    try (ByteLog log = ByteLog.open(folder, options, 0, ByteVisitor.NONE)) {
      lsn = log.append("a record".getBytes(StandardCharsets.UTF_8));
      long _ = log.append("another".getBytes(StandardCharsets.UTF_8));
      assertThat(run("log", "verify", folder.toString())).isEqualTo(2);
      assertThat(errors.toString(StandardCharsets.UTF_8)).contains("is in use by process");
    }
    assertThat(run("log", "verify", folder.toString())).isZero();
    assertThat(out()).contains("records: 2", "damaged: 0", ", closed");
    flip(folder.resolve(Lsn.fileName(lsn)), Lsn.offset(lsn) + LogRecord.HEADER_BYTES);
    assertThat(run("log", "verify", folder.toString())).isOne();
    assertThat(out()).contains("damaged: 1", "damaged: " + Lsn.fileName(lsn));
    assertThat(run("log", "inspect", folder.toString())).isOne();
  }

  @Test
  void changesNothing() throws Exception {
    write(folder).close();
    Map<String, FileTime> before = times();
    assertThat(run("log", "inspect", folder.toString(), "--all")).isZero();
    assertThat(run("log", "verify", folder.toString())).isZero();

    assertThat(times()).isEqualTo(before);
  }

  @Test
  void inspectsEveryStoreBelowTheFolder() throws Exception {
    write(Files.createDirectories(folder.resolve("node-1/store"))).close();
    write(Files.createDirectories(folder.resolve("node-2/store"))).close();

    assertThat(run("log", "verify", folder.toString())).isZero();
    assertThat(out()).contains("node-1", "node-2", "stores: 2", "damaged: 0");
  }

  @Test
  void namesTheProcessHoldingTheStore() throws Exception {
    try (SegmentStore _ = write(folder)) {
      if (Files.isDirectory(Path.of("/proc/self/fd"))) {
        assertThat(run("log", "verify", folder.toString())).isEqualTo(2);
        assertThat(errors()).contains("is in use by process " + ProcessHandle.current().pid());
      }
    }
  }

  @Test
  void namesWhatItLookedFor() {
    assertThat(run("log", "inspect", folder.toString())).isEqualTo(2);
    assertThat(errors()).contains("no store in " + folder, "catalog").hasLineCount(1);
    assertThat(run("log", "verify", folder.resolve("absent").toString())).isEqualTo(2);
    assertThat(errors()).contains("absent is not a folder").hasLineCount(1);
    assertThat(run("log", "inspect", folder.toString(), "--records", "-1")).isEqualTo(2);
  }

  private int run(String... words) {
    out.reset();
    errors.reset();
    String[] arguments = Stream.of(words).skip(1).toArray(String[]::new);
    return new CommandLine(
            new LogCommand(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(errors, true, StandardCharsets.UTF_8)))
        .execute(arguments);
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String errors() {
    return errors.toString(StandardCharsets.UTF_8);
  }

  private Map<String, FileTime> times() throws IOException {
    Map<String, FileTime> times = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        times.put(file.toString(), Files.getLastModifiedTime(file));
      }
    }
    return times;
  }

  private static void flip(Path file, long place) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) place] ^= 4;
    Files.write(file, bytes);
  }

  private static SegmentStore write(Path folder) throws Exception {
    SegmentStore store =
        SegmentStore.open(
            new FileDisk(folder),
            StoreOptions.of(LogOptions.DEFAULT.withFileBytes(1 << 20)),
            7,
            new StoreClock() {
              @Override
              public long nanoTime() {
                return System.nanoTime();
              }

              @Override
              public void parkNanos(Object blocker, long nanos) {
                LockSupport.parkNanos(blocker, nanos);
              }
            },
            Thread.ofPlatform().daemon().factory());
    for (int number = 0; number < 100; number++) {
      int key = number % 50;
      byte[] value = ("value " + number).repeat(20).getBytes(StandardCharsets.UTF_8);
      StoredEntry entry =
          StoredEntry.of(
              key * 0x9E37_79B9_7F4A_7C15L, new byte[] {(byte) key}, 1, number + 1, value);
      store.put(3, key % 8, entry, WAIT).await(WAIT);
    }
    return store;
  }
}
