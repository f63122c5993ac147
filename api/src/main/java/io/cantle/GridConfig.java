package io.cantle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How this process takes part in a grid. Start from {@link #named} and change what differs.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name of the grid; nodes with other names are not met. Not blank, at most 64 bytes of UTF-8
 * @param nodeName what this node is called in messages, at most 64 bytes of UTF-8, or empty for a
 *     name made up
 * @param bindAddress the address every socket of the node is bound to; only loopback addresses are
 *     accepted until encryption and authentication exist. Default: 127.0.0.1
 * @param port the first port tried, 0 for any free one (then {@code seeds} are needed to meet
 *     others). Default: 7800
 * @param portRange how many ports after {@code port} are tried, 0 to 1,000: also where other nodes
 *     are looked for when there are no seeds. Default: 31
 * @param seeds where other nodes may listen; empty: on {@code bindAddress} at the ports of the
 *     range
 * @param initialMembers how many nodes must see each other before a new grid begins. Default: 1
 * @param whenCut what nodes do that are cut off from the majority of their grid, as both of a grid
 *     of two are when they lose each other: stop, let the older of two decide, or go on and merge
 *     later. Taken from the node that founds the grid. Default: {@link WhenCut#stop}
 * @param timeout the longest any call waits, 100 ms to 10 minutes. Default: 15 s
 * @param leaveTimeout the longest {@link Grid#close} waits for data to be safe elsewhere, 0 to 1
 *     hour. Default: 60 s
 * @param allow packages (with those below them) whose classes may be stored and sent, besides the
 *     JDK's value types and the package that calls {@link Grid#join}
 * @param functions functions that travel as a name instead of as a place in the code. Default: none
 */
public record GridConfig(
    String name,
    String nodeName,
    InetAddress bindAddress,
    int port,
    int portRange,
    List<InetSocketAddress> seeds,
    int initialMembers,
    WhenCut whenCut,
    Duration timeout,
    Duration leaveTimeout,
    Set<String> allow,
    NamedFunctions functions) {

  /** Checks every setting. */
  public GridConfig {
    if (name.isBlank()) {
      throw new IllegalArgumentException("name of a grid must not be blank");
    }
    between("bytes of name", name.getBytes(UTF_8).length, 1, 64);
    between("bytes of nodeName", nodeName.getBytes(UTF_8).length, 0, 64);
    if (!bindAddress.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "bindAddress "
              + bindAddress.getHostAddress()
              + " is not a loopback address; others are refused until nodes encrypt and authenticate");
    }
    between("port", port, 0, 65_535);
    between("portRange", portRange, 0, Math.min(1_000, 65_535 - port));
    between("initialMembers", initialMembers, 1, 1_000);
    between("timeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(10));
    between("leaveTimeout", leaveTimeout, Duration.ZERO, Duration.ofHours(1));
    seeds = List.copyOf(seeds);
    allow = Set.copyOf(allow);
  }

  /** The defaults, under a name. */
  public static GridConfig named(String name) {
    return new GridConfig(
        name,
        "",
        InetAddress.ofLiteral("127.0.0.1"),
        7800,
        31,
        List.of(),
        1,
        WhenCut.stop(),
        Duration.ofSeconds(15),
        Duration.ofSeconds(60),
        Set.of(),
        NamedFunctions.NONE);
  }

  /** The same with another {@link #nodeName}. */
  public GridConfig nodeName(String value) {
    return new GridConfig(
        name,
        value,
        bindAddress,
        port,
        portRange,
        seeds,
        initialMembers,
        whenCut,
        timeout,
        leaveTimeout,
        allow,
        functions);
  }

  /** The same with another {@link #bindAddress}. */
  public GridConfig bindAddress(InetAddress value) {
    return new GridConfig(
        name,
        nodeName,
        value,
        port,
        portRange,
        seeds,
        initialMembers,
        whenCut,
        timeout,
        leaveTimeout,
        allow,
        functions);
  }

  /** The same with another {@link #port} and {@link #portRange}. */
  public GridConfig ports(int first, int range) {
    return new GridConfig(
        name,
        nodeName,
        bindAddress,
        first,
        range,
        seeds,
        initialMembers,
        whenCut,
        timeout,
        leaveTimeout,
        allow,
        functions);
  }

  /** The same with other {@link #seeds}. */
  public GridConfig seeds(List<InetSocketAddress> value) {
    return new GridConfig(
        name,
        nodeName,
        bindAddress,
        port,
        portRange,
        value,
        initialMembers,
        whenCut,
        timeout,
        leaveTimeout,
        allow,
        functions);
  }

  /** The same with another {@link #initialMembers}. */
  public GridConfig initialMembers(int value) {
    return new GridConfig(
        name,
        nodeName,
        bindAddress,
        port,
        portRange,
        seeds,
        value,
        whenCut,
        timeout,
        leaveTimeout,
        allow,
        functions);
  }

  /** The same with another {@link #whenCut}. */
  public GridConfig whenCut(WhenCut value) {
    return new GridConfig(
        name,
        nodeName,
        bindAddress,
        port,
        portRange,
        seeds,
        initialMembers,
        value,
        timeout,
        leaveTimeout,
        allow,
        functions);
  }

  /** The same with another {@link #timeout}. */
  public GridConfig timeout(Duration value) {
    return new GridConfig(
        name,
        nodeName,
        bindAddress,
        port,
        portRange,
        seeds,
        initialMembers,
        whenCut,
        value,
        leaveTimeout,
        allow,
        functions);
  }

  /** The same with another {@link #leaveTimeout}. */
  public GridConfig leaveTimeout(Duration value) {
    return new GridConfig(
        name,
        nodeName,
        bindAddress,
        port,
        portRange,
        seeds,
        initialMembers,
        whenCut,
        timeout,
        value,
        allow,
        functions);
  }

  /** The same with more packages in {@link #allow}. */
  public GridConfig allowing(String... packages) {
    Set<String> more =
        Stream.concat(allow.stream(), Stream.of(packages)).collect(Collectors.toUnmodifiableSet());
    return new GridConfig(
        name,
        nodeName,
        bindAddress,
        port,
        portRange,
        seeds,
        initialMembers,
        whenCut,
        timeout,
        leaveTimeout,
        more,
        functions);
  }

  /**
   * The same with one more function in {@link #functions}.
   *
   * @throws IllegalArgumentException when the name is none or taken, or the function has a name
   */
  public GridConfig function(String functionName, Object function) {
    return new GridConfig(
        name,
        nodeName,
        bindAddress,
        port,
        portRange,
        seeds,
        initialMembers,
        whenCut,
        timeout,
        leaveTimeout,
        allow,
        functions.with(functionName, function));
  }

  private static <T extends Comparable<T>> void between(String setting, T value, T low, T high) {
    if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
      throw new IllegalArgumentException(
          setting + " " + value + " is not within " + low + " to " + high);
    }
  }
}
