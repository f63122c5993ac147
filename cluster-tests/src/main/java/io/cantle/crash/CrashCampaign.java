package io.cantle.crash;

import io.cantle.chaos.process.CommandOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A campaign that lets writers write, stops them in the middle of it, and checks what is left. A
 * writer is stopped by a power cut, by SIGKILL, or by a system call that fails. The moments are
 * drawn from the seed. How far each thread had come by then is not, so a seed repeats the plan and
 * not the crash.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class CrashCampaign {
  /** How long a writer works at most before it is stopped. */
  private static final int MAX_WORK_MILLIS = 500;

  /**
   * How long after it began to open existing files a writer is stopped, if it is stopped while
   * opening.
   */
  private static final int MAX_OPENING_MILLIS = 60;

  /** The calls that fail are among this many first calls of a thread. */
  private static final int MAX_CALLS = 250;

  private static final int FIRST_CALL = 3;
  private static final long ERROR_TIMEOUT_MILLIS = 15_000;
  private static final long PROGRESS_INTERVAL_NANOS = 5_000_000_000L;
  private static final Path TRACE = Path.of("trace");

  private final CrashSettings settings;
  private final CrashResources resources;
  private final Consumer<String> progressListener;
  private final Random random;
  private final CrashVerdict verdict = new CrashVerdict();
  private final Map<String, Long> kinds = new TreeMap<>();
  private long cuts;
  private long kills;
  private long errors;
  private long errorsNotReached;
  private long errorsNotRun;
  private long reportedNanos = System.nanoTime();

  CrashCampaign(
      CrashSettings settings, CrashResources resources, Consumer<String> progressListener) {
    this.settings = settings;
    this.resources = resources;
    this.progressListener = progressListener;
    this.random = new Random(settings.seed());
  }

  /** Returns whether nothing is missing and nothing is there that should not be. */
  boolean isClean() {
    return verdict.isClean();
  }

  /** Returns what was done and found, by name. */
  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    kinds.forEach(figures::put);
    figures.put("cuts", cuts);
    figures.put("kills", kills);
    figures.put("errors", errors);
    figures.put("errors not reached", errorsNotReached);
    figures.put("errors not run", errorsNotRun);
    figures.put("acked", verdict.acked());
    figures.put("acked after failure", verdict.afterFailure());
    figures.put("lost", verdict.lost());
    figures.put("torn", verdict.torn());
    return figures;
  }

  /** Runs all that the settings ask for; with a planted bug, until it is found. */
  void run() throws CrashException, IOException, InterruptedException {
    if (settings.cuts() > 0) {
      runPowerCuts();
    }
    runKills();
    runFailingCalls();
  }

  private boolean isFound() {
    return settings.isPlanted() && !verdict.isClean();
  }

  private void runPowerCuts() throws CrashException, IOException, InterruptedException {
    PowerSwitch power = new PowerSwitch();
    List<DiskImage> images = new ArrayList<>();
    for (String kind : settings.fileSystems()) {
      images.add(resources.createImage(kind));
    }
    for (int cut = 0; cut < settings.cuts() && !isFound(); cut++) {
      DiskImage image = images.get(cut % images.size());
      CrashedFolder victim =
          image.crashedFolders().get(cut / images.size() % image.crashedFolders().size());
      boolean opens = random.nextInt(5) == 0;
      try (CrashWriterProcess writer =
          resources.startWriter(List.of(), victim, settings.forgotten())) {
        workFor(writer, victim, opens);
        power.cutPower(image.folder());
        // Some writers see the failure and report it, some do not.
        boolean _ = writer.awaitEnd(random.nextInt(30));
      }
      image.remount();
      victim.checkContents(verdict);
      cuts++;
      countCrash("cuts " + image.kind() + " " + victim.kind() + (opens ? " opening" : ""));
      reportProgress(cuts + " of " + settings.cuts() + " power cuts");
    }
  }

  private void runKills() throws CrashException, IOException, InterruptedException {
    List<CrashedFolder> victims = CrashedFolder.createAllIn(resources.folder());
    for (int kill = 0; kill < settings.kills(); kill++) {
      CrashedFolder victim = victims.get(kill % victims.size());
      boolean opens = random.nextInt(5) == 0;
      try (CrashWriterProcess writer =
          resources.startWriter(List.of(), victim, settings.forgotten())) {
        workFor(writer, victim, opens);
        writer.kill();
      }
      victim.checkContents(verdict);
      kills++;
      countCrash("kills " + victim.kind() + (opens ? " opening" : ""));
      reportProgress(kills + " of " + settings.kills() + " kills");
    }
  }

  private void workFor(CrashWriterProcess writer, CrashedFolder victim, boolean opens)
      throws CrashException, IOException, InterruptedException {
    boolean works = opens ? writer.awaitOpening() : writer.awaitOpened();
    works = works && !writer.awaitEnd(random.nextInt(opens ? MAX_OPENING_MILLIS : MAX_WORK_MILLIS));
    if (!works || !writer.failure().isEmpty()) {
      throw new CrashException(
          CrashException.FAILED_STATUS,
          "a writer ("
              + victim.kind()
              + ") ended by itself: "
              + writer.failure()
              + " "
              + resources.describeLeftovers());
    }
  }

  /**
   * Makes a call fail once while the next ones do not: what failed must not be acknowledged later.
   */
  private void runFailingCalls() throws CrashException, IOException, InterruptedException {
    if (settings.errors() == 0) {
      return;
    }
    if (!CommandOutput.run(List.of("strace", "-V")).isSuccess()) {
      errorsNotRun = settings.errors();
      progressListener.accept("strace is missing, so no call fails: install strace");
      return;
    }
    Path folder = Files.createDirectory(resources.folder().resolve("errors-of-calls"));
    Path trace = resources.folder().resolve(TRACE);
    List<CrashedFolder> victims = CrashedFolder.createAllIn(folder);
    for (int number = 0; number < settings.errors(); number++) {
      CrashedFolder victim = victims.get(number % victims.size());
      // With direct I/O, a write is its own sync.
      boolean writes = victim.isDirect() || random.nextBoolean();
      String call = writes ? "pwrite64" : "fdatasync";
      int when = FIRST_CALL + random.nextInt(MAX_CALLS);
      try (CrashWriterProcess writer =
          resources.startWriter(straceCommand(call, when, trace), victim, CrashWriter.HONEST)) {
        boolean _ = writer.awaitEnd(ERROR_TIMEOUT_MILLIS);
      }
      if (Files.readString(trace).contains("INJECTED")) {
        errors++;
        countCrash("errors " + call + " " + victim.kind());
      } else {
        errorsNotReached++;
      }
      victim.checkContents(verdict);
      reportProgress(errors + " of " + settings.errors() + " failing calls");
    }
  }

  private static List<String> straceCommand(String call, int when, Path trace) {
    return List.of(
        "strace",
        "--follow-forks",
        "--seccomp-bpf",
        "--quiet=all",
        "--output=" + trace,
        "--trace=" + call,
        "--inject=" + call + ":error=EIO:when=" + when);
  }

  private void countCrash(String kind) {
    kinds.merge(kind, 1L, Long::sum);
  }

  private void reportProgress(String progress) {
    verdict.takeNews().forEach(progressListener);
    if (System.nanoTime() - reportedNanos > PROGRESS_INTERVAL_NANOS) {
      reportedNanos = System.nanoTime();
      progressListener.accept(progress + ", " + verdict.acked() + " acknowledged");
    }
  }
}
