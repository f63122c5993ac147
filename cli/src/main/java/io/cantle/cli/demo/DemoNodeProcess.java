package io.cantle.cli.demo;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A node process as the conductor sees it: it accepts orders, its messages arrive in the
 * conductor's inbox, and it can be killed.
 *
 * <p><b>Threading:</b> the conductor's thread, but {@link #destroy} any thread. One more thread
 * reads the messages.
 */
final class DemoNodeProcess {
  /** The exit status of a process that was killed. */
  static final int SIGKILL_STATUS = 128 + 9;

  private final String name;
  private final int port;
  private final Process process;
  private boolean killedByDemo;

  private DemoNodeProcess(String name, int port, Process process) {
    this.name = name;
    this.port = port;
    this.process = process;
  }

  /**
   * Starts a process.
   *
   * @param log the file for its stderr
   * @param inbox receives its messages, and at last that it ended
   * @throws IOException if the operating system cannot start the process
   */
  static DemoNodeProcess start(
      String name, int port, List<String> command, Path log, BlockingQueue<Event> inbox)
      throws IOException {
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    DemoNodeProcess node = new DemoNodeProcess(name, port, process);
    Thread.ofPlatform()
        .daemon()
        .name("cantle-demo-reads-" + name)
        .start(() -> node.readMessages(inbox));
    return node;
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  boolean wasKilled() {
    return killedByDemo;
  }

  /**
   * Sends an order.
   *
   * @throws IOException if the process no longer reads its input
   */
  void send(DemoMessage order) throws IOException {
    OutputStream orders = process.getOutputStream();
    orders.write((order.toLine() + "\n").getBytes(StandardCharsets.UTF_8));
    orders.flush();
  }

  /**
   * Kills the process with SIGKILL, so that it cannot leave the grid first.
   *
   * @return its exit status, empty if it did not die in time
   */
  Optional<Integer> kill(Duration deadline) throws InterruptedException {
    killedByDemo = true;
    process.destroyForcibly();
    return process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)
        ? Optional.of(process.exitValue())
        : Optional.empty();
  }

  /** Kills the process without waiting for its end. */
  void killNow() {
    killedByDemo = true;
    process.destroyForcibly();
  }

  /** Makes sure that the process ends, without waiting for it. */
  void destroy() {
    process.destroyForcibly();
  }

  private void readMessages(BlockingQueue<Event> inbox) {
    try (BufferedInputStream in = new BufferedInputStream(process.getInputStream())) {
      for (Optional<DemoMessage> message = DemoMessage.read(in);
          message.isPresent();
          message = DemoMessage.read(in)) {
        inbox.put(new Event.MessageRead(this, message.get()));
      }
    } catch (IOException | IllegalArgumentException exception) {
      // A process that sends malformed messages is useless. The pipe of a killed process also ends
      // here.
      process.destroyForcibly();
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      return;
    }
    try {
      inbox.put(new Event.ProcessEnded(this, process.waitFor()));
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
  }

  /** An event of a node process. */
  sealed interface Event {
    DemoNodeProcess node();

    /** The node sent a message. */
    record MessageRead(DemoNodeProcess node, DemoMessage message) implements Event {}

    /** The process ended. */
    record ProcessEnded(DemoNodeProcess node, int status) implements Event {}
  }
}
