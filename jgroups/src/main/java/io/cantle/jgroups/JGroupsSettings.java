package io.cantle.jgroups;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a node listens and where it looks for others.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridName nodes of the same grid find each other, others are ignored; 1 to {@value
 *     #MAX_NAME_BYTES} bytes in UTF-8
 * @param nodeName what people call this node, need not be unique; 1 to {@value #MAX_NAME_BYTES}
 *     bytes in UTF-8
 * @param bindAddress the address to listen on; only a loopback address until messages are encrypted
 *     and nodes authenticated
 * @param port the first port to try, 0..65535; 0 takes any free one, and without seeds such a node
 *     finds nobody, though others find it by its port
 * @param portRange how many ports after the first to try; with 0 only the first one will do
 * @param seeds where to look for the grid; when empty, on the bind address at the ports from {@code
 *     port} to {@code port + portRange}
 * @param joinTimeout how long to wait for the answer of whoever listens at a seed, before asking
 *     the next or, when nobody answers, starting a grid of one's own; 10 ms to 1 minute. Where
 *     nobody listens there is nothing to wait for
 * @param node who the node is in all its lives, null if it has one only
 */
public record JGroupsSettings(
    String gridName,
    String nodeName,
    InetAddress bindAddress,
    int port,
    int portRange,
    List<InetSocketAddress> seeds,
    Duration joinTimeout,
    @Nullable UUID node) {

  /** Of a node that has one life. */
  public JGroupsSettings(
      String gridName,
      String nodeName,
      InetAddress bindAddress,
      int port,
      int portRange,
      List<InetSocketAddress> seeds,
      Duration joinTimeout) {
    this(gridName, nodeName, bindAddress, port, portRange, seeds, joinTimeout, null);
  }

  /** The longest name of a grid or node, in bytes of UTF-8; a node's travels with each message. */
  public static final int MAX_NAME_BYTES = 64;

  private static final int MAX_PORT = 0xFFFF;
  private static final Duration MIN_JOIN_TIMEOUT = Duration.ofMillis(10);
  private static final Duration MAX_JOIN_TIMEOUT = Duration.ofMinutes(1);

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException naming the value that is out of its range
   */
  public JGroupsSettings {
    checkName("gridName", gridName);
    checkName("nodeName", nodeName);
    if (!bindAddress.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "bindAddress "
              + bindAddress.getHostAddress()
              + " is not a loopback address: a node that others can reach is refused until"
              + " messages are encrypted and nodes authenticated; bind to "
              + InetAddress.getLoopbackAddress().getHostAddress());
    }
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("port " + port + " is not within 0.." + MAX_PORT);
    }
    if (portRange < 0 || portRange > MAX_PORT - port) {
      throw new IllegalArgumentException(
          "portRange "
              + portRange
              + " is not within 0.."
              + (MAX_PORT - port)
              + " for port "
              + port);
    }
    seeds = List.copyOf(seeds);
    for (InetSocketAddress seed : seeds) {
      checkSeed(seed);
    }
    if (joinTimeout.compareTo(MIN_JOIN_TIMEOUT) < 0
        || joinTimeout.compareTo(MAX_JOIN_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "joinTimeout "
              + joinTimeout
              + " is not within "
              + MIN_JOIN_TIMEOUT
              + ".."
              + MAX_JOIN_TIMEOUT);
    }
  }

  private static void checkSeed(InetSocketAddress seed) {
    InetAddress address = seed.getAddress();
    if (address == null) {
      throw new IllegalArgumentException("the name of seed " + seed + " has no address");
    }
    if (!address.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "seed "
              + seed
              + " is not a loopback address: nodes on other machines are refused until messages are"
              + " encrypted and nodes authenticated");
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
