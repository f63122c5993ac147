package io.cantle.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.disk.DelegatingDisk;
import io.cantle.store.disk.DelegatingFile;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.disk.SyncPoint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what is found in the reports of a writer, also if the writer lies. */
@Timeout(120)
final class LedgerTest {
  @TempDir private Path folder = Path.of("");

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void findsMissingRecords(boolean isLog) throws Exception {
    CrashWorkload workload = isLog ? new LogCrashWorkload() : new StoreCrashWorkload();
    List<String> said = write(workload);
    CrashWorkload.WriterLedger ledger = workload.ledger();
    said.forEach(ledger::onLine);
    CrashVerdict verdict = new CrashVerdict();
    ledger.check(new FileDisk(folder.resolve("there")), verdict);
    ledger.check(new FileDisk(folder.resolve("there")), verdict);

    assertThat(verdict.takeNews()).isEmpty();
    assertThat(verdict.isClean()).isTrue();
    assertThat(verdict.acked()).isPositive();

    ledger.check(new FileDisk(folder.resolve("elsewhere")), verdict);

    assertThat(verdict.lost()).isPositive();
    assertThat(verdict.torn()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void findsUnwrittenRecords(boolean isLog) throws Exception {
    CrashWorkload workload = isLog ? new LogCrashWorkload() : new StoreCrashWorkload();
    List<String> said = write(workload);
    CrashWorkload.WriterLedger ledger = workload.ledger();
    said.subList(0, said.size() / 2).forEach(ledger::onLine);
    CrashVerdict verdict = new CrashVerdict();
    ledger.check(new FileDisk(folder.resolve("there")), verdict);

    assertThat(verdict.torn()).isPositive();
  }

  @Test
  void findsAcknowledgementsAfterAFailure() throws Exception {
    for (String change : List.of("%c 1 4", "%c 1 0 3 0")) {
      CrashWorkload.WriterLedger ledger =
          (change.endsWith("4") ? new LogCrashWorkload() : new StoreCrashWorkload()).ledger();
      ledger.onLine("f no more");
      ledger.onLine(change.formatted(WriterOutput.BEGUN));
      ledger.onLine(change.formatted(WriterOutput.ACKED));
      CrashVerdict verdict = new CrashVerdict();
      ledger.check(new FileDisk(folder.resolve(change.substring(2).replace(' ', '-'))), verdict);

      assertThat(verdict.afterFailure()).isOne();
      assertThat(verdict.lost()).isOne();
    }
  }

  /** Lets a writer write until its disk fails; returns its reports. */
  private List<String> write(CrashWorkload workload) throws IOException, InterruptedException {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    FailingDisk disk = new FailingDisk(new FileDisk(folder.resolve("there")));
    workload.runWriter(disk, 1, new WriterOutput(said));
    disk.end();
    return said.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.equals(WriterOutput.OPENED))
        .toList();
  }

  /** A disk that fails from one write on, and is gone when its process is. */
  private static final class FailingDisk extends DelegatingDisk {
    private static final int BATCH_LIMIT = 200;

    private int batches;
    private boolean isGone;

    FailingDisk(Disk disk) {
      super(disk);
    }

    /** Ends what threads of the writer still do, as the end of its process would. */
    synchronized void end() {
      isGone = true;
    }

    private void check() throws IOException {
      if (isGone) {
        throw new IOException("the process that used this disk has ended");
      }
    }

    @Override
    public synchronized DiskFile create(String name, FileAccess access) throws IOException {
      check();
      return over(super.create(name, access));
    }

    @Override
    public synchronized DiskFile open(String name, FileAccess access) throws IOException {
      check();
      return over(super.open(name, access));
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
      check();
      super.rename(from, to);
    }

    @Override
    public synchronized void delete(String name) throws IOException {
      check();
      super.delete(name);
    }

    private DiskFile over(DiskFile file) {
      return new DelegatingFile(file) {
        @Override
        public int write(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
          synchronized (FailingDisk.this) {
            check();
            if (syncPoint == SyncPoint.BATCH && ++batches > BATCH_LIMIT) {
              throw new IOException("this disk is at its end");
            }
            return super.write(from, place, syncPoint);
          }
        }
      };
    }
  }
}
