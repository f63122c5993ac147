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
 * A node as the conductor sees it: a process it sends orders to, whose messages arrive in the
 * conductor's inbox, and which it may kill.
 *
 * <p><b>Threading:</b> the conductor's thread, but {@link #destroy} any thread; one more thread
 * reads.
 */
final class DemoNodeProcess {
  /** Of a process that was killed. */
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
   * @param log where its stderr goes
   * @param inbox gets what it says, and at last that it ended
   * @throws IOException if the operating system starts no process
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
   * @throws IOException if the process no longer listens
   */
  void send(DemoMessage order) throws IOException {
    OutputStream orders = process.getOutputStream();
    orders.write((order.toLine() + "\n").getBytes(StandardCharsets.UTF_8));
    orders.flush();
  }

  /**
   * Kills it as the operating system does, without a chance to say goodbye.
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

  /** Kills it without waiting for it. */
  void killNow() {
    killedByDemo = true;
    process.destroyForcibly();
  }

  /** Makes sure that it ends, without waiting for it. */
  void destroy() {
    process.destroyForcibly();
  }

  private void readMessages(BlockingQueue<Event> inbox) {
    try (BufferedInputStream in = new BufferedInputStream(process.getInputStream())) {
      for (Optional<DemoMessage> message = DemoMessage.read(in);
          message.isPresent();
          message = DemoMessage.read(in)) {
        inbox.put(new Event.MessageReceived(this, message.get()));
      }
    } catch (IOException | IllegalArgumentException exception) {
      // Who cannot be understood is of no use; a killed process ends in this way too.
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

  /** What the conductor hears of a node. */
  sealed interface Event {
    DemoNodeProcess node();

    /** It sent a message. */
    record MessageReceived(DemoNodeProcess node, DemoMessage message) implements Event {}

    /** It is no more. */
    record ProcessEnded(DemoNodeProcess node, int status) implements Event {}
  }
}
