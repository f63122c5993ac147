package io.cantle.bench.streams;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridConfig;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * The program of a node that only holds its part of the flights. It ends with its input, so no node
 * outlives the command.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class StreamNode {
  /** How many processes the grid has. */
  static final int NODES = 3;

  private static final long JOIN_NANOS = 60_000_000_000L;

  private StreamNode() {}

  /**
   * Runs a node.
   *
   * @param args the grid's name, its first port, and which of its nodes this is, from 0
   */
  public static void main(String[] args) throws IOException {
    PrintStream console = System.out;
    System.setOut(System.err);
    Grid grid = join(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    openFlights(grid);
    console.println("node " + args[2] + " has joined");
    while (System.in.read() >= 0) {
      // Only its end says something.
    }
    // Every node ends now, so no node could take its entries.
    Runtime.getRuntime().halt(0);
  }

  /** Joins the grid, and returns once all nodes have. */
  static Grid join(String name, int firstPort, int place) {
    Grid grid =
        Grid.join(
            GridConfig.named(name)
                .nodeName("node-" + place)
                .ports(firstPort + place, 0)
                .seeds(
                    IntStream.range(firstPort, firstPort + NODES)
                        .mapToObj(
                            port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .toList())
                .initialMembers(NODES)
                .allowing(StreamNode.class.getPackageName()));
    long begin = System.nanoTime();
    while (grid.members().size() < NODES) {
      if (System.nanoTime() - begin > JOIN_NANOS) {
        throw new IllegalStateException(
            String.format(
                Locale.ROOT, "%d nodes did not meet within 60 s: %s", NODES, grid.members()));
      }
      LockSupport.parkNanos(5_000_000);
    }
    return grid;
  }

  /** Opens the cache of the flights. */
  static Cache<FlightId, FlightOf2013> openFlights(Grid grid) {
    return grid.cache("flights", CacheConfig.distributed().owners(2));
  }
}
