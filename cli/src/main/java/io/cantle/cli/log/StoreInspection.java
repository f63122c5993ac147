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
import org.jspecify.annotations.Nullable;

/**
 * Prints what each store holds.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class StoreInspection implements LogCommand.StoreAction {
  private static final int MAX_SHOWN_SEGMENTS = 32;

  private final PrintStream out;
  private final int places;
  private final boolean all;
  private final List<Map<String, @Nullable Object>> stores = new ArrayList<>();
  private long files;
  private long segments;
  private long keys;
  private long liveBytes;
  private long deadBytes;
  private long damaged;

  StoreInspection(PrintStream out, int places, boolean all) {
    this.out = out;
    this.places = places;
    this.all = all;
  }

  @Override
  public void runOn(ReadOnlyDisk disk, ProgressPrinter progress) throws IOException {
    progress.beginStep(
        "reading",
        2 * disk.totalBytes(".log") + 2 * disk.totalBytes(".run") + disk.totalBytes(".snap"));
    List<FileDamage> first = new ArrayList<>();
    StoreVerifier check =
        StoreVerifier.inspect(
            disk,
            damage -> {
              if (first.isEmpty()) {
                first.add(damage);
              }
            },
            places);
    progress.endStep(check.recordCount() + " records");
    out.println(
        "log ends at " + check.describeLogEnd() + (check.isClosed() ? ", closed" : ", not closed"));
    printStore(check);
    out.println("first damage: " + (first.isEmpty() ? "none" : first.getFirst().describe()));
    addStore(disk, check, first);
  }

  private void printStore(StoreVerifier check) throws IOException {
    out.printf("%n%-16s %14s %10s  %s%n", "file", "bytes", "records", "what");
    for (StoreVerifier.StoredFile file : check.files()) {
      out.printf("%-16s %14d %10d  %s%n", file.name(), file.bytes(), file.records(), file.role());
    }
    List<StoreVerifier.SegmentSummary> counted = check.segments();
    out.printf(
        "%n%7s %8s %11s %10s %14s %14s%n",
        "cache", "segment", "incarnation", "keys", "live bytes", "dead bytes");
    int shown = all ? counted.size() : Math.min(MAX_SHOWN_SEGMENTS, counted.size());
    for (StoreVerifier.SegmentSummary segment : counted.subList(0, shown)) {
      out.printf(
          "%7d %8d %11d %10d %14d %14d%n",
          segment.cache(),
          segment.segment(),
          segment.incarnation(),
          segment.keys(),
          segment.liveBytes(),
          segment.deadBytes());
    }
    if (shown < counted.size()) {
      out.println("... and " + (counted.size() - shown) + " more; --all shows them");
    }
    out.printf(
        "%nsome records, none of the last batch; verify finds a flipped bit in any of them%n");
    out.printf("%-16s %12s %8s %7s %8s%n", "file", "offset", "length", "cache", "segment");
    for (StoreVerifier.RecordExtent extent : check.sampledRecords()) {
      out.printf(
          "%-16s %12d %8d %7d %8d%n",
          extent.file(), extent.offset(), extent.length(), extent.cache(), extent.segment());
    }
    out.println();
  }

  private void addStore(ReadOnlyDisk disk, StoreVerifier check, List<FileDamage> first)
      throws IOException {
    files += check.files().size();
    segments += check.segments().size();
    damaged += check.damageCount();
    for (StoreVerifier.SegmentSummary segment : check.segments()) {
      keys += segment.keys();
      liveBytes += segment.liveBytes();
      deadBytes += segment.deadBytes();
    }
    String folder = disk.folder().toString();
    Map<String, @Nullable Object> store = new LinkedHashMap<>();
    store.put("folder", folder);
    store.put("logEnd", check.describeLogEnd());
    store.put("closed", check.isClosed());
    store.put("files", check.files().stream().map(StoreInspection::toJson).toList());
    store.put("segments", check.segments().stream().map(StoreInspection::toJson).toList());
    store.put("records", check.sampledRecords().stream().map(StoreInspection::toJson).toList());
    store.put(
        "firstDamage", first.isEmpty() ? null : StoreVerification.toJson(folder, first.getFirst()));
    stores.add(store);
  }

  private static Map<String, @Nullable Object> toJson(StoreVerifier.StoredFile file) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("file", file.name());
    json.put("what", file.role());
    json.put("bytes", file.bytes());
    json.put("records", file.records());
    return json;
  }

  private static Map<String, @Nullable Object> toJson(StoreVerifier.SegmentSummary segment) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("cache", segment.cache());
    json.put("segment", segment.segment());
    json.put("life", segment.incarnation());
    json.put("keys", segment.keys());
    json.put("liveBytes", segment.liveBytes());
    json.put("deadBytes", segment.deadBytes());
    return json;
  }

  private static Map<String, @Nullable Object> toJson(StoreVerifier.RecordExtent extent) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("file", extent.file());
    json.put("offset", extent.offset());
    json.put("length", extent.length());
    json.put("cache", extent.cache());
    json.put("segment", extent.segment());
    return json;
  }

  @Override
  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("files", files);
    figures.put("segments", segments);
    figures.put("keys", keys);
    figures.put("live bytes", liveBytes);
    figures.put("dead bytes", deadBytes);
    figures.put("damaged", damaged);
    figures.put("stores", stores);
    return figures;
  }

  @Override
  public long damaged() {
    return damaged;
  }
}
