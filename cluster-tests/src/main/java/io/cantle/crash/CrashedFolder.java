package io.cantle.crash;

import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.segment.StoreVerifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder in which one writer after the other works, each on what the one before has left; now and
 * then a new one.
 *
 * <p><b>Threading:</b> one thread, but for what a writer says.
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

  /** One of each kind. */
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

  /** What kind it is. */
  String kind() {
    return (isLog ? "log" : "store") + (isDirect ? " direct" : " buffered");
  }

  boolean isDirect() {
    return isDirect;
  }

  CrashWorkload.WriterLedger ledger() {
    return ledger;
  }

  /** The words for the next writer. */
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

  /** Reads what is there as it lies, then opens it and compares it with what was heard. */
  void checkContents(CrashVerdict verdict) throws IOException {
    Disk disk = CrashWriter.createDisk(folder(), isDirect, CrashWriter.HONEST);
    try {
      if (Files.isDirectory(folder()) && StoreVerifier.isStore(disk.names())) {
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
