package io.cantle.crash;

import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.LogVerifier;
import io.cantle.store.segment.StoreVerifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder in which one writer after the other works, each on what the previous one has left. Now
 * and then it is replaced by a new one.
 *
 * <p><b>Threading:</b> one thread, except for the output of a writer.
 */
final class CrashedFolder {
  private static final int MAX_INCARNATIONS = 6;

  private final Path directory;
  private final boolean isLog;
  private final boolean isDirect;
  private int generation = 1;
  private int incarnations;
  private CrashWorkload.WriterLedger ledger;

  private CrashedFolder(Path directory, boolean isLog, boolean isDirect) {
    this.directory = directory;
    this.isLog = isLog;
    this.isDirect = isDirect;
    this.ledger = workload().ledger();
  }

  /** Creates one folder of each kind. */
  static List<CrashedFolder> createAllIn(Path home) {
    return List.of(
        new CrashedFolder(home, true, true),
        new CrashedFolder(home, false, false),
        new CrashedFolder(home, true, false),
        new CrashedFolder(home, false, true));
  }

  private CrashWorkload workload() {
    return isLog ? new LogCrashWorkload() : new StoreCrashWorkload();
  }

  /** Returns its kind. */
  String kind() {
    return (isLog ? "log" : "store") + (isDirect ? " direct" : " buffered");
  }

  boolean isDirect() {
    return isDirect;
  }

  CrashWorkload.WriterLedger ledger() {
    return ledger;
  }

  /** Returns the arguments for the next writer. */
  List<String> writerArguments(String forgotten) throws IOException {
    if (incarnations == MAX_INCARNATIONS) {
      startNewGeneration();
    }
    incarnations++;
    return CrashWriter.arguments(folder(), isLog, isDirect, ledger.nextNumber(), forgotten);
  }

  private Path folder() {
    return directory.resolve(kind().replace(' ', '-') + "-" + generation);
  }

  private void startNewGeneration() throws IOException {
    remove(folder());
    generation++;
    incarnations = 0;
    ledger = workload().ledger();
  }

  /** Reads the files as they are, then opens them and compares them with what was reported. */
  void checkContents(CrashVerdict verdict) throws IOException {
    Disk disk = CrashWriter.createDisk(folder(), isDirect, CrashWriter.HONEST);
    try {
      if (Files.isDirectory(folder()) && LogVerifier.isLog(disk.names())) {
        StoreVerifier _ = StoreVerifier.verify(disk, damage -> reportDamage(damage, verdict));
      }
      ledger.check(disk, verdict);
    } catch (IOException | IllegalStateException e) {
      verdict.recordTorn(folder() + " cannot be opened: " + e);
      startNewGeneration();
    }
  }

  private void reportDamage(FileDamage damage, CrashVerdict verdict) {
    verdict.recordTorn(folder() + ": " + damage.describe());
  }

  /** Deletes a folder with all that is in it. */
  static void remove(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
