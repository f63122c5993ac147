package io.cantle.embedded;

import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.core.node.BeanRegistrar;
import io.cantle.core.node.Node;
import io.cantle.core.node.NodeDataDirectory;
import io.cantle.core.node.NodeGrid;
import io.cantle.core.node.ShutdownHook;
import io.cantle.core.node.StoreRefusedException;
import io.cantle.core.node.SystemEnvironment;
import io.cantle.core.persistence.NodeStore;
import io.cantle.network.NettyTransport;
import io.cantle.network.TransportSettings;
import io.cantle.spi.GridProvider;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * Creates real nodes, which use the machine's clock and threads, and its network or none. It
 * connects the engine to a transport, since neither knows the other.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class EmbeddedGrids implements GridProvider {

  private static final System.Logger LOG = System.getLogger(EmbeddedGrids.class.getName());

  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(3);

  /** Called by the service loader. */
  public EmbeddedGrids() {}

  @Override
  public Grid join(GridConfig config, ClassLoader loader) {
    try {
      return joinOnce(config, loader);
    } catch (StoreRefusedException e) {
      Path folder = config.store().directory();
      if (folder == null) {
        throw e;
      }
      LOG.log(
          System.Logger.Level.WARNING,
          "the store in {0} is moved to {1}, which may be removed, and its node joins as a new one:"
              + " {2}",
          folder,
          NodeDataDirectory.putAside(folder),
          e.getMessage());
      return joinOnce(config, loader);
    }
  }

  private static Grid joinOnce(GridConfig config, ClassLoader loader) {
    SystemEnvironment environment = new SystemEnvironment(config.name());
    String nodeName =
        config.nodeName().isEmpty()
            ? generateName(environment.environment().random())
            : config.nodeName();
    NodeDataDirectory dataDirectory = null;
    NodeStore store = NodeStore.NONE;
    Node node = null;
    BeanRegistrar beans = new BeanRegistrar();
    ShutdownHook shutdownHook = new ShutdownHook();
    boolean joined = false;
    try {
      dataDirectory = NodeDataDirectory.openIfConfigured(config, environment.environment());
      store = dataDirectory == null ? NodeStore.NONE : dataDirectory.store();
      // The timeout counts from here. How long the folder takes to open depends on its size.
      long began = environment.environment().clock().nanoTime();
      NettyTransport transport =
          new NettyTransport(
              new TransportSettings(
                  config.name(),
                  nodeName,
                  config.network().bindAddress(),
                  config.network().port(),
                  config.network().portRange(),
                  config.network().seeds(),
                  joinTimeout(config),
                  dataDirectory == null ? null : dataDirectory.nodeId()));
      node =
          new Node(
              config.nodeName(nodeName),
              loader,
              transport,
              environment.environment(),
              store,
              () -> {
                shutdownHook.remove();
                beans.remove();
                environment.close();
              });
      environment.setOutOfMemoryHandler(node::closeWithoutMemory);
      NodeGrid grid = node.start(began);
      joined = true;
      beans.install(grid);
      if (config.membership().shutdownHook()) {
        shutdownHook.install(grid);
      }
      return grid;
    } catch (UncheckedIOException e) {
      throw new GridException(String.valueOf(e.getMessage()), e);
    } catch (OutOfMemoryError e) {
      if (node != null) {
        node.closeWithoutMemory();
      }
      throw e;
    } finally {
      if (!joined) {
        store.close();
        environment.close();
      }
    }
  }

  /** How long to wait for a node that listens and does not answer, before a new grid is founded. */
  private static Duration joinTimeout(GridConfig config) {
    // The other half is for the admission.
    Duration half = config.limits().timeout().dividedBy(2);
    return half.compareTo(JOIN_TIMEOUT) < 0 ? half : JOIN_TIMEOUT;
  }

  @Override
  public Grid local(GridConfig config, ClassLoader loader) {
    SystemEnvironment environment = new SystemEnvironment("local");
    BeanRegistrar beans = new BeanRegistrar();
    NodeGrid grid =
        Node.startLocal(
            config,
            loader,
            environment.environment(),
            () -> {
              beans.remove();
              environment.close();
            });
    beans.install(grid);
    return grid;
  }

  private static String generateName(RandomGenerator random) {
    return "node-" + HexFormat.of().toHexDigits(random.nextInt()).substring(0, 4);
  }
}
