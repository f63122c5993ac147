package io.cantle.crash;

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
 * Lets writers write, stops them in the middle of it, and checks what is left: by a power cut, by
 * SIGKILL, by a call of the system that fails. The moments are drawn from the seed; which thread
 * had come how far by then is not, so a seed repeats the plan and not the crash.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class Crashes {
  /** How long a writer works before it is stopped, at most. */
  private static final int WORK_MILLIS = 500;

  /** How long after it began to open what is there, if it is stopped in that. */
  private static final int OPENING_MILLIS = 60;

  /** The calls that fail are among the first so many of a thread. */
  private static final int MOST_CALLS = 250;

  private static final int FIRST_CALL = 3;
  private static final long ERROR_MILLIS = 15_000;
  private static final long TELL_NANOS = 5_000_000_000L;
  private static final Path TRACE = Path.of("trace");

  private final CrashSettings settings;
  private final Premises premises;
  private final Consumer<String> told;
  private final Random random;
  private final Verdict verdict = new Verdict();
  private final Map<String, Long> kinds = new TreeMap<>();
  private long cuts;
  private long kills;
  private long errors;
  private long errorsNotReached;
  private long errorsNotRun;
  private long toldAt = System.nanoTime();

  Crashes(CrashSettings settings, Premises premises, Consumer<String> told) {
    this.settings = settings;
    this.premises = premises;
    this.told = told;
    this.random = new Random(settings.seed());
  }

  /** Whether nothing is missing and nothing is there that should not be. */
  boolean isClean() {
    return verdict.isClean();
  }

  /** What was done and found, by name. */
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

  /** All that the settings ask for; with something planted, until it is found. */
  void run() throws CrashException, IOException, InterruptedException {
    if (settings.cuts() > 0) {
      cutPower();
    }
    killWriters();
    failCalls();
  }

  private boolean isFound() {
    return settings.isPlanted() && !verdict.isClean();
  }

  private void cutPower() throws CrashException, IOException, InterruptedException {
    PowerSwitch power = new PowerSwitch();
    List<Image> images = new ArrayList<>();
    for (String kind : settings.fileSystems()) {
      images.add(premises.image(kind));
    }
    for (int cut = 0; cut < settings.cuts() && !isFound(); cut++) {
      Image image = images.get(cut % images.size());
      Victim victim = image.victims().get(cut / images.size() % image.victims().size());
      boolean opens = random.nextInt(5) == 0;
      try (WriterProcess writer = premises.writer(List.of(), victim, settings.forgotten())) {
        letWork(writer, victim, opens);
        power.cut(image.folder());
        // Some see it and say so, some do not.
        boolean _ = writer.awaitEnd(random.nextInt(30));
      }
      image.remount();
      victim.check(verdict);
      cuts++;
      count("cuts " + image.kind() + " " + victim.kind() + (opens ? " opening" : ""));
      tell(cuts + " of " + settings.cuts() + " power cuts");
    }
  }

  private void killWriters() throws CrashException, IOException, InterruptedException {
    List<Victim> victims = Victim.allIn(premises.folder());
    for (int kill = 0; kill < settings.kills(); kill++) {
      Victim victim = victims.get(kill % victims.size());
      boolean opens = random.nextInt(5) == 0;
      try (WriterProcess writer = premises.writer(List.of(), victim, settings.forgotten())) {
        letWork(writer, victim, opens);
        writer.kill();
      }
      victim.check(verdict);
      kills++;
      count("kills " + victim.kind() + (opens ? " opening" : ""));
      tell(kills + " of " + settings.kills() + " kills");
    }
  }

  private void letWork(WriterProcess writer, Victim victim, boolean opens)
      throws CrashException, IOException, InterruptedException {
    boolean works = opens ? writer.awaitOpening() : writer.awaitOpened();
    works = works && !writer.awaitEnd(random.nextInt(opens ? OPENING_MILLIS : WORK_MILLIS));
    if (!works || !writer.failure().isEmpty()) {
      throw new CrashException(
          CrashException.FAILED,
          "a writer ("
              + victim.kind()
              + ") ended by itself: "
              + writer.failure()
              + " "
              + premises.complaint());
    }
  }

  /** A call fails once and the next ones do not: what failed must not be acknowledged later. */
  private void failCalls() throws CrashException, IOException, InterruptedException {
    if (settings.errors() == 0) {
      return;
    }
    if (!Tool.run(List.of("strace", "-V")).works()) {
      errorsNotRun = settings.errors();
      told.accept("strace is missing, so no call fails: install strace");
      return;
    }
    Path folder = Files.createDirectory(premises.folder().resolve("errors-of-calls"));
    Path trace = premises.folder().resolve(TRACE);
    List<Victim> victims = Victim.allIn(folder);
    for (int number = 0; number < settings.errors(); number++) {
      Victim victim = victims.get(number % victims.size());
      // Past the cache a write is its own sync.
      boolean writes = victim.isDirect() || random.nextBoolean();
      String call = writes ? "pwrite64" : "fdatasync";
      int when = FIRST_CALL + random.nextInt(MOST_CALLS);
      try (WriterProcess writer =
          premises.writer(strace(call, when, trace), victim, Writer.HONEST)) {
        boolean _ = writer.awaitEnd(ERROR_MILLIS);
      }
      if (Files.readString(trace).contains("INJECTED")) {
        errors++;
        count("errors " + call + " " + victim.kind());
      } else {
        errorsNotReached++;
      }
      victim.check(verdict);
      tell(errors + " of " + settings.errors() + " failing calls");
    }
  }

  private static List<String> strace(String call, int when, Path trace) {
    return List.of(
        "strace",
        "--follow-forks",
        "--seccomp-bpf",
        "--quiet=all",
        "--output=" + trace,
        "--trace=" + call,
        "--inject=" + call + ":error=EIO:when=" + when);
  }

  private void count(String kind) {
    kinds.merge(kind, 1L, Long::sum);
  }

  private void tell(String progress) {
    verdict.news().forEach(told);
    if (System.nanoTime() - toldAt > TELL_NANOS) {
      toldAt = System.nanoTime();
      told.accept(progress + ", " + verdict.acked() + " acknowledged");
    }
  }
}
