package io.cantle.cli.demo;

import io.cantle.cli.console.Story;
import io.cantle.cli.demo.NodeProcess.Event;
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
 * The processes of the nodes, their common inbox and their logs. The first node is the one that
 * works. None outlives this object, nor this process when it is interrupted. The logs are kept only
 * when something failed; an interruption is no failure.
 *
 * <p><b>Threading:</b> one thread, the conductor's, but the shutdown hook any time: what both touch
 * is guarded by this object.
 */
final class Nodes implements AutoCloseable {
  private final Path temporary;
  private final Duration patience;
  private final BlockingQueue<Event> inbox = new ArrayBlockingQueue<>(1_000);
  private final List<NodeProcess> all = new CopyOnWriteArrayList<>();
  private final Thread destroyer = Thread.ofPlatform().unstarted(this::interrupt);
  private @Nullable Path logs;
  private boolean logsWanted;
  private boolean interrupted;

  /**
   * No nodes yet.
   *
   * @param temporary the folder in which the logs get one of their own
   * @param patience how long nothing may be heard of any node
   */
  Nodes(Path temporary, Duration patience) {
    this.temporary = temporary;
    this.patience = patience;
    Runtime.getRuntime().addShutdownHook(destroyer);
  }

  /** Starts all of them. */
  void start(DemoSettings settings, Function<NodeSettings, List<String>> command)
      throws DemoFailedException {
    // Two demos on a machine must not meet.
    start(settings, "cantle-demo-" + ProcessHandle.current().pid(), null, command);
  }

  /**
   * Starts all of them.
   *
   * @param store in which each has a folder of its own; null if nothing is kept
   */
  synchronized void start(
      DemoSettings settings,
      String grid,
      @Nullable Path store,
      Function<NodeSettings, List<String>> command)
      throws DemoFailedException {
    if (interrupted) {
      throw failed("interrupted");
    }
    try {
      Path folder = Files.createTempDirectory(temporary, "cantle-demo-");
      logs = folder;
      for (int number = 1; number <= settings.nodes(); number++) {
        NodeSettings node =
            new NodeSettings(
                grid,
                number,
                settings.ports(),
                settings.owners(),
                settings.data(),
                store == null ? null : KeptGrid.of(store, number));
        Path log = folder.resolve(node.name() + ".log");
        all.add(NodeProcess.start(node.name(), node.port(), command.apply(node), log, inbox));
      }
    } catch (IOException exception) {
      throw failed("a node could not be started: " + exception.getMessage());
    }
  }

  List<NodeProcess> all() {
    return all;
  }

  /** Tells the first node what to do. */
  void order(Message message) throws DemoFailedException {
    NodeProcess worker = all.getFirst();
    try {
      worker.send(message);
    } catch (IOException exception) {
      throw failed(worker.name() + " does not listen: " + exception.getMessage());
    }
  }

  /**
   * Waits for the next message of any node.
   *
   * @param doing what the nodes are at, for the message of the exception
   * @throws DemoFailedException if a node fails, ends without having been killed, or nothing is
   *     heard
   */
  Event.Said next(String doing) throws DemoFailedException, InterruptedException {
    while (true) {
      Event event = inbox.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
      switch (event) {
        case null ->
            throw failed("no node said anything for " + patience.toSeconds() + " s while " + doing);
        case Event.Said said when said.message().is(Message.FAILED) ->
            throw failed(
                said.node().name() + " failed " + doing + ": " + said.message().text("text"));
        case Event.Said said -> {
          return said;
        }
        case Event.Ended ended when ended.node().wasKilled() -> {}
        case Event.Ended ended ->
            throw failed(
                ended.node().name() + " ended with status " + ended.status() + " while " + doing);
      }
    }
  }

  /** Waits until all have joined; whatever else is said before that is out of turn. */
  void awaitAll() throws DemoFailedException, InterruptedException {
    String members = Integer.toString(all.size());
    for (int joined = 0; joined < all.size(); joined++) {
      Event.Said said = next("joining");
      if (!said.message().is(Message.JOINED) || !said.message().is("members", members)) {
        throw failed(said.node().name() + " said \"" + said.message().line() + "\" out of turn");
      }
    }
  }

  /** The next message that is not about progress, of which the story is told. */
  Message next(String doing, Story story) throws DemoFailedException, InterruptedException {
    while (true) {
      Message message = next(doing).message();
      if (!message.is(Message.PROGRESS)) {
        return message;
      }
      story.reached(message.number("count"));
    }
  }

  /** Waits until it is done, and tells the story how far it has come. */
  Message done(String doing, Story story) throws DemoFailedException, InterruptedException {
    Message message = next(doing, story);
    if (!message.is(Message.DONE)) {
      throw failed("while " + doing + " came \"" + message.line() + "\"");
    }
    return message;
  }

  /**
   * Kills the node of this name and waits until it is dead.
   *
   * @return its exit status
   */
  int kill(String name) throws DemoFailedException, InterruptedException {
    for (NodeProcess node : all) {
      if (node.name().equals(name)) {
        return kill(node);
      }
    }
    throw failed("there is no " + name + " to kill");
  }

  /**
   * Kills all of them at once and waits until they are dead.
   *
   * @return how many died of that
   */
  int killAll() throws DemoFailedException, InterruptedException {
    int killed = 0;
    all.forEach(NodeProcess::strike);
    for (NodeProcess node : all) {
      killed += kill(node) == NodeProcess.SIGKILL_STATUS ? 1 : 0;
    }
    return killed;
  }

  private int kill(NodeProcess node) throws DemoFailedException, InterruptedException {
    Optional<Integer> status = node.kill(patience);
    if (status.isEmpty()) {
      throw failed(node.name() + " did not die within " + patience.toSeconds() + " s");
    }
    return status.get();
  }

  /** Ends all processes. */
  @Override
  public void close() {
    destroy();
    try {
      for (NodeProcess node : all) {
        node.kill(patience);
      }
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(destroyer);
    } catch (IllegalStateException exception) {
      // The hook runs already.
    }
    cleanUp();
  }

  /** The shutdown hook: waits for {@link #start}, so that it leaves no node and no folder. */
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
    all.forEach(NodeProcess::destroy);
  }

  private void deleteLogs() {
    Path folder = logs;
    if (folder == null) {
      return;
    }
    try {
      for (NodeProcess node : all) {
        Files.deleteIfExists(folder.resolve(node.name() + ".log"));
      }
      Files.deleteIfExists(folder);
    } catch (IOException exception) {
      // Left-over logs in the folder for temporary files are no failure of the demo.
    }
  }

  /** What to throw: what failed, and where the logs are. */
  synchronized DemoFailedException failed(String what) {
    if (interrupted) {
      // Nodes that end because this process does have not failed.
      return new DemoFailedException("interrupted");
    }
    logsWanted = true;
    return new DemoFailedException(logs == null ? what : what + "; logs are in " + logs);
  }
}
