package io.cantle.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.DiskOver;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.disk.FileOver;
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

/** What is found of what a writer said, also if the writer lies. */
@Timeout(120)
final class LedgerTest {
  @TempDir private Path folder = Path.of("");

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void findsNothingWrongAndThenWhatIsMissing(boolean isLog) throws Exception {
    Work work = isLog ? new LogWork() : new StoreWork();
    List<String> said = write(work);
    Work.Ledger ledger = work.ledger();
    said.forEach(ledger::hear);
    Verdict verdict = new Verdict();
    ledger.check(new FileDisk(folder.resolve("there")), verdict);
    ledger.check(new FileDisk(folder.resolve("there")), verdict);

    assertThat(verdict.news()).isEmpty();
    assertThat(verdict.isClean()).isTrue();
    assertThat(verdict.acked()).isPositive();

    ledger.check(new FileDisk(folder.resolve("elsewhere")), verdict);

    assertThat(verdict.lost()).isPositive();
    assertThat(verdict.torn()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void findsWhatNobodyWrote(boolean isLog) throws Exception {
    Work work = isLog ? new LogWork() : new StoreWork();
    List<String> said = write(work);
    Work.Ledger ledger = work.ledger();
    said.subList(0, said.size() / 2).forEach(ledger::hear);
    Verdict verdict = new Verdict();
    ledger.check(new FileDisk(folder.resolve("there")), verdict);

    assertThat(verdict.torn()).isPositive();
  }

  @Test
  void findsWhatIsAcknowledgedAfterAFailure() throws Exception {
    for (String change : List.of("%c 1 4", "%c 1 0 3 0")) {
      Work.Ledger ledger = (change.endsWith("4") ? new LogWork() : new StoreWork()).ledger();
      ledger.hear("f no more");
      ledger.hear(change.formatted(Say.BEGUN));
      ledger.hear(change.formatted(Say.ACKED));
      Verdict verdict = new Verdict();
      ledger.check(new FileDisk(folder.resolve(change.substring(2).replace(' ', '-'))), verdict);

      assertThat(verdict.afterFailure()).isOne();
      assertThat(verdict.lost()).isOne();
    }
  }

  /** Lets it write until its disk fails; what it has said. */
  private List<String> write(Work work) throws IOException, InterruptedException {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    ShortLived disk = new ShortLived(new FileDisk(folder.resolve("there")));
    work.write(disk, 1, new Say(said));
    disk.end();
    return said.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.equals(Say.OPENED))
        .toList();
  }

  /** A disk that fails from one write on, and is gone when its process is. */
  private static final class ShortLived extends DiskOver {
    private static final int BATCHES = 200;

    private int batches;
    private boolean isGone;

    ShortLived(Disk disk) {
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
    public synchronized DiskFile create(String name, Access access) throws IOException {
      check();
      return over(super.create(name, access));
    }

    @Override
    public synchronized DiskFile open(String name, Access access) throws IOException {
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
      return new FileOver(file) {
        @Override
        public int write(ByteBuffer from, long place, SyncPoint why) throws IOException {
          synchronized (ShortLived.this) {
            check();
            if (why == SyncPoint.BATCH && ++batches > BATCHES) {
              throw new IOException("this disk is at its end");
            }
            return super.write(from, place, why);
          }
        }
      };
    }
  }
}
