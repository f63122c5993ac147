package io.cantle.chaos.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A child process, as the process that directs it sees it. It executes orders, see {@link
 * ChildOrders}, and can be killed, stopped and continued. What it writes to its standard error goes
 * to {@code NAME.log} in its folder.
 *
 * <p><b>Threading:</b> any thread; one more thread reads the output of the process.
 */
public final class ChildProcess implements AutoCloseable {
  private static final int END_TIMEOUT_SECONDS = 20;

  private final String name;
  private final Path folder;
  private final Process process;
  private final Consumer<JsonLine> messageListener;
  private final CompletableFuture<JsonLine> ready = new CompletableFuture<>();
  private final Map<Long, CompletableFuture<JsonLine>> pendingAnswers = new ConcurrentHashMap<>();
  private final AtomicLong orders = new AtomicLong();
  private volatile boolean paused;
  private volatile boolean endExpected;

  private ChildProcess(
      String name, Path folder, Process process, Consumer<JsonLine> messageListener) {
    this.name = name;
    this.folder = folder;
    this.process = process;
    this.messageListener = messageListener;
  }

  /**
   * Starts a process.
   *
   * @param name the name of the process and its files
   * @param folder where its log goes
   * @param command the program and its arguments
   * @param messageListener receives each line that is neither the answer to an order nor the report
   *     that it is ready
   * @throws IOException if it cannot be started
   */
  public static ChildProcess start(
      String name, Path folder, List<String> command, Consumer<JsonLine> messageListener)
      throws IOException {
    Path log = folder.resolve(name + ".log");
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    ChildProcess child = new ChildProcess(name, folder, process, messageListener);
    Thread.ofPlatform().daemon().name("cantle-chaos-hears-" + name).start(child::readOutput);
    return child;
  }

  /** Returns its name. */
  public String name() {
    return name;
  }

  /** Returns the file that contains its standard error. */
  public Path log() {
    return folder.resolve(name + ".log");
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether it is paused after {@link #pause}. */
  public boolean isPaused() {
    return paused;
  }

  /** Returns whether it has not ended. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns whether it ended unexpectedly. */
  public boolean hasFailed() {
    return !process.isAlive() && !endExpected;
  }

  /** Returns whether it has reported that it is ready. */
  public boolean isReady() {
    return ready.isDone() && !ready.isCompletedExceptionally();
  }

  /**
   * Waits until it is ready; returns nothing if it ends before, or is not ready within the timeout.
   */
  public Optional<JsonLine> awaitReady(Duration timeout) throws InterruptedException {
    return await(ready, timeout);
  }

  /**
   * Waits until it is ready.
   *
   * @throws ChaosException if it ends before, or is not ready within the timeout
   */
  public JsonLine requireReady(Duration timeout) throws ChaosException, InterruptedException {
    return awaitReady(timeout).orElseThrow(() -> failure("did not start"));
  }

  /** Sends an order, whose answer comes later. */
  public CompletableFuture<JsonLine> order(String order, JsonLine details) {
    long id = orders.incrementAndGet();
    CompletableFuture<JsonLine> answer = new CompletableFuture<>();
    pendingAnswers.put(id, answer);
    JsonLine line = details.with("id", id).with("order", order);
    try {
      OutputStream out = process.getOutputStream();
      synchronized (out) {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (IOException e) {
      answer.completeExceptionally(e);
    }
    if (!process.isAlive()) {
      answer.completeExceptionally(onEnd());
    }
    return answer;
  }

  /**
   * Sends an order and waits for the answer; returns nothing if there is none in time or it is an
   * error.
   */
  public Optional<JsonLine> orderAndAwait(String order, JsonLine details, Duration timeout)
      throws InterruptedException {
    return await(order(order, details), timeout);
  }

  /**
   * Sends an order and waits for the answer.
   *
   * @throws ChaosException if there is none in time or it is an error
   */
  public JsonLine requireAnswer(String order, JsonLine details, Duration timeout)
      throws ChaosException, InterruptedException {
    return orderAndAwait(order, details, timeout)
        .orElseThrow(() -> failure("did not answer `" + order + "`"));
  }

  private ChaosException failure(String what) {
    return new ChaosException(ChaosException.FAILED_STATUS, name + " " + what + "; see " + log());
  }

  /** Waits for an answer; returns nothing if there is none in time or it is an error. */
  public static Optional<JsonLine> await(CompletableFuture<JsonLine> answer, Duration timeout)
      throws InterruptedException {
    try {
      return Optional.of(answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS))
          .filter(line -> !line.has("error"));
    } catch (ExecutionException | TimeoutException e) {
      return Optional.empty();
    }
  }

  /** Sends SIGKILL, and returns when the process is dead. */
  public void kill() throws InterruptedException {
    destroy();
    if (!process.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("process " + process.pid() + " does not end");
    }
  }

  /** Sends SIGKILL without waiting. */
  public void destroy() {
    endExpected = true;
    process.destroyForcibly();
  }

  /** Sends SIGSTOP: the process is paused until {@link #resume}. */
  public void pause() throws ChaosException, InterruptedException {
    paused = true;
    sendSignal("-STOP");
  }

  /** Sends SIGCONT. */
  public void resume() throws ChaosException, InterruptedException {
    sendSignal("-CONT");
    paused = false;
  }

  /** From now on its end is no failure. */
  public void expectEnd() {
    endExpected = true;
  }

  /** Waits for its end; returns whether it ended. */
  public boolean awaitEnd(Duration timeout) throws InterruptedException {
    return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Makes it write a thread dump. A paused process writes none. */
  public void dumpThreads() throws InterruptedException {
    Path file = folder.resolve(name + ".threads").toAbsolutePath();
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
            Long.toString(process.pid()),
            "Thread.dump_to_file",
            file.toString());
    try {
      Process dump =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!dump.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        dump.destroyForcibly();
      }
    } catch (IOException e) {
      // Without jcmd there is no dump; the failure it would explain is reported anyway.
    }
  }

  /** Kills it without waiting. */
  @Override
  public void close() {
    destroy();
  }

  private void sendSignal(String signal) throws ChaosException, InterruptedException {
    try {
      Process sent =
          new ProcessBuilder("kill", signal, Long.toString(process.pid())).inheritIO().start();
      if (sent.waitFor() != 0) {
        throw new ChaosException(
            ChaosException.FAILED_STATUS, "kill " + signal + " of " + name + " failed");
      }
    } catch (IOException e) {
      throw new ChaosException(ChaosException.LACKING_STATUS, "cannot run kill: " + e.getMessage());
    }
  }

  private void readOutput() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        onLine(JsonLine.parse(line));
      }
    } catch (IOException | IllegalArgumentException e) {
      // A killed process ends in the middle of a line. Any other process whose output cannot be
      // parsed is of no use, and its end is noticed.
      process.destroyForcibly();
    }
    IOException end = onEnd();
    ready.completeExceptionally(end);
    pendingAnswers.values().forEach(answer -> answer.completeExceptionally(end));
  }

  private void onLine(JsonLine line) {
    switch (line.text("say")) {
      case ChildOrders.READY -> ready.complete(line);
      case ChildOrders.ANSWER -> {
        CompletableFuture<JsonLine> answer = pendingAnswers.remove(line.number("id"));
        if (answer != null) {
          answer.complete(line);
        }
      }
      case ChildOrders.FAILED -> ready.completeExceptionally(new IOException(line.toString()));
      default -> messageListener.accept(line);
    }
  }

  private IOException onEnd() {
    return new IOException(name + " has ended");
  }
}
