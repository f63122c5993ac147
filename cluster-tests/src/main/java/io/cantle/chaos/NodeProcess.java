package io.cantle.chaos;

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

/**
 * A node as the conductor sees it: a process that obeys orders and can be killed and stopped.
 *
 * <p><b>Threading:</b> any thread; one more thread reads what the process says.
 */
final class NodeProcess {
  private static final int PATIENCE_SECONDS = 20;

  private final NodeSettings settings;
  private final Process process;
  private final CompletableFuture<JsonLine> joined = new CompletableFuture<>();
  private final Map<Long, CompletableFuture<JsonLine>> asked = new ConcurrentHashMap<>();
  private final AtomicLong orders = new AtomicLong();
  private volatile long operations;
  private volatile boolean paused;
  private volatile boolean endWanted;

  private NodeProcess(NodeSettings settings, Process process) {
    this.settings = settings;
    this.process = process;
  }

  static NodeProcess start(NodeSettings settings, List<String> command) throws IOException {
    Path log = settings.folder().resolve(settings.file() + ".log");
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    NodeProcess node = new NodeProcess(settings, process);
    Thread.ofPlatform().daemon().name("cantle-chaos-hears-" + settings.file()).start(node::listen);
    return node;
  }

  NodeSettings settings() {
    return settings;
  }

  int place() {
    return settings.place();
  }

  /** How many calls its clients have ended, as it said last. */
  long operations() {
    return operations;
  }

  boolean isPaused() {
    return paused;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Whether it ended though nobody wanted it to. */
  boolean hasFailed() {
    return !process.isAlive() && !endWanted;
  }

  /** Whether it is a member, and not just starting. */
  boolean hasJoined() {
    return joined.isDone() && !joined.isCompletedExceptionally();
  }

  /**
   * Waits until it has joined; says when that was, or nothing if it has not within the patience.
   */
  Optional<JsonLine> awaitJoined(Duration patience) throws InterruptedException {
    return await(joined, patience);
  }

  /** Gives an order, whose answer comes later. */
  CompletableFuture<JsonLine> order(Order order, JsonLine more) {
    long id = orders.incrementAndGet();
    CompletableFuture<JsonLine> answer = new CompletableFuture<>();
    asked.put(id, answer);
    JsonLine line = more.with("id", id).with("order", order.name());
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
      answer.completeExceptionally(ended());
    }
    return answer;
  }

  /** Gives an order and waits for the answer; nothing if it does not come or is an error. */
  Optional<JsonLine> ask(Order order, JsonLine more, Duration patience)
      throws InterruptedException {
    return await(order(order, more), patience);
  }

  /** What was answered; nothing if that does not come or is an error. */
  static Optional<JsonLine> await(CompletableFuture<JsonLine> answer, Duration patience)
      throws InterruptedException {
    try {
      return Optional.of(answer.get(patience.toMillis(), TimeUnit.MILLISECONDS))
          .filter(line -> !line.has("error"));
    } catch (ExecutionException | TimeoutException e) {
      return Optional.empty();
    }
  }

  /** SIGKILL: no chance to say goodbye. Returns when it is dead. */
  void kill() throws InterruptedException {
    endWanted = true;
    process.destroyForcibly();
    awaitEnd();
  }

  /** SIGKILL without waiting. */
  void destroy() {
    endWanted = true;
    process.destroyForcibly();
  }

  /** SIGSTOP: it stands still until {@link #resume}. */
  void pause() throws ChaosException, InterruptedException {
    paused = true;
    signal("-STOP");
  }

  /** SIGCONT. */
  void resume() throws ChaosException, InterruptedException {
    signal("-CONT");
    paused = false;
  }

  /** Has it leave; returns at once. */
  void leave() {
    endWanted = true;
    CompletableFuture<JsonLine> _ = order(Order.LEAVE, JsonLine.empty());
  }

  /** Waits for its end; whether it came. */
  boolean awaitEnd(Duration patience) throws InterruptedException {
    return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Has it write down what all its threads do; it may stand still, then nothing comes of it. */
  void dumpThreads() throws InterruptedException {
    Path file = settings.folder().resolve(settings.file() + ".threads").toAbsolutePath();
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
      if (!dump.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        dump.destroyForcibly();
      }
    } catch (IOException e) {
      // Without jcmd there is no dump; the failure it would explain is told anyway.
    }
  }

  private void awaitEnd() throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("process " + process.pid() + " does not end");
    }
  }

  private void signal(String signal) throws ChaosException, InterruptedException {
    try {
      Process sent =
          new ProcessBuilder("kill", signal, Long.toString(process.pid())).inheritIO().start();
      if (sent.waitFor() != 0) {
        throw new ChaosException(
            ChaosException.FAILED, "kill " + signal + " of " + settings.file() + " failed");
      }
    } catch (IOException e) {
      throw new ChaosException(ChaosException.LACKING, "cannot run kill: " + e.getMessage());
    }
  }

  private void listen() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        hear(JsonLine.parse(line));
      }
    } catch (IOException | IllegalArgumentException e) {
      // A killed process ends in the middle of a line; another that cannot be understood is of no
      // use, and its end is noticed.
      process.destroyForcibly();
    }
    IOException end = ended();
    joined.completeExceptionally(end);
    asked.values().forEach(answer -> answer.completeExceptionally(end));
  }

  private void hear(JsonLine line) {
    switch (line.text("say")) {
      case "joined" -> joined.complete(line);
      case "count" -> operations = line.number("operations");
      case "answer" -> {
        CompletableFuture<JsonLine> answer = asked.remove(line.number("id"));
        if (answer != null) {
          answer.complete(line);
        }
      }
      default -> joined.completeExceptionally(new IOException(line.toString()));
    }
  }

  private IOException ended() {
    return new IOException(settings.file() + " has ended");
  }
}
