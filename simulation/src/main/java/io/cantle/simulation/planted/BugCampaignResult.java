package io.cantle.simulation.planted;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of a campaign, summed up as its hunts end.
 *
 * <p><b>Threading:</b> one thread.
 */
final class BugCampaignResult {
  private final long seedLimit;
  private final List<HuntResult> findings = new ArrayList<>();

  /** Creates an empty result. A missed bug counts as if it took {@code seedLimit} seeds. */
  BugCampaignResult(long seedLimit) {
    this.seedLimit = seedLimit;
  }

  void add(HuntResult finding) {
    findings.add(finding);
  }

  int plantedCount() {
    return findings.size();
  }

  long foundCount() {
    return findings.stream().filter(HuntResult::isFound).count();
  }

  boolean isEverythingFound() {
    return foundCount() == plantedCount();
  }

  /** Returns the median number of seeds a bug took, the upper one of two. */
  long medianSeedCount() {
    long[] sorted =
        findings.stream()
            .mapToLong(finding -> finding.isFound() ? finding.seeds() : seedLimit)
            .sorted()
            .toArray();
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }

  /** Returns every figure under its name, in the order of the report. */
  Map<String, Long> figures(long seconds) {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("planted", (long) plantedCount());
    figures.put("found", foundCount());
    figures.put("medianSeeds", medianSeedCount());
    figures.put("seconds", seconds);
    return figures;
  }

  /** Returns the figures, and the number of seeds each bug took, 0 for a missed one. */
  String toJson(long seconds) {
    StringBuilder text = new StringBuilder("{\n");
    figures(seconds).forEach((name, value) -> text.append("  \"" + name + "\": " + value + ",\n"));
    text.append("  \"seeds\": {");
    String before = "\n";
    for (HuntResult finding : findings) {
      text.append(before).append("    \"").append(finding.bug().name()).append("\": ");
      text.append(finding.isFound() ? finding.seeds() : 0);
      before = ",\n";
    }
    return text.append("\n  }\n}\n").toString();
  }
}
