package io.cantle.crash;

import io.cantle.store.Damage;
import io.cantle.store.disk.Disk;
import io.cantle.store.segment.StoreCheck;
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
final class Victim {
  private static final int MOST_LIVES = 6;

  private final Path home;
  private final boolean isLog;
  private final boolean isDirect;
  private int generation = 1;
  private int lives;
  private Work.Ledger ledger;

  private Victim(Path home, boolean isLog, boolean isDirect) {
    this.home = home;
    this.isLog = isLog;
    this.isDirect = isDirect;
    this.ledger = work().ledger();
  }

  /** One of each kind. */
  static List<Victim> allIn(Path home) {
    return List.of(
        new Victim(home, true, true),
        new Victim(home, false, false),
        new Victim(home, true, false),
        new Victim(home, false, true));
  }

  private Work work() {
    return isLog ? new LogWork() : new StoreWork();
  }

  /** What kind it is. */
  String kind() {
    return (isLog ? "log" : "store") + (isDirect ? " direct" : " buffered");
  }

  boolean isDirect() {
    return isDirect;
  }

  Work.Ledger ledger() {
    return ledger;
  }

  /** The words for the next writer. */
  List<String> words(String forgotten) throws IOException {
    if (lives == MOST_LIVES) {
      renew();
    }
    lives++;
    return Writer.words(folder(), isLog, isDirect, ledger.next(), forgotten);
  }

  private Path folder() {
    return home.resolve(kind().replace(' ', '-') + "-" + generation);
  }

  private void renew() throws IOException {
    remove(folder());
    generation++;
    lives = 0;
    ledger = work().ledger();
  }

  /** Reads what is there as it lies, then opens it and compares it with what was heard. */
  void check(Verdict verdict) throws IOException {
    Disk disk = Writer.disk(folder(), isDirect, Writer.HONEST);
    try {
      if (Files.isDirectory(folder()) && StoreCheck.isStore(disk.names())) {
        StoreCheck _ = StoreCheck.verify(disk, damage -> tell(damage, verdict));
      }
      ledger.check(disk, verdict);
    } catch (IOException | IllegalStateException e) {
      verdict.torn(folder() + " cannot be opened: " + e);
      renew();
    }
  }

  private void tell(Damage damage, Verdict verdict) {
    verdict.torn(folder() + ": " + damage.text());
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
