package io.cantle.simulation.planted;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came of a campaign, summed up as hunts end.
 *
 * <p><b>Threading:</b> one thread.
 */
final class CampaignResult {
  private final long seedLimit;
  private final List<Finding> findings = new ArrayList<>();

  /** Nothing yet; a bug that is missed counts as if it took {@code seedLimit}. */
  CampaignResult(long seedLimit) {
    this.seedLimit = seedLimit;
  }

  void add(Finding finding) {
    findings.add(finding);
  }

  int planted() {
    return findings.size();
  }

  long found() {
    return findings.stream().filter(Finding::found).count();
  }

  boolean foundAll() {
    return found() == planted();
  }

  /** How many seeds it took in the middle, the upper one of two. */
  long medianSeeds() {
    long[] sorted =
        findings.stream()
            .mapToLong(finding -> finding.found() ? finding.seeds() : seedLimit)
            .sorted()
            .toArray();
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }

  /** Every figure under its name, in the order of the report. */
  Map<String, Long> figures(long seconds) {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("planted", (long) planted());
    figures.put("found", found());
    figures.put("medianSeeds", medianSeeds());
    figures.put("seconds", seconds);
    return figures;
  }

  /** The figures, and the seeds each bug took, 0 for one that was missed. */
  String json(long seconds) {
    StringBuilder text = new StringBuilder("{\n");
    figures(seconds).forEach((name, value) -> text.append("  \"" + name + "\": " + value + ",\n"));
    text.append("  \"seeds\": {");
    String before = "\n";
    for (Finding finding : findings) {
      text.append(before).append("    \"").append(finding.bug().name()).append("\": ");
      text.append(finding.found() ? finding.seeds() : 0);
      before = ",\n";
    }
    return text.append("\n  }\n}\n").toString();
  }
}
