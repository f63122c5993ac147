package io.cantle.bench;

import io.cantle.bench.log.LogCell;
import io.cantle.bench.log.LogFigures;
import io.cantle.bench.log.LogRounds;
import io.cantle.bench.log.LogVariant;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The JVM of one variant, as the command line sees it; {@link LogRounds} is its other end.
 *
 * <p><b>Threading:</b> one thread; another of its own reads the output of the JVM.
 */
final class LogProcess implements AutoCloseable {

  /** The flags of every such JVM. */
  static final List<String> FLAGS =
      List.of(
          "-Xms512m",
          "-Xmx512m",
          "-XX:+UseParallelGC",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private static final int START_TIMEOUT_SECONDS = 60;
  private static final int GRACE_SECONDS = 120;
  private static final int MAX_PENDING_LINES = 16;

  /** Stands for the end of the JVM's output. */
  private static final String END_LINE = "";

  private final BenchmarkChildProcess child = new BenchmarkChildProcess();
  private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(MAX_PENDING_LINES);
  private final BufferedWriter requests;
  private final String version;
  private @Nullable String failure;

  /**
   * Starts it and waits until it is ready.
   *
   * @param log the file for its other output
   * @throws IOException if it does not start
   */
  LogProcess(LogVariant variant, boolean synced, long delayNanos, Path log)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(List.of("-cp", classPath(variant), LogRounds.class.getName()));
    command.addAll(List.of(LogRounds.arguments(variant, synced, delayNanos)));
    boolean ready = false;
    try {
      Process process = child.start(new ProcessBuilder(command).redirectError(log.toFile()));
      requests = process.outputWriter();
      Thread.ofVirtual().start(() -> readLines(process));
      version =
          awaitAnswer(LogRounds.READY, START_TIMEOUT_SECONDS).substring(LogRounds.READY.length());
      ready = true;
    } finally {
      if (!ready) {
        child.close();
      }
    }
  }

  private static String classPath(LogVariant variant) {
    String module = variant.module();
    return module == null
        ? System.getProperty("java.class.path")
        : PeerRoundProcess.classPath(module);
  }

  /** Returns the version of the product; empty if that is this build. */
  String version() {
    return version;
  }

  /**
   * Measures a cell.
   *
   * @param folder an empty one, removed when this returns normally
   * @throws IOException if there is no figure
   */
  LogFigures measure(LogCell cell, long settleMillis, long millis, Path folder)
      throws IOException, InterruptedException {
    if (failure != null) {
      throw new IOException("its JVM is gone since: " + failure);
    }
    requests.write(LogRounds.request(cell, settleMillis, millis, folder));
    requests.newLine();
    requests.flush();
    long limitSeconds = TimeUnit.MILLISECONDS.toSeconds(settleMillis + millis) + GRACE_SECONDS;
    return LogRounds.figures(awaitAnswer(LogRounds.FIGURES, limitSeconds));
  }

  private String awaitAnswer(String begin, long limitSeconds)
      throws IOException, InterruptedException {
    String line = lines.poll(limitSeconds, TimeUnit.SECONDS);
    if (line != null && line.startsWith(begin)) {
      return line;
    }
    if (line != null && line.startsWith(LogRounds.FAILURE)) {
      throw new IOException(line.substring(LogRounds.FAILURE.length()));
    }
    failure = line == null ? "no answer within " + limitSeconds + " s" : "it has ended";
    child.close();
    throw new IOException(failure);
  }

  private void readLines(Process process) {
    try (BufferedReader said = process.inputReader()) {
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        lines.put(line);
      }
      lines.put(END_LINE);
    } catch (IOException | InterruptedException ended) {
      boolean told = lines.offer(END_LINE);
      if (!told) {
        throw new IllegalStateException("nobody reads the answers of a JVM", ended);
      }
    }
  }

  /** Ends the JVM. */
  @Override
  public void close() {
    child.close();
  }
}
