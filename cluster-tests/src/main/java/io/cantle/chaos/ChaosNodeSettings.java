package io.cantle.chaos;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The settings with which a node process is started.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param grid name of the grid
 * @param place which node, from 0; it determines the address too
 * @param incarnation how often the place was taken before
 * @param places how many addresses there are
 * @param members how many nodes take part at first; a grid begins with more than half of them
 * @param port the port of all of them
 * @param owners how many nodes hold each entry
 * @param clients how many clients call from within this node
 * @param callsPerSecond the rate that all clients of this node together aim at
 * @param scans how many iterations of long values are made at once
 * @param seed of the clients
 * @param startNanos see {@link KeyGenerations#startNanos}
 * @param folder where the history goes
 */
record ChaosNodeSettings(
    String grid,
    int place,
    int incarnation,
    int places,
    int members,
    int port,
    int owners,
    int clients,
    int callsPerSecond,
    int scans,
    long seed,
    long startNanos,
    Path folder) {
  private static final int FIRST_HOST = 10;

  /** Returns the name of the node. */
  String name() {
    return name(place);
  }

  static String name(int place) {
    return "node-" + place;
  }

  /** Returns the address of a place. */
  static String address(int place) {
    return "127.0.0." + (FIRST_HOST + place);
  }

  InetAddress address() {
    return InetAddress.ofLiteral(address(place));
  }

  /** Returns the addresses at which nodes may listen. */
  List<InetSocketAddress> seeds() {
    return IntStream.range(0, places)
        .mapToObj(other -> new InetSocketAddress(InetAddress.ofLiteral(address(other)), port))
        .toList();
  }

  /** Returns the name of the node's files, which no other process has. */
  String historyFile() {
    return name() + "-" + incarnation;
  }

  List<String> toArguments() {
    return List.of(
        grid,
        Integer.toString(place),
        Integer.toString(incarnation),
        Integer.toString(places),
        Integer.toString(members),
        Integer.toString(port),
        Integer.toString(owners),
        Integer.toString(clients),
        Integer.toString(callsPerSecond),
        Integer.toString(scans),
        Long.toString(seed),
        Long.toString(startNanos),
        folder.toString());
  }

  static ChaosNodeSettings parse(String... words) {
    return new ChaosNodeSettings(
        words[0],
        Integer.parseInt(words[1]),
        Integer.parseInt(words[2]),
        Integer.parseInt(words[3]),
        Integer.parseInt(words[4]),
        Integer.parseInt(words[5]),
        Integer.parseInt(words[6]),
        Integer.parseInt(words[7]),
        Integer.parseInt(words[8]),
        Integer.parseInt(words[9]),
        Long.parseLong(words[10]),
        Long.parseLong(words[11]),
        Path.of(words[12]));
  }
}
