package io.cantle.store.log;

import io.cantle.store.DamagedException;
import io.cantle.store.disk.SimulatedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Runs one log through several incarnations on a simulated disk, beside a model of what it must
 * have. In each incarnation some operations happen. Then the log is closed, or killed, or the power
 * is cut, perhaps in the middle of a call and also during recovery. Then it is opened and compared.
 */
final class LogCrashRun {
  private static final int FILE_BYTES = 32 << 10;
  private static final long TIMEOUT_NANOS = 1;

  final SimulatedDisk disk;
  private final Random random;
  private final LogOptions options;
  private final SteppedClock clock = new SteppedClock();

  /** The appends that were handed over, in order, and may be in the log. */
  private final List<Entry> model = new ArrayList<>();

  private @Nullable AppendLog opened;
  private long dropping;
  private int number;
  private int recoveries;

  /** One append. */
  private static final class Entry {
    final int number;
    long lsn;
    boolean isDurable;

    Entry(int number) {
      this.number = number;
    }
  }

  LogCrashRun(long seed) {
    this(seed, LogOptions.DEFAULT);
  }

  /** A run of a log with the strategy of these options, flushing or not as they say. */
  LogCrashRun(long seed, LogOptions wanted) {
    this(seed, (int) (seed % 3), seed / 3 % 2 == 0, wanted);
  }

  LogCrashRun(long seed, int spareFiles, boolean takesDurableWrites, LogOptions wanted) {
    LogOptions usual = LogOptions.DEFAULT.withFileBytes(FILE_BYTES);
    this.random = new Random(seed);
    this.options =
        new LogOptions(
            FILE_BYTES,
            usual.batchBytes(),
            usual.recordBytes(),
            usual.queueBytes(),
            spareFiles,
            wanted.strategy(),
            wanted.flushing());
    this.disk = new SimulatedDisk(new Random(seed + 1)).takeDurableWrites(takesDurableWrites);
  }

  /** How many times the log was opened. */
  int recoveries() {
    return recoveries;
  }

  /** Runs several incarnations. */
  void runIncarnations(int incarnations) throws Exception {
    for (int incarnation = 0; incarnation < incarnations; incarnation++) {
      if (random.nextInt(4) == 0) {
        // A file system may refuse direct writes at one time and allow them at another.
        disk.takeDurableWrites(random.nextBoolean());
      }
      if (random.nextInt(4) > 0) {
        disk.crashAt(1 + random.nextInt(120));
      } else if (random.nextInt(3) == 0) {
        disk.failAt(1 + random.nextInt(60));
      }
      runIncarnation(5 + random.nextInt(40));
    }
    openAndCompare();
  }

  /** Runs one incarnation up to the given call, then opens the log once more. */
  void crashAt(int call, int steps) throws Exception {
    disk.crashAt(call);
    runIncarnation(steps);
    openAndCompare();
  }

  /**
   * Drops a file, is killed in one call of the drop, and loses power in a call of the recovery.
   *
   * @return whether both calls were reached
   */
  boolean dropThenRecover(int dropCall, int recoveryCall) throws Exception {
    open();
    while (log().fileIds().size() < 3) {
      append();
      boolean _ = log().writer().step();
    }
    boolean reached = false;
    disk.crashAt(dropCall);
    try {
      drop();
    } catch (SimulatedDisk.Crash _) {
      reached = true;
    }
    disk.kill();
    disk.crashAt(recoveryCall);
    try {
      open();
      reached = false;
    } catch (SimulatedDisk.Crash _) {
      // The requested crash.
    }
    disk.cutPower();
    open();
    return reached;
  }

  /** Runs an incarnation that ends well or not, and updates the model. */
  void runIncarnation(int steps) throws Exception {
    boolean ended = false;
    try {
      open();
      for (int step = 0; step < steps && !ended; step++) {
        ended = performRandomStep();
      }
      if (!ended && random.nextBoolean()) {
        boolean _ = log().writer().close(0);
        ended = drainWriter();
      }
    } catch (SimulatedDisk.Crash _) {
      ended = true;
    } catch (DamagedException e) {
      throw e;
    } catch (IOException _) {
      ended = true; // The requested failure.
    }
    boolean cut = random.nextBoolean();
    if (cut) {
      disk.cutPower();
    } else {
      disk.kill();
    }
  }

  /** Writes until the log has ended. */
  private boolean drainWriter() {
    while (log().writer().step()) {
      // The last steps.
    }
    return true;
  }

  /** Has everything made durable that was appended before. */
  private void sync() throws Exception {
    PendingAppend barrier = PendingAppend.barrier(_ -> markDurable(Long.MAX_VALUE), _ -> {});
    log().submit(barrier, TIMEOUT_NANOS);
    boolean _ = log().writer().awaitEnd(barrier, 0);
  }

  private void markDurable(long before) {
    for (Entry entry : model) {
      entry.isDurable |= entry.lsn != 0 && entry.lsn < before;
    }
  }

  /** Performs one random operation; returns whether the log has ended. */
  private boolean performRandomStep() throws Exception {
    if (!options.flushing() && random.nextInt(8) == 0) {
      sync();
      return log().failure().isPresent();
    }
    switch (random.nextInt(12)) {
      case 0 -> log().logFiles().prepareIfMissing();
      case 1 -> drop();
      case 2, 3, 4 -> {
        if (!log().writer().step()) {
          return true;
        }
      }
      case 5 -> {
        if (random.nextInt(8) == 0) {
          boolean _ = log().writer().close(0);
          return drainWriter();
        }
      }
      default -> append();
    }
    return false;
  }

  private void append() throws Exception {
    Entry entry = new Entry(number++);
    model.add(entry);
    int most = random.nextInt(6) == 0 ? 9000 : 700;
    LogRecord record = record(entry.number, random.nextInt(2), random.nextInt(most));
    try {
      log().submit(record, TIMEOUT_NANOS, lsn -> onAppended(entry, lsn), _ -> {});
    } catch (IOException refused) {
      boolean _ = model.remove(entry);
      throw refused;
    }
  }

  private void onAppended(Entry entry, long lsn) {
    entry.lsn = lsn;
    entry.isDurable = options.flushing();
    // A full file is durable before the next one is used.
    markDurable(Lsn.toLsn(Lsn.fileId(lsn), 0));
  }

  private void drop() throws IOException {
    List<Long> files = log().fileIds();
    if (files.size() < 2) {
      return;
    }
    dropping = files.get(random.nextInt(files.size() - 1));
    log().dropFile(dropping);
    forget(dropping);
    dropping = 0;
  }

  private void forget(long file) {
    model.removeIf(entry -> entry.lsn != 0 && Lsn.fileId(entry.lsn) == file);
  }

  private void open() throws IOException {
    List<Object[]> found = new ArrayList<>();
    opened = null;
    opened =
        AppendLog.openIdle(
            disk,
            options,
            17,
            clock,
            0,
            view -> found.add(new Object[] {view.lsn(), view.toRecord()}));
    recoveries++;
    compareWithModel(found);
  }

  private void openAndCompare() throws IOException {
    open();
  }

  /** The log must have a prefix of the model, at least up to the last acknowledged append. */
  private void compareWithModel(List<Object[]> found) {
    List<Entry> there = new ArrayList<>();
    int at = 0;
    if (dropping != 0
        && found.stream().noneMatch(record -> Lsn.fileId((long) record[0]) == dropping)) {
      forget(dropping);
    }
    dropping = 0;
    for (Entry entry : model) {
      if (at == found.size()) {
        break;
      }
      long lsn = (long) found.get(at)[0];
      LogRecord record = (LogRecord) found.get(at)[1];
      require(
          record.epoch() == entry.number,
          "found record " + record.epoch() + " where " + entry.number + " was expected");
      require(isSame(record), "record " + record.epoch() + " has other bytes");
      require(!entry.isDurable || entry.lsn == lsn, "append " + entry.number + " moved");
      entry.lsn = lsn;
      at++;
      there.add(entry);
    }
    require(at == found.size(), "a record that was not appended: " + at + " of " + found.size());
    for (Entry entry : model.subList(there.size(), model.size())) {
      require(!entry.isDurable, "append " + entry.number + " is lost, " + Lsn.describe(entry.lsn));
    }
    model.clear();
    model.addAll(there);
    for (Entry entry : model) {
      // What was found once must stay.
      entry.isDurable = true;
    }
  }

  private AppendLog log() {
    return Objects.requireNonNull(opened);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  static LogRecord record(int number, int index, int length) {
    byte[] value = new byte[length];
    new Random(number * 31L + index).nextBytes(value);
    return new LogRecord(
        (byte) 1,
        3,
        number & 0xFF,
        5,
        number,
        index,
        length,
        new byte[] {1},
        new byte[index],
        value);
  }

  private static boolean isSame(LogRecord record) {
    LogRecord expected = record((int) record.epoch(), (int) record.index(), (int) record.expiry());
    return Arrays.equals(expected.value(), record.value())
        && Arrays.equals(expected.key(), record.key())
        && Arrays.equals(expected.metadata(), record.metadata())
        && record.cache() == 3
        && record.segment() == (record.epoch() & 0xFF);
  }
}
