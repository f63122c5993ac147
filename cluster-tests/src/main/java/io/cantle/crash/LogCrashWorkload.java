package io.cantle.crash;

import io.cantle.store.StoreException;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogRecord;
import io.cantle.store.log.Lsn;
import io.cantle.store.log.RecordVisitor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The workload of a log with small files. Several threads append numbered records; the oldest files
 * are dropped and reused.
 *
 * <p><b>Threading:</b> as {@link CrashWorkload} says.
 */
final class LogCrashWorkload implements CrashWorkload {
  private static final LogOptions OPTIONS = LogOptions.DEFAULT.withFileBytes(1 << 18);
  private static final long IDENTITY = 41;
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(30).toNanos();
  private static final int MAX_FILES = 4;

  /** Reports that a file is about to be dropped. */
  private static final char DROPPING = 'd';

  @Override
  public void runWriter(Disk disk, long first, WriterOutput output)
      throws IOException, InterruptedException {
    AppendLog log = open(disk, RecordVisitor.NONE);
    output.writeLine(WriterOutput.OPENED);
    AtomicLong numbers = new AtomicLong(first);
    List<Thread> threads = new ArrayList<>();
    for (int index = 0; index < THREADS; index++) {
      threads.add(Thread.ofVirtual().start(() -> appendRecords(log, numbers, output)));
    }
    boolean works = true;
    while (works) {
      List<Long> files = log.fileIds();
      if (files.size() > MAX_FILES) {
        output.writeLine(DROPPING, files.getFirst(), 0);
        try {
          log.dropFile(files.getFirst());
        } catch (IOException _) {
          // This is no failure of the log: the file may be there or not.
          threads.getFirst().join();
        }
      }
      works = !threads.getFirst().join(Duration.ofMillis(5));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    // A disk that works again does not undo a failure.
    for (int again = 0; again < 2; again++) {
      appendRecords(log, numbers, output);
    }
  }

  /** Appends until that fails. */
  private static void appendRecords(AppendLog log, AtomicLong numbers, WriterOutput output) {
    try {
      while (true) {
        long number = numbers.getAndIncrement();
        output.writeLine(WriterOutput.BEGUN, number, 0);
        output.writeLine(WriterOutput.ACKED, number, append(log, record(number)));
      }
    } catch (StoreException | ExecutionException | TimeoutException e) {
      output.writeLine(WriterOutput.FAILED + " " + e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Appends a record, waits until it is durable, and returns its LSN. */
  private static long append(AppendLog log, LogRecord record)
      throws StoreException, InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Long> appended = new CompletableFuture<>();
    log.submit(record, TIMEOUT_NANOS, appended::complete, appended::completeExceptionally);
    return appended.get(TIMEOUT_NANOS, TimeUnit.NANOSECONDS);
  }

  private static AppendLog open(Disk disk, RecordVisitor visitor) throws IOException {
    return AppendLog.open(
        disk,
        OPTIONS,
        IDENTITY,
        new SystemStoreClock(),
        Thread.ofPlatform().daemon().factory(),
        0,
        visitor);
  }

  private static LogRecord record(long number) {
    // Mixed, because neighbouring seeds begin alike, and all records would be long for a while.
    Random random = new Random(number * 0x9E37_79B9_7F4A_7C15L);
    byte[] value = new byte[20 + random.nextInt(random.nextInt(8) == 0 ? 30_000 : 2_000)];
    random.nextBytes(value);
    return new LogRecord(
        (byte) 1,
        1,
        (int) (number & 0xFF),
        0,
        number,
        ~number,
        0,
        new byte[] {(byte) number},
        new byte[(int) (number % 3)],
        value);
  }

  @Override
  public WriterLedger ledger() {
    return new LogLedger();
  }

  /** The ledger of what was reported of appends. */
  private static final class LogLedger implements WriterLedger {
    private final Map<Long, Long> acked = new HashMap<>();
    private final Set<Long> begunNumbers = new HashSet<>();
    private final Set<Long> lateAcks = new HashSet<>();
    private final Set<Long> dropped = new HashSet<>();
    private final List<String> wrong = new ArrayList<>();
    private long next = 1;
    private long acks;
    private boolean failed;

    @Override
    public void onLine(String line) {
      if (line.charAt(0) == WriterOutput.FAILED) {
        failed = true;
        return;
      }
      String[] words = line.split(" ", -1);
      long number = Long.parseLong(words[1]);
      switch (line.charAt(0)) {
        case WriterOutput.BEGUN -> {
          begunNumbers.add(number);
          next = Math.max(next, number + 1);
          if (failed) {
            lateAcks.add(number);
          }
        }
        case WriterOutput.ACKED -> {
          acked.put(number, Long.parseLong(words[2]));
          acks++;
          if (lateAcks.contains(number)) {
            wrong.add("append " + number);
          }
        }
        case DROPPING -> dropped.add(number);
        default -> throw new IllegalArgumentException("the writer said " + line);
      }
    }

    @Override
    public long nextNumber() {
      return next;
    }

    @Override
    public void check(Disk disk, CrashVerdict verdict) throws IOException {
      verdict.addAcked(acks);
      wrong.forEach(verdict::recordAckAfterFailure);
      Map<Long, Long> found = new HashMap<>();
      AppendLog log =
          open(disk, record -> visitRecord(record.toRecord(), record.lsn(), found, verdict));
      acked.forEach(
          (number, lsn) -> {
            Long at = found.get(number);
            if (at == null && !dropped.contains(Lsn.fileId(lsn))) {
              verdict.recordLost("append " + number + " at " + Lsn.describe(lsn));
            } else if (at != null && !at.equals(lsn)) {
              verdict.recordTorn("append " + number + " moved to " + Lsn.describe(at));
            }
          });
      log.close();
      acked.clear();
      acked.putAll(found);
      begunNumbers.retainAll(found.keySet());
      lateAcks.clear();
      dropped.clear();
      wrong.clear();
      acks = 0;
      failed = false;
    }

    private void visitRecord(
        LogRecord record, long lsn, Map<Long, Long> found, CrashVerdict verdict) {
      long number = record.epoch();
      LogRecord expected = record(number);
      if (!begunNumbers.contains(number)) {
        verdict.recordTorn("nobody appended " + number + " at " + Lsn.describe(lsn));
      } else if (record.index() != ~number
          || record.segment() != expected.segment()
          || !Arrays.equals(record.key(), expected.key())
          || !Arrays.equals(record.metadata(), expected.metadata())
          || !Arrays.equals(record.value(), expected.value())) {
        verdict.recordTorn("append " + number + " at " + Lsn.describe(lsn) + " has other bytes");
      }
      if (found.put(number, lsn) != null) {
        verdict.recordTorn("append " + number + " is there twice");
      }
    }
  }
}
