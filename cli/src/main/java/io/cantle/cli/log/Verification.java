package io.cantle.cli.log;

import io.cantle.cli.console.Story;
import io.cantle.store.Damage;
import io.cantle.store.segment.StoreCheck;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Reads all of each store and tells of all damage.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class Verification implements LogCommand.Look {
  /** Each is told, so far; a disk that is all wrong fills no screen. */
  private static final int MOST_TOLD = 1_000;

  private final PrintStream out;
  private final List<Map<String, @Nullable Object>> damages = new ArrayList<>();
  private long stores;
  private long records;
  private long damaged;

  Verification(PrintStream out) {
    this.out = out;
  }

  @Override
  public void at(ReadingDisk disk, Story story) throws IOException {
    story.begin("reading", disk.length(".log") + 2 * disk.length(".run") + disk.length(".snap"));
    StoreCheck check =
        StoreCheck.verify(
            disk,
            damage -> {
              if (damages.size() < MOST_TOLD) {
                story.line("damaged: " + damage.text());
                damages.add(json(disk.folder().toString(), damage));
              }
            });
    story.end(check.recordCount() + " records, " + check.damaged() + " places damaged");
    out.println("log ends at " + check.logEnd() + (check.isClosed() ? ", closed" : ", not closed"));
    stores++;
    records += check.recordCount();
    damaged += check.damaged();
  }

  /** A damage as a result names it. */
  static Map<String, @Nullable Object> json(String folder, Damage damage) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("folder", folder);
    json.put("file", damage.file());
    json.put("offset", damage.offset());
    json.put("cache", number(damage.cache()));
    json.put("segment", number(damage.segment()));
    json.put("sure", damage.isSure());
    json.put("what", damage.what());
    return json;
  }

  private static @Nullable Integer number(OptionalInt number) {
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
