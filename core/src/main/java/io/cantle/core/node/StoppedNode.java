package io.cantle.core.node;

import io.cantle.GridException;
import io.cantle.core.discovery.StoreHistoryTable;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.topology.StoppedGrid;
import io.cantle.core.transport.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A node that does not run, given by its folder: which grid it belonged to, and how to continue
 * without nodes that are gone for good. The folder is locked until this is closed.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class StoppedNode implements AutoCloseable {
  private static final Duration DISK_TIMEOUT = Duration.ofSeconds(30);

  private final SystemEnvironment environment;
  private final NodeStore store;
  private final StoppedGrid grid;
  private final String gridName;

  private StoppedNode(
      SystemEnvironment environment, NodeStore store, StoppedGrid grid, String gridName) {
    this.environment = environment;
    this.store = store;
    this.grid = grid;
    this.gridName = gridName;
  }

  /**
   * Opens the folder of a node that has ended.
   *
   * @throws GridException if the folder has no store of a node or is in use, or the node was in no
   *     grid
   */
  public static StoppedNode open(Path folder) {
    SystemEnvironment environment = new SystemEnvironment("stopped");
    StoppedNode opened = null;
    NodeStore store = NodeStore.NONE;
    try {
      NodeDataDirectory dataDirectory =
          NodeDataDirectory.openExisting(folder, environment.environment());
      store = dataDirectory.store();
      opened =
          new StoppedNode(
              environment,
              store,
              StoppedGrid.readFrom(store, dataDirectory.nodeId()),
              dataDirectory.gridName());
      return opened;
    } catch (IllegalStateException e) {
      throw new GridException("the store in " + folder + ": " + e.getMessage(), e);
    } finally {
      if (opened == null) {
        store.close();
        environment.close();
      }
    }
  }

  /** The name of the node. */
  public String name() {
    return grid.self().name();
  }

  /** The name of its grid; empty if the version that wrote the folder kept none. */
  public String gridName() {
    return gridName;
  }

  /** The id of its grid. */
  public UUID grid() {
    return grid.grid();
  }

  /** The number of the last topology this node knows. */
  public long topologyNumber() {
    return grid.lastTopology().number();
  }

  /** The members of that grid, as this node knew them. */
  public List<String> members() {
    return grid.lastTopology().members().stream().map(Member::name).toList();
  }

  /** The voters among the members. */
  public List<String> voters() {
    return grid.lastTopology().membership().voters().stream().map(Member::name).toList();
  }

  /**
   * The result of a recovery.
   *
   * @param grid the id of the grid that continues
   * @param lostSegments how many segments are held by no node that is left
   * @param lost the lost segments, as text for the operator
   */
  public record RecoveryResult(UUID grid, long lostSegments, String lost) {}

  /**
   * Makes the node continue without some nodes, as the only voter, when it starts. The decision is
   * on disk when this method returns.
   *
   * @param gone the names of the nodes that are given up
   * @throws IllegalArgumentException if names are wrong, or too few
   * @throws GridException if the decision cannot be written
   */
  public RecoveryResult recover(Collection<String> gone) throws InterruptedException {
    CompletableFuture<Void> written = new CompletableFuture<>();
    store.onFailure(written::completeExceptionally);
    UUID next =
        new UUID(
            environment.environment().random().nextLong(),
            environment.environment().random().nextLong());
    StoppedGrid.RecoveryLoss loss = grid.recover(gone, next, store, () -> written.complete(null));
    await(written);
    return new RecoveryResult(next, loss.segments(), loss.text());
  }

  /**
   * Makes the node accept the stores of all nodes as they are when it starts, its own too. Use it
   * when all of them were restored from a backup, perhaps of different moments.
   *
   * @throws GridException if the decision cannot be written
   */
  public void acceptStoresAsTheyAre() throws InterruptedException {
    CompletableFuture<Void> written = new CompletableFuture<>();
    store.onFailure(written::completeExceptionally);
    StoreHistoryTable.forgetOthers(store, () -> written.complete(null));
    await(written);
  }

  private static void await(CompletableFuture<Void> written) throws InterruptedException {
    try {
      written.get(DISK_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new GridException("the store could not be written: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    store.close();
    environment.close();
  }
}
