package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Planted bugs in how nodes of two builds talk to each other.
 *
 * <p><b>Threading:</b> immutable.
 */
final class VersionBugs {
  private static final String VERSIONS = "transport/PeerVersions.java";

  static final List<PlantedBug> ALL =
      Stream.of(
              PlantedBug.of(
                  "version-of-the-writer",
                  "a message is written in the highest version its sender speaks",
                  VERSIONS,
                  "return known == null ? lowest : known;",
                  "return known == null ? highest : highest;"),
              PlantedBug.of(
                  "version-of-one-receiver",
                  "what all members are to read alike is sent on in a version that one of them"
                      + " speaks",
                  VERSIONS,
                  "common = Math.min(common, versionFor(other));",
                  "common = Math.max(common, versionFor(other));"))
          .map(bug -> NextVersion.plantedWith(bug.withFaults("--versions", "mixed")))
          .toList();

  private VersionBugs() {}
}
