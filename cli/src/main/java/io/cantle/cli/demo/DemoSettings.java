package io.cantle.cli.demo;

import io.cantle.CacheMode;
import io.cantle.ContainerKind;
import io.cantle.cli.console.FreePorts;
import io.cantle.cli.console.JsonFile;
import io.cantle.cli.console.UsageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The checked settings of a demo.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param ports one port for each node, free when they were checked
 * @param owners how many nodes hold each entry
 * @param data the file of flights
 * @param kill whether a node is killed while the entries are iterated
 * @param mode distributed, or scattered
 * @param container where nodes keep the entries in memory
 * @param json the file for the results besides stdout, or null
 */
record DemoSettings(
    List<Integer> ports,
    int owners,
    Path data,
    boolean kill,
    CacheMode mode,
    ContainerKind container,
    @Nullable Path json) {
  static final int MAX_NODES = 16;
  static final int MAX_OWNERS = 7;
  static final InetAddress ADDRESS = FreePorts.ADDRESS;

  private static final int MAX_PORT = 65_535;

  /**
   * Checks the options of the command. Entries are kept on the heap.
   *
   * @param owners null for the default: two, or one if there is one node
   * @param firstPort null for any free ports
   * @throws UsageException naming what is impossible and what would be possible
   */
  static DemoSettings of(
      int nodes,
      @Nullable Integer owners,
      @Nullable Integer firstPort,
      Path data,
      boolean kill,
      @Nullable Path json)
      throws UsageException {
    if (nodes < 1 || nodes > MAX_NODES) {
      throw new UsageException("--nodes " + nodes + " is not within 1 to " + MAX_NODES);
    }
    int copies = owners == null ? Math.min(2, nodes) : owners;
    int mostOwners = Math.min(nodes, MAX_OWNERS);
    if (copies < 1 || copies > mostOwners) {
      throw new UsageException(
          "--owners " + copies + " is not within 1 to " + mostOwners + " (--nodes " + nodes + ")");
    }
    if (kill && nodes < 3) {
      throw new UsageException(
          "--nodes " + nodes + " needs --no-kill: a node is killed only if two others stay");
    }
    if (kill && copies < 2) {
      throw new UsageException(
          "--owners 1 needs --no-kill: the entries of a killed node would be lost");
    }
    JsonFile.checkWritable(json);
    List<Integer> ports =
        firstPort == null ? FreePorts.find(nodes) : consecutivePorts(firstPort, nodes);
    return new DemoSettings(
        ports, copies, data, kill, CacheMode.DISTRIBUTED, ContainerKind.HEAP, json);
  }

  /**
   * A copy of these settings with entries kept as the option says.
   *
   * @param word null for the default
   */
  DemoSettings container(@Nullable String word) throws UsageException {
    ContainerKind kind =
        switch (word) {
          case null -> container;
          case "heap" -> ContainerKind.HEAP;
          case "off-heap" -> ContainerKind.OFF_HEAP;
          default -> throw new UsageException("--container " + word + " is not heap or off-heap");
        };
    return new DemoSettings(ports, owners, data, kill, mode, kind, json);
  }

  /**
   * A copy of these settings for a cache of another mode.
   *
   * @param word null for the default
   */
  DemoSettings cacheMode(@Nullable String word) throws UsageException {
    CacheMode wanted =
        switch (word) {
          case null -> mode;
          case "distributed" -> CacheMode.DISTRIBUTED;
          case "scattered" -> CacheMode.SCATTERED;
          default ->
              throw new UsageException("--cache-mode " + word + " is not distributed or scattered");
        };
    if (wanted == CacheMode.SCATTERED && owners != 2) {
      throw new UsageException("--cache-mode scattered has 2 owners of each entry, not " + owners);
    }
    return new DemoSettings(ports, owners, data, kill, wanted, container, json);
  }

  int nodeCount() {
    return ports.size();
  }

  static String nodeName(int number) {
    return "node-" + number;
  }

  private static List<Integer> consecutivePorts(int first, int count) throws UsageException {
    int last = first + count - 1;
    if (first < 1 || first > MAX_PORT || last > MAX_PORT) {
      throw new UsageException(
          "--port "
              + first
              + " is not within 1 to "
              + (MAX_PORT - count + 1)
              + " (--nodes "
              + count
              + ")");
    }
    List<Integer> ports = new ArrayList<>();
    for (int port = first; port <= last; port++) {
      try (ServerSocket _ = new ServerSocket(port, 1, ADDRESS)) {
        ports.add(port);
      } catch (IOException exception) {
        throw new UsageException(
            "port "
                + port
                + " of "
                + ADDRESS.getHostAddress()
                + " cannot be used: "
                + exception.getMessage());
      }
    }
    return List.copyOf(ports);
  }
}
