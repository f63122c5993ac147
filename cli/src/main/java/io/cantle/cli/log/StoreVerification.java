package io.cantle.cli.log;

import io.cantle.cli.console.ProgressPrinter;
import io.cantle.store.FileDamage;
import io.cantle.store.segment.StoreVerifier;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Reads each store completely and reports all damage.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class StoreVerification implements LogCommand.StoreAction {
  /**
   * The most places that are reported one by one, so that a disk full of errors does not fill the
   * screen.
   */
  private static final int MAX_PRINTED_DAMAGES = 1_000;

  private final PrintStream out;
  private final List<Map<String, @Nullable Object>> damages = new ArrayList<>();
  private long stores;
  private long records;
  private long damaged;

  StoreVerification(PrintStream out) {
    this.out = out;
  }

  @Override
  public void runOn(ReadOnlyDisk disk, ProgressPrinter progress) throws IOException {
    progress.beginStep(
        "reading",
        disk.totalBytes(".log") + 2 * disk.totalBytes(".run") + disk.totalBytes(".snap"));
    StoreVerifier check =
        StoreVerifier.verify(
            disk,
            damage -> {
              if (damages.size() < MAX_PRINTED_DAMAGES) {
                progress.printLine("damaged: " + damage.describe());
                damages.add(toJson(disk.folder().toString(), damage));
              }
            });
    progress.endStep(check.recordCount() + " records, " + check.damageCount() + " places damaged");
    out.println(
        "log ends at " + check.describeLogEnd() + (check.isClosed() ? ", closed" : ", not closed"));
    stores++;
    records += check.recordCount();
    damaged += check.damageCount();
  }

  /** Converts damage to its form in the results. */
  static Map<String, @Nullable Object> toJson(String folder, FileDamage damage) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("folder", folder);
    json.put("file", damage.file());
    json.put("offset", damage.offset());
    json.put("cache", toNullable(damage.cache()));
    json.put("segment", toNullable(damage.segment()));
    json.put("sure", damage.isCertain());
    json.put("what", damage.description());
    return json;
  }

  private static @Nullable Integer toNullable(OptionalInt number) {
    return number.isPresent() ? number.getAsInt() : null;
  }

  @Override
  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("stores", stores);
    figures.put("records", records);
    figures.put("damaged", damaged);
    figures.put("damages", damages);
    return figures;
  }

  @Override
  public long damaged() {
    return damaged;
  }
}
