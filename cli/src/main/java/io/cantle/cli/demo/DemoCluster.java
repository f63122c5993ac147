package io.cantle.cli.demo;

import io.cantle.cli.console.ProgressPrinter;
import io.cantle.cli.demo.DemoNodeProcess.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The node processes of a demo, with their common inbox and their logs. The first node does the
 * work. No node outlives this object, nor this process when it is interrupted. The logs are kept
 * only when something failed; an interruption is no failure.
 *
 * <p><b>Threading:</b> one thread, the conductor's, but the shutdown hook at any time. What both
 * touch is guarded by this object.
 */
final class DemoCluster implements AutoCloseable {
  private final Path temporaryDirectory;
  private final Duration timeout;
  private final BlockingQueue<Event> inbox = new ArrayBlockingQueue<>(1_000);
  private final List<DemoNodeProcess> nodes = new CopyOnWriteArrayList<>();
  private final Thread shutdownHook = Thread.ofPlatform().unstarted(this::interrupt);
  private @Nullable Path logs;
  private boolean logsWanted;
  private boolean interrupted;

  /**
   * Creates a cluster without nodes.
   *
   * @param temporaryDirectory the folder in which the logs get a folder of their own
   * @param timeout how long to wait for the next message of any node
   */
  DemoCluster(Path temporaryDirectory, Duration timeout) {
    this.temporaryDirectory = temporaryDirectory;
    this.timeout = timeout;
    Runtime.getRuntime().addShutdownHook(shutdownHook);
  }

  /** Starts all nodes, which store nothing. */
  void start(DemoSettings settings, Function<DemoNodeSettings, List<String>> command)
      throws DemoFailedException {
    // The name is unique, so that two demos on one machine do not join the same grid.
    start(settings, "cantle-demo-" + ProcessHandle.current().pid(), null, command);
  }

  /**
   * Starts all nodes.
   *
   * @param store the folder in which each node has a folder of its own; null to store nothing
   */
  synchronized void start(
      DemoSettings settings,
      String grid,
      @Nullable Path store,
      Function<DemoNodeSettings, List<String>> command)
      throws DemoFailedException {
    if (interrupted) {
      throw failure("interrupted");
    }
    try {
      Path folder = Files.createTempDirectory(temporaryDirectory, "cantle-demo-");
      logs = folder;
      for (int number = 1; number <= settings.nodeCount(); number++) {
        DemoNodeSettings node =
            new DemoNodeSettings(
                grid,
                number,
                settings.ports(),
                settings.owners(),
                settings.data(),
                settings.mode(),
                settings.container(),
                store == null ? null : SavedDemoGrid.nodeDirectory(store, number));
        Path log = folder.resolve(node.name() + ".log");
        nodes.add(DemoNodeProcess.start(node.name(), node.port(), command.apply(node), log, inbox));
      }
    } catch (IOException exception) {
      throw failure("a node could not be started: " + exception.getMessage());
    }
  }

  List<DemoNodeProcess> nodes() {
    return nodes;
  }

  /** Sends an order to the first node. */
  void sendToWorker(DemoMessage message) throws DemoFailedException {
    DemoNodeProcess worker = nodes.getFirst();
    try {
      worker.send(message);
    } catch (IOException exception) {
      throw failure(worker.name() + " accepts no more orders: " + exception.getMessage());
    }
  }

  /**
   * Waits for the next message of any node.
   *
   * @param doing what the nodes are doing, for the message of the exception
   * @throws DemoFailedException if a node fails, ends without having been killed, or no message
   *     arrives
   */
  Event.MessageRead nextMessage(String doing) throws DemoFailedException, InterruptedException {
    while (true) {
      Event event = inbox.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
      switch (event) {
        case null ->
            throw failure("no node said anything for " + timeout.toSeconds() + " s while " + doing);
        case Event.MessageRead received when received.message().hasWord(DemoMessage.FAILED) ->
            throw failure(
                received.node().name()
                    + " failed "
                    + doing
                    + ": "
                    + received.message().textField("text"));
        case Event.MessageRead received -> {
          return received;
        }
        case Event.ProcessEnded ended when ended.node().wasKilled() -> {}
        case Event.ProcessEnded ended ->
            throw failure(
                ended.node().name() + " ended with status " + ended.status() + " while " + doing);
      }
    }
  }

  /** Waits until all nodes have joined; any other message before that is an error. */
  void awaitAll() throws DemoFailedException, InterruptedException {
    String members = Integer.toString(nodes.size());
    for (int joined = 0; joined < nodes.size(); joined++) {
      Event.MessageRead received = nextMessage("joining");
      if (!received.message().hasWord(DemoMessage.JOINED)
          || !received.message().hasWord("members", members)) {
        throw failure(
            received.node().name()
                + " sent \""
                + received.message().toLine()
                + "\" instead of joining");
      }
    }
  }

  /** Waits for the next message that does not report progress; progress is printed. */
  DemoMessage nextMessage(String doing, ProgressPrinter progress)
      throws DemoFailedException, InterruptedException {
    while (true) {
      DemoMessage message = nextMessage(doing).message();
      if (!message.hasWord(DemoMessage.PROGRESS)) {
        return message;
      }
      progress.updateProgress(message.numberField("count"));
    }
  }

  /** Waits until an order is done, and prints its progress. */
  DemoMessage awaitDone(String doing, ProgressPrinter progress)
      throws DemoFailedException, InterruptedException {
    DemoMessage message = nextMessage(doing, progress);
    if (!message.hasWord(DemoMessage.DONE)) {
      throw failure(
          "while " + doing + " an unexpected message arrived: \"" + message.toLine() + "\"");
    }
    return message;
  }

  /**
   * Kills the node with this name and waits until it is dead.
   *
   * @return its exit status
   */
  int kill(String name) throws DemoFailedException, InterruptedException {
    for (DemoNodeProcess node : nodes) {
      if (node.name().equals(name)) {
        return kill(node);
      }
    }
    throw failure("there is no " + name + " to kill");
  }

  /**
   * Kills all nodes at once and waits until they are dead.
   *
   * @return how many died of the signal
   */
  int killAll() throws DemoFailedException, InterruptedException {
    int killed = 0;
    nodes.forEach(DemoNodeProcess::killNow);
    for (DemoNodeProcess node : nodes) {
      killed += kill(node) == DemoNodeProcess.SIGKILL_STATUS ? 1 : 0;
    }
    return killed;
  }

  private int kill(DemoNodeProcess node) throws DemoFailedException, InterruptedException {
    Optional<Integer> status = node.kill(timeout);
    if (status.isEmpty()) {
      throw failure(node.name() + " did not die within " + timeout.toSeconds() + " s");
    }
    return status.get();
  }

  /** Ends all processes. */
  @Override
  public void close() {
    destroy();
    try {
      for (DemoNodeProcess node : nodes) {
        node.kill(timeout);
      }
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException exception) {
      // The hook runs already.
    }
    cleanUp();
  }

  /**
   * The shutdown hook. It waits for {@link #start}, so that no node and no folder is left behind.
   */
  private synchronized void interrupt() {
    interrupted = true;
    destroy();
    cleanUp();
  }

  private synchronized void cleanUp() {
    if (!logsWanted) {
      deleteLogs();
    }
  }

  private void destroy() {
    nodes.forEach(DemoNodeProcess::destroy);
  }

  private void deleteLogs() {
    Path folder = logs;
    if (folder == null) {
      return;
    }
    try {
      for (DemoNodeProcess node : nodes) {
        Files.deleteIfExists(folder.resolve(node.name() + ".log"));
      }
      Files.deleteIfExists(folder);
    } catch (IOException exception) {
      // Logs that are left in the folder for temporary files are no failure of the demo.
    }
  }

  /** Creates the exception to throw, which says what failed and where the logs are. */
  synchronized DemoFailedException failure(String problem) {
    if (interrupted) {
      // Nodes that end because this process ends have not failed.
      return new DemoFailedException("interrupted");
    }
    logsWanted = true;
    return new DemoFailedException(logs == null ? problem : problem + "; logs are in " + logs);
  }
}
