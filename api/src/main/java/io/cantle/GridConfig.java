package io.cantle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of one node: how this process takes part in a grid. Start from {@link #named}
 * and change what differs.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name the name of the grid; nodes of grids with other names are ignored. Not blank, at most
 *     64 bytes of UTF-8
 * @param nodeName what this node is called in messages, at most 64 bytes of UTF-8; a name is
 *     generated if it is empty
 * @param bindAddress the address every socket of the node is bound to; only loopback addresses are
 *     accepted until encryption and authentication exist. Default: 127.0.0.1
 * @param port the first port tried, or 0 for any free one (then {@code seeds} are needed to find
 *     other nodes). Default: 7800
 * @param portRange how many ports after {@code port} are tried, 0 to 1,000; without seeds, other
 *     nodes are looked for at the same ports. Default: 31
 * @param seeds addresses where other nodes may listen; if empty, {@code bindAddress} at the ports
 *     of the range
 * @param initialMembers how many nodes must see each other before they found a new grid. Default: 1
 * @param capacity how large a share of the entries this node is to own, relative to others, 0 to
 *     1,000: a node of 2 owns twice as much as a node of 1. A node of 0 owns none and takes part in
 *     everything else; a grid needs one with more. Counted in millionths. Default: 1
 * @param rack what this node is likely to fail together with, such as a rack or a zone, at most 64
 *     bytes of UTF-8. The replicas of an entry are kept on as many racks as possible. Default:
 *     empty, the node fails alone
 * @param whenCut what nodes do that are cut off from the majority of their grid: stop, except that
 *     the older of two goes on; stop, even both of two; or go on and merge later. The node that
 *     founds the grid decides it for all. Default: {@link WhenCut#oldestDecides}
 * @param store the directory in which this node keeps the entries of caches with a {@link
 *     CacheConfig#durability}; it is made if it is missing, and no two nodes may share it. With it
 *     the node keeps its identity across restarts. Default: null, everything is in memory
 * @param storeMemory how many bytes of memory the entries of these caches may take on this node.
 *     Beyond that the least recently used values are on disk only, and are read when needed. Keys
 *     always stay in memory, at some 80 bytes plus their own each. Caches of {@link
 *     CacheMode#LOCAL} may take as much again. 0 or more. Default: a third of the maximum heap
 * @param timeout the longest any call waits, 100 ms to 10 minutes. Default: 15 s
 * @param leaveTimeout the longest {@link Grid#close} waits for data to be safe elsewhere, 0 to 1
 *     hour. Default: 60 s
 * @param allow packages (with those below them) whose classes may be stored and sent, besides the
 *     JDK's value types and the package that calls {@link Grid#join}
 * @param functions functions that are sent by name instead of as a place in the code. Default: none
 * @param codecs codecs that turn objects of some classes into bytes, the same on every node.
 *     Default: none
 */
public record GridConfig(
    String name,
    String nodeName,
    InetAddress bindAddress,
    int port,
    int portRange,
    List<InetSocketAddress> seeds,
    int initialMembers,
    double capacity,
    String rack,
    WhenCut whenCut,
    @Nullable Path store,
    long storeMemory,
    Duration timeout,
    Duration leaveTimeout,
    Set<String> allow,
    NamedFunctions functions,
    TypeCodecs codecs) {

  /** Checks that every setting is in its range. */
  public GridConfig {
    if (name.isBlank()) {
      throw new IllegalArgumentException("name of a grid must not be blank");
    }
    checkRange("bytes of name", name.getBytes(UTF_8).length, 1, 64);
    checkRange("bytes of nodeName", nodeName.getBytes(UTF_8).length, 0, 64);
    if (!bindAddress.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "bindAddress "
              + bindAddress.getHostAddress()
              + " is not a loopback address; others are refused until nodes encrypt and authenticate");
    }
    checkRange("port", port, 0, 65_535);
    checkRange("portRange", portRange, 0, Math.min(1_000, 65_535 - port));
    checkRange("initialMembers", initialMembers, 1, 1_000);
    checkRange("capacity", capacity, 0.0, 1_000.0);
    checkRange("bytes of rack", rack.getBytes(UTF_8).length, 0, 64);
    checkRange("storeMemory", storeMemory, 0L, Long.MAX_VALUE);
    checkRange("timeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(10));
    checkRange("leaveTimeout", leaveTimeout, Duration.ZERO, Duration.ofHours(1));
    seeds = List.copyOf(seeds);
    allow = Set.copyOf(allow);
  }

  /** The default configuration for a grid of this name. */
  public static GridConfig named(String name) {
    return new GridConfig(
        name,
        "",
        InetAddress.ofLiteral("127.0.0.1"),
        7800,
        31,
        List.of(),
        1,
        1,
        "",
        WhenCut.oldestDecides(),
        null,
        Runtime.getRuntime().maxMemory() / 3,
        Duration.ofSeconds(15),
        Duration.ofSeconds(60),
        Set.of(),
        NamedFunctions.NONE,
        TypeCodecs.NONE);
  }

  /** A copy of this configuration with another {@link #nodeName}. */
  public GridConfig nodeName(String value) {
    return with(draft -> draft.nodeName = value);
  }

  /** A copy of this configuration with another {@link #bindAddress}. */
  public GridConfig bindAddress(InetAddress value) {
    return with(draft -> draft.bindAddress = value);
  }

  /** A copy of this configuration with another {@link #port} and {@link #portRange}. */
  public GridConfig ports(int first, int range) {
    return with(
        draft -> {
          draft.port = first;
          draft.portRange = range;
        });
  }

  /** A copy of this configuration with other {@link #seeds}. */
  public GridConfig seeds(List<InetSocketAddress> value) {
    return with(draft -> draft.seeds = value);
  }

  /** A copy of this configuration with another {@link #initialMembers}. */
  public GridConfig initialMembers(int value) {
    return with(draft -> draft.initialMembers = value);
  }

  /** A copy of this configuration with another {@link #capacity}. */
  public GridConfig capacity(double value) {
    return with(draft -> draft.capacity = value);
  }

  /** A copy of this configuration with another {@link #rack}. */
  public GridConfig rack(String value) {
    return with(draft -> draft.rack = value);
  }

  /** A copy of this configuration with another {@link #whenCut}. */
  public GridConfig whenCut(WhenCut value) {
    return with(draft -> draft.whenCut = value);
  }

  /** A copy of this configuration with another {@link #store}. */
  public GridConfig store(@Nullable Path value) {
    return with(draft -> draft.store = value);
  }

  /** A copy of this configuration with another {@link #storeMemory}. */
  public GridConfig storeMemory(long bytes) {
    return with(draft -> draft.storeMemory = bytes);
  }

  /** A copy of this configuration with another {@link #timeout}. */
  public GridConfig timeout(Duration value) {
    return with(draft -> draft.timeout = value);
  }

  /** A copy of this configuration with another {@link #leaveTimeout}. */
  public GridConfig leaveTimeout(Duration value) {
    return with(draft -> draft.leaveTimeout = value);
  }

  /** A copy of this configuration with more packages in {@link #allow}. */
  public GridConfig allowing(String... packages) {
    Set<String> more =
        Stream.concat(allow.stream(), Stream.of(packages)).collect(Collectors.toUnmodifiableSet());
    return with(draft -> draft.allow = more);
  }

  /**
   * A copy of this configuration with one more function in {@link #functions}.
   *
   * @throws IllegalArgumentException if the name is invalid or taken, or the function has a name
   *     already
   */
  public GridConfig function(String functionName, Object function) {
    return with(draft -> draft.functions = functions.with(functionName, function));
  }

  /**
   * A copy of this configuration with one more codec in {@link #codecs}. Give every node the same
   * codecs.
   *
   * @throws IllegalArgumentException if the codec's name is invalid or taken, or its class cannot
   *     have a codec or has one already
   */
  public GridConfig codec(TypeCodec<?> codec) {
    return with(draft -> draft.codecs = codecs.with(codec));
  }

  private GridConfig with(Consumer<Builder> change) {
    Builder draft = new Builder(this);
    change.accept(draft);
    return draft.config();
  }

  /** A mutable copy of all settings: the one place that repeats their names. */
  private static final class Builder {
    private final String name;
    private String nodeName;
    private InetAddress bindAddress;
    private int port;
    private int portRange;
    private List<InetSocketAddress> seeds;
    private int initialMembers;
    private double capacity;
    private String rack;
    private WhenCut whenCut;
    private @Nullable Path store;
    private long storeMemory;
    private Duration timeout;
    private Duration leaveTimeout;
    private Set<String> allow;
    private NamedFunctions functions;
    private TypeCodecs codecs;

    Builder(GridConfig from) {
      name = from.name;
      nodeName = from.nodeName;
      bindAddress = from.bindAddress;
      port = from.port;
      portRange = from.portRange;
      seeds = from.seeds;
      initialMembers = from.initialMembers;
      capacity = from.capacity;
      rack = from.rack;
      whenCut = from.whenCut;
      store = from.store;
      storeMemory = from.storeMemory;
      timeout = from.timeout;
      leaveTimeout = from.leaveTimeout;
      allow = from.allow;
      functions = from.functions;
      codecs = from.codecs;
    }

    GridConfig config() {
      return new GridConfig(
          name,
          nodeName,
          bindAddress,
          port,
          portRange,
          seeds,
          initialMembers,
          capacity,
          rack,
          whenCut,
          store,
          storeMemory,
          timeout,
          leaveTimeout,
          allow,
          functions,
          codecs);
    }
  }

  private static <T extends Comparable<T>> void checkRange(String setting, T value, T low, T high) {
    if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
      throw new IllegalArgumentException(
          setting + " " + value + " is not within " + low + " to " + high);
    }
  }
}
