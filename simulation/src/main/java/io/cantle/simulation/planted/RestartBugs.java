package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Bugs in what nodes with stores bring back from their former lives.
 *
 * <p><b>Threading:</b> immutable.
 */
final class RestartBugs {
  private static final String REGISTER = "topology/Register.java";
  private static final String LEDGER = "topology/Ledger.java";

  static final List<Bug> ALL =
      Stream.of(
              writtenLate(
                  Bug.of(
                      "acceptance-not-on-disk",
                      "a voter says that it has accepted before its next life would know of it",
                      REGISTER,
                      "asked.write(out); keep(() -> send(from, out));",
                      "asked.write(out); send(from, out); keep(() -> {});")),
              Bug.of(
                  "accepted-not-restored",
                  "a voter's next life knows nothing of what it has accepted",
                  REGISTER,
                  "takeUp(page);",
                  ""),
              Bug.of(
                  "memory-outlives-its-node",
                  "the next life of a node is taken for an owner of what was in memory only",
                  "topology/CachePlanner.java",
                  "if (!keeps || present.contains(member)) {",
                  "if (present.contains(member)) {"),
              Bug.of(
                  "next-life-is-another-voter",
                  "a node that starts again does not vote in place of its former life",
                  "topology/Membership.java",
                  "return voters.stream().anyMatch(member::sameNode);",
                  "return voters.contains(member);"),
              Bug.of(
                  "half-a-copy-is-owner",
                  "the next life of one that was still fetching a segment is taken for an owner",
                  "topology/CachePlanner.java",
                  "holders.addAll(from.last());",
                  """
                  holders.addAll(from.last());
                  from.target().stream()
                      .filter(one -> !present.contains(one))
                      .forEach(holders::add);
                  """),
              Bug.of(
                  "held-before-it-is-on-disk",
                  "a write counts as held that is not on disk yet",
                  "replica/Keeping.java",
                  "return durability.kind() == Durability.Kind.SYNC;",
                  "return false;"),
              Bug.of(
                  "dropped-copy-stays-on-disk",
                  "a copy that was dropped is found by the next life of its node",
                  new Edit("replica/Keeping.java", "shelf.drop();", ""),
                  new Edit(
                      "replica/Keeping.java",
                      "shelf.label(Label.dropped(present, dropped), labelEpoch, labels++);",
                      "")),
              Bug.of(
                  "dropped-copy-is-empty-owner",
                  "a node drops a copy the topology still counts on, and begins the segment empty",
                  new Edit(
                      "replica/Role.java",
                      ".anyMatch(self::sameNode);",
                      ".anyMatch(one -> false);"),
                  new Edit(
                      "replica/Replica.java",
                      "&& keeping.hasDropped(charter, ownership.born());",
                      "&& keeping.hasDropped(charter, Integer.MAX_VALUE);")),
              Bug.of(
                  "former-life-counts-as-running",
                  "a node that starts again is told that its node is there by who has not heard of it",
                  "topology/DuplicateProcesses.java",
                  "(last != null && last - since > 0 && now - last < Grants.DOUBT_NANOS)",
                  "last == null || now - last < Grants.DOUBT_NANOS"),
              Bug.of(
                      "old-store-is-welcome",
                      "nobody notices that a node comes back with an old copy of its store",
                      "topology/StoreHistory.java",
                      "return life.mark < known.mark; } } return lives.size() < MAX_LIVES;",
                      "return false; } } return false;")
                  .amid("--mode", "durable", "--faults", "old-store,crash,restart"),
              Bug.of(
                  "evicted-before-it-is-on-disk",
                  "a value leaves memory before the disk has it",
                  "replica/Values.java",
                  "disk() .then( () -> { evict(chosen); then.accept(sums[1]); });",
                  "evict(chosen); then.accept(sums[1]);"),
              Bug.of(
                  "old-value-brought-back",
                  "a value that was read from disk takes the place of a later version",
                  "replica/Values.java",
                  "if (!isPresent(evicted)) { return true; }",
                  "if (contents.find(evicted) == null) { return true; }"),
              Bug.of(
                  "scan-skips-what-is-on-disk",
                  "a scan leaves out keys that were written while it read values from disk",
                  "replica/Values.java",
                  "all.add(found != null ? contents.apart(found) : contents.find(entry));",
                  "all.add(found != null ? contents.apart(found) : null);"),
              Bug.of(
                  "backup-looks-for-an-evicted-value",
                  "a backup is to take the result of a write from a value it has on disk only",
                  "operate/Writers.java",
                  "place < written.state().backups() && !replica.isKept();",
                  "place < written.state().backups();"))
          .map(Bug::inDurableGrids)
          .toList();

  private RestartBugs() {}

  /**
   * A disk takes milliseconds; once the grid is founded it takes longer here, so that a crash falls
   * in between.
   */
  private static Bug writtenLate(Bug bug) {
    return bug.aidedBy(
        LEDGER,
        "notes.keep(NAME, bytes, () -> world.threads().execute(() -> kept(number, page, due)));",
        """
        world
            .clock()
            .schedule(
                page.current().number() > 6 ? 150_000_000L : 0,
                () ->
                    notes.keep(
                        NAME, bytes, () -> world.threads().execute(() -> kept(number, page, due))));
        """);
  }
}
