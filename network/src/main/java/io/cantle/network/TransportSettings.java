package io.cantle.network;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node's network: where it listens and where it looks for other nodes.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridName the name of the grid; nodes with the same name find each other and ignore others;
 *     1 to {@value #MAX_NAME_BYTES} bytes in UTF-8
 * @param nodeName the name of this node for people, which need not be unique; 1 to {@value
 *     #MAX_NAME_BYTES} bytes in UTF-8
 * @param bindAddress the address to listen on; only a loopback address until messages are encrypted
 *     and nodes authenticated
 * @param port the first port to try, 0..65535. With 0 any free port is taken; without seeds such a
 *     node finds no others, though others find it by its port
 * @param portRange how many ports after the first to try; with 0 only the first is tried
 * @param seeds where to look for the grid; if empty, on the bind address at the ports from {@code
 *     port} to {@code port + portRange}
 * @param joinTimeout how long to wait for the answer of a node that listens at a seed, before
 *     asking the next or, if none answers, starting a new grid; 10 ms to 1 minute. If nothing
 *     listens at a seed there is no wait
 * @param node the id of the node in all its incarnations; null for a node that has only one
 */
public record TransportSettings(
    String gridName,
    String nodeName,
    InetAddress bindAddress,
    int port,
    int portRange,
    List<InetSocketAddress> seeds,
    Duration joinTimeout,
    @Nullable UUID node) {

  /**
   * The longest name of a grid or node, in bytes of UTF-8. The opening of a connection has both.
   */
  public static final int MAX_NAME_BYTES = 64;

  private static final int MAX_PORT = 0xFFFF;
  private static final Duration MIN_JOIN_TIMEOUT = Duration.ofMillis(10);
  private static final Duration MAX_JOIN_TIMEOUT = Duration.ofMinutes(1);

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if a value is out of its range; the message names it
   */
  public TransportSettings {
    checkName("gridName", gridName);
    checkName("nodeName", nodeName);
    if (!bindAddress.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          ("bindAddress %s is not a loopback address: a node that others can reach is refused until"
                  + " messages are encrypted and nodes authenticated; bind to %s")
              .formatted(
                  bindAddress.getHostAddress(), InetAddress.getLoopbackAddress().getHostAddress()));
    }
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("port " + port + " is not within 0.." + MAX_PORT);
    }
    if (portRange < 0 || portRange > MAX_PORT - port) {
      throw new IllegalArgumentException(
          "range of ports %s is not within 0..%s for port %s"
              .formatted(portRange, MAX_PORT - port, port));
    }
    seeds = List.copyOf(seeds);
    for (InetSocketAddress seed : seeds) {
      checkSeed(seed);
    }
    if (joinTimeout.compareTo(MIN_JOIN_TIMEOUT) < 0
        || joinTimeout.compareTo(MAX_JOIN_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "joinTimeout %s is not within %s..%s"
              .formatted(joinTimeout, MIN_JOIN_TIMEOUT, MAX_JOIN_TIMEOUT));
    }
  }

  /** Where to look for other nodes: not where this one listens. */
  List<InetSocketAddress> places(@Nullable InetSocketAddress listening) {
    List<InetSocketAddress> places =
        seeds.isEmpty()
            ? IntStream.rangeClosed(port, port + portRange)
                .filter(one -> one != 0)
                .mapToObj(one -> new InetSocketAddress(bindAddress, one))
                .toList()
            : seeds;
    return places.stream().filter(place -> !place.equals(listening)).toList();
  }

  /** Where other nodes reach a node that listens at an address. */
  InetSocketAddress advertised(@Nullable InetSocketAddress listening) {
    return listening == null ? new InetSocketAddress(bindAddress, port) : listening;
  }

  /** Whether this node may look where a peer says that another listens. */
  boolean mayConnectTo(InetSocketAddress place) {
    return place.getPort() != 0 && place.getAddress().isLoopbackAddress();
  }

  private static void checkSeed(InetSocketAddress seed) {
    InetAddress address = seed.getAddress();
    if (address == null) {
      throw new IllegalArgumentException(
          "the host name of seed " + seed + " cannot be resolved to an address");
    }
    if (!address.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          ("seed %s is not a loopback address: nodes on other machines are refused until messages"
                  + " are encrypted and nodes authenticated")
              .formatted(seed));
    }
    if (seed.getPort() == 0) {
      throw new IllegalArgumentException("seed " + seed + " has no port");
    }
  }

  private static void checkName(String setting, String name) {
    int bytes = Objects.requireNonNull(name, setting).getBytes(StandardCharsets.UTF_8).length;
    if (name.isBlank() || bytes > MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          setting + " '" + name + "' is blank or longer than " + MAX_NAME_BYTES + " bytes");
    }
  }
}
