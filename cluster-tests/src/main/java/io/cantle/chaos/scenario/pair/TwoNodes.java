package io.cantle.chaos.scenario.pair;

import static io.cantle.chaos.scenario.pair.Pair.COPY;
import static io.cantle.chaos.scenario.pair.Pair.other;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.scenario.ChaosScenario;
import io.cantle.chaos.scenario.ScenarioResult;
import io.cantle.chaos.scenario.ScenarioRun;
import io.cantle.core.node.StoppedNode;
import io.cantle.simulation.planted.PlantedBug;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The scenario of grids of two: one node is killed, closed, restarted, given up, or restored from
 * an old copy. Each is done in both roles, in memory and with stores. The outcome must be what the
 * operating page says, see {@link DocumentedOutcomes}.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class TwoNodes implements ChaosScenario {
  private static final List<String> ROLES = List.of(Pair.OLDER, Pair.YOUNGER);
  private static final String MEMORY = "memory";
  private static final String STORES = "stores";

  private static final String KILLED = "killed";
  private static final String CLOSED = "closed";
  private static final String RESTARTED = "killed and started again";
  private static final String GIVEN_UP = "killed and given up, then started again";
  private static final String GIVEN_UP_STOPPED = "given up while both are stopped, then started";
  private static final String PUT_BACK = "started again with an old copy of its store";
  private static final String COPIED = "started once more with a copy of its store";

  /**
   * Longer than a lease, the exclusion of a silent member, and the delay that a busy machine adds.
   */
  private static final long PATIENCE_MILLIS = 20_000;

  private static final long POLL_MILLIS = 250;

  /** How much longer than its timeout a node may wait to be admitted, in percent. */
  private static final int MAX_OVERRUN_PERCENT = 10;

  @Override
  public String name() {
    return "two-nodes";
  }

  @Override
  public String description() {
    return "one of two nodes dies, leaves, returns, is given up: as the operating page says";
  }

  @Override
  public List<PlantedBug> plantedBugs() {
    return List.of(
        PlantedBug.of(
            "both-of-two-vote",
            "of two members both decide, so that neither goes on alone",
            "ownership/Membership.java",
            "return oldestDecides && next.size() == 2 ? olderVoter(present, next) : next;",
            "return next;"),
        PlantedBug.of(
            "given-up-are-welcome",
            "a node that was given up is not refused",
            "discovery/JoinRefusalTracker.java",
            "if (!current.gridDefinition().isGivenUp(from)) {",
            "if (true) {"),
        PlantedBug.of(
            "old-copy-is-welcome",
            "a node that comes back with an old copy of its store is not refused",
            "discovery/StoreHistory.java",
            "return incarnation.mark < known.mark; } }",
            "return false; } } if (known.mark >= 0) { return false; }"),
        PlantedBug.of(
            "second-process-is-welcome",
            "nobody notices that another process runs with the same store",
            "discovery/DuplicateProcessDetector.java",
            "return member.equals(self) ||",
            "return since == now + 1 &&"));
  }

  /** What is done to which node. */
  private record Case(String what, String role, String with) {
    boolean hasStores() {
      return with.equals(STORES);
    }

    @Override
    public String toString() {
      return "the " + role + ", with " + with + ", is " + what;
    }
  }

  @Override
  public ScenarioResult run(ScenarioRun run)
      throws ChaosException, IOException, InterruptedException {
    String root = System.getenv("CANTLE_ROOT");
    DocumentedOutcomes page = DocumentedOutcomes.below(Path.of(root == null ? "" : root));
    List<String> violations = new ArrayList<>();
    long undocumented = 0;
    long slowestRefusalMillis = 0;
    List<Case> cases = cases();
    for (Case its : cases) {
      try (Pair pair = new Pair(run, "pair-" + (cases.indexOf(its) + 1), its.hasStores())) {
        String happened = outcome(its, pair, run);
        String documented = page.of(its.what, its.role, its.with).orElse("nothing");
        run.progress(its + ": " + happened);
        if (!documented.equals(happened)) {
          undocumented++;
          violations.add(its + ": " + happened + "; the page says: " + documented);
        }
        slowestRefusalMillis = Math.max(slowestRefusalMillis, pair.slowestRefusalMillis());
      }
    }
    long most = PairNode.TIMEOUT.toMillis() * (100 + MAX_OVERRUN_PERCENT) / 100;
    if (slowestRefusalMillis > most) {
      violations.add("a node waited " + slowestRefusalMillis + " ms to be let in, not " + most);
    }
    if (page.count() != cases.size()) {
      violations.add("the page has " + page.count() + " outcomes, tried were " + cases.size());
    }
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("documented", page.count());
    figures.put("cases", cases.size());
    figures.put("timeoutMillis", PairNode.TIMEOUT.toMillis());
    figures.put("slowestRefusalMillis", slowestRefusalMillis);
    figures.put("violations", violations.size());
    figures.put("undocumented", undocumented);
    return new ScenarioResult(figures, violations);
  }

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (String role : ROLES) {
      for (String with : List.of(MEMORY, STORES)) {
        for (String what : List.of(KILLED, CLOSED, RESTARTED, GIVEN_UP)) {
          cases.add(new Case(what, role, with));
        }
      }
      for (String what : List.of(GIVEN_UP_STOPPED, PUT_BACK, COPIED)) {
        cases.add(new Case(what, role, STORES));
      }
    }
    return cases;
  }

  // ------------------------------------------------------------------ what is done

  private static String outcome(Case its, Pair pair, ScenarioRun run)
      throws ChaosException, IOException, InterruptedException {
    String role = its.role;
    pair.begin();
    Path copy = run.folder().resolve("copies").resolve(pair.folder(role).getFileName());
    if (its.what.equals(PUT_BACK)) {
      pair.kill(role);
      pair.copy(role, copy);
      pair.start(role);
      pair.awaitSettled(2);
    }
    pair.change();
    return switch (its.what) {
      case KILLED -> {
        pair.kill(role);
        yield "the other " + behaviourAlone(pair, other(role), role);
      }
      case CLOSED -> {
        pair.leave(role);
        yield "the other " + behaviourAlone(pair, other(role), role);
      }
      case RESTARTED -> {
        pair.kill(role);
        yield restarted(pair, role);
      }
      case GIVEN_UP -> givenUp(pair, role);
      case GIVEN_UP_STOPPED -> givenUpStopped(pair, role);
      case PUT_BACK -> {
        pair.kill(role);
        pair.removeFolder(role);
        pair.copyBack(copy, role);
        yield restarted(pair, role);
      }
      default -> {
        pair.copy(role, pair.folder(COPY));
        pair.start(COPY);
        yield "it " + refused(pair.refusal(COPY)) + "; both " + both(pair);
      }
    };
  }

  private static String restarted(Pair pair, String role)
      throws ChaosException, IOException, InterruptedException {
    pair.start(role);
    if (pair.refusal(role).isEmpty()) {
      return "both " + both(pair) + movedAside(pair, role);
    }
    return "it "
        + refused(pair.refusal(role))
        + "; the other "
        + behaviourAlone(pair, other(role), role);
  }

  private static String givenUp(Pair pair, String role)
      throws ChaosException, IOException, InterruptedException {
    pair.kill(role);
    // First it must be certain that the other does not go on by itself.
    String without = behaviourAlone(pair, other(role), role);
    JsonLine recovered = pair.ask(other(role), "recover", JsonLine.empty().with("gone", role));
    String said =
        recovered.has("text")
            ? recovered.text("text").contains("nothing to recover")
                ? "there is nothing to recover"
                : recovered.text("text")
            : "the other, which "
                + without
                + ", is recovered and "
                + behaviourAlone(pair, other(role), role);
    return said + "; then " + restarted(pair, role);
  }

  private static String givenUpStopped(Pair pair, String role)
      throws ChaosException, IOException, InterruptedException {
    pair.kill(role);
    pair.kill(other(role));
    try (StoppedNode stopped = StoppedNode.open(pair.folder(other(role)))) {
      StoppedNode.RecoveryResult _ = stopped.recover(List.of(role));
    }
    pair.start(other(role));
    return "the other "
        + behaviourAlone(pair, other(role), role)
        + "; then "
        + restarted(pair, role);
  }

  // ------------------------------------------------------------------ what comes of it

  /** Returns what a node does that is left without another, once that no longer changes. */
  private static String behaviourAlone(Pair pair, String role, String without)
      throws ChaosException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    String last = "";
    while (System.nanoTime() - deadline < 0) {
      JsonLine found = pair.ask(role, "check", JsonLine.empty());
      if (found.has("wrong")) {
        return found.number("wrong") == 0
            ? "serves everything"
            : "has " + found.number("wrong") + " wrong answers";
      }
      last = found.text("failure") + ": " + found.text("text");
      if (found.hasValue("failure", "NotAvailableException")
          && last.contains("is cut off from " + without + ", the only voter of")
          && last.contains("Grid.recoverVoters")) {
        return "refuses, and says whom it misses and what to do";
      }
      Thread.sleep(POLL_MILLIS);
    }
    return "says " + last;
  }

  private static String both(Pair pair) throws ChaosException, InterruptedException {
    pair.awaitSettled(2);
    for (String role : ROLES) {
      String its = behaviourAlone(pair, role, other(role));
      if (!its.equals("serves everything")) {
        return "are there, and the " + role + " " + its;
      }
    }
    return "serve everything";
  }

  private static String movedAside(Pair pair, String role) throws IOException {
    return pair.log(role).contains("which may be removed, and its node joins as a new one")
        ? ", after its store was moved aside with a warning"
        : "";
  }

  private static String refused(String text) {
    if (text.contains("is an old copy")) {
      return "is not let in, and says that its store is an old copy";
    }
    if (text.contains("is a member already")) {
      return "is not let in, and says that its node is a member already";
    }
    if (text.contains("cannot admit a node") && text.contains("Grid.recoverVoters")) {
      return "is not let in, and says which grid is there and what to do";
    }
    return "is not let in: " + text;
  }
}
