package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.util.List;
import java.util.Set;

/**
 * The network over which the nodes communicate.
 *
 * <p><b>Threading:</b> any thread.
 */
interface TestNetwork extends AutoCloseable {

  /**
   * Creates it; called before any other method.
   *
   * @throws ChaosException naming what is missing
   */
  void create() throws ChaosException, InterruptedException;

  /** Returns a command that runs another one on this network, under the same process id. */
  List<String> commandInside(List<String> command);

  /** Returns whether links can be cut. */
  boolean canCut();

  /** Cuts exactly these links; nothing arrives over them until the next call. */
  void setCuts(Set<Link> links) throws ChaosException, InterruptedException;

  /** Returns what the kernel offers and lacks, in a line for people. */
  String description();

  /** Removes it, also if it was created in part or not at all. */
  @Override
  void close();

  /**
   * One direction between two nodes.
   *
   * @param from the place of the sender
   * @param to the place of the receiver
   */
  record Link(int from, int to) {}
}
