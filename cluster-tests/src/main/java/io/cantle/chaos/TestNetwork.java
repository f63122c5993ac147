package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.util.List;
import java.util.Set;

/**
 * What the nodes talk over.
 *
 * <p><b>Threading:</b> any thread.
 */
interface TestNetwork extends AutoCloseable {

  /**
   * Makes it, before anything else is asked of it.
   *
   * @throws ChaosException naming what is missing
   */
  void create() throws ChaosException, InterruptedException;

  /** A command that runs another one on this network, under the same process id. */
  List<String> commandInside(List<String> command);

  /** Whether links can be cut. */
  boolean canCut();

  /** Cuts these links and no others; nothing arrives over them until the next call. */
  void setCuts(Set<Link> links) throws ChaosException, InterruptedException;

  /** What the kernel offers and lacks, in a line for people. */
  String description();

  /** Removes it, also if it was made in part or not at all. */
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
