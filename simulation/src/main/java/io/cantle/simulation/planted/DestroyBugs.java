package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Planted bugs in what becomes of a cache that is destroyed, and of those that have its name later.
 *
 * <p><b>Threading:</b> immutable.
 */
final class DestroyBugs {
  static final List<PlantedBug> ALL =
      Stream.of(
              PlantedBug.of(
                  "index-is-given-again",
                  "a cache gets the index of one that was destroyed, and with it old copies",
                  "ownership/TopologyPlanner.java",
                  "new CacheCatalog(present, destroyed, before.nextIndex(), lastDestroyNumber)",
                  "new CacheCatalog(present, destroyed, present.size(), lastDestroyNumber)"),
              AgreementBugs.announcedLate(
                      PlantedBug.of(
                          "members-are-not-awaited",
                          "a destroyed cache counts as gone before all members know",
                          "ownership/TopologyPlanner.java",
                          ".allMatch(member -> facts.adoptedNumber(member) >= number);",
                          ".allMatch(member -> true);"))
                  // Clients of the second cache hurry while the network changes.
                  .withFaults(
                      "--faults",
                      "flapping",
                      "--nodes",
                      "6",
                      "--rate",
                      "5",
                      "--virtual-seconds",
                      "40"),
              PlantedBug.of(
                      "destroyed-copies-stay-on-disk",
                      "a node drops what it holds of a destroyed cache in memory only",
                      "replica/ReplicaTable.java",
                      "store.dropReplicas(caches::isDestroyed);",
                      "")
                  .withFaults("--mode", "durable"))
          .map(DestroyBugs::withWorkload)
          .toList();

  private DestroyBugs() {}

  private static PlantedBug withWorkload(PlantedBug bug) {
    return bug.withFaults(
        Stream.concat(bug.extraWords().stream(), Stream.of("--workload", "destroy"))
            .toArray(String[]::new));
  }
}
