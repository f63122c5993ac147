package io.cantle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of one node: how this process takes part in a grid. Start from {@link #named}
 * and change what differs: each option has a method that copies the configuration. Use these
 * methods, not constructors, which get a parameter more with each new option.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name the name of the grid; nodes of grids with other names are ignored. Not blank, at most
 *     64 bytes of UTF-8
 * @param nodeName what this node is called in messages, at most 64 bytes of UTF-8; a name is
 *     generated if it is empty
 * @param network where the node listens, and where it looks for others
 * @param membership its part in founding the grid, in owning entries, in a partition, and at its
 *     end
 * @param store what it keeps on disk
 * @param memory how much memory it may take off the heap
 * @param limits how long calls may take
 * @param serialization which objects and functions may be stored and sent, and how
 */
public record GridConfig(
    String name,
    String nodeName,
    NetworkSettings network,
    MembershipSettings membership,
    StoreSettings store,
    MemorySettings memory,
    TimeLimits limits,
    SerializationSettings serialization) {

  /**
   * Where a node listens, and where it looks for others.
   *
   * <p><b>Threading:</b> immutable.
   *
   * @param bindAddress the address every socket of the node is bound to; only loopback addresses
   *     are accepted until encryption and authentication exist. Default: 127.0.0.1
   * @param port the first port tried, or 0 for any free one (then {@code seeds} are needed to find
   *     other nodes). Default: 7800
   * @param portRange how many ports after {@code port} are tried, 0 to 1,000; without seeds, other
   *     nodes are looked for at the same ports. Default: 31
   * @param seeds addresses where other nodes may listen; if empty, {@code bindAddress} at the ports
   *     of the range
   */
  public record NetworkSettings(
      InetAddress bindAddress, int port, int portRange, List<InetSocketAddress> seeds) {
    /** Checks that every setting is in its range. */
    public NetworkSettings {
      Objects.requireNonNull(bindAddress, "bindAddress");
      Objects.requireNonNull(seeds, "seeds");
      if (!bindAddress.isLoopbackAddress()) {
        throw new IllegalArgumentException(
            "bindAddress "
                + bindAddress.getHostAddress()
                + " is not a loopback address; others are refused until nodes encrypt and"
                + " authenticate");
      }
      checkRange("port", port, 0, 65_535);
      checkRange("range of GridConfig.ports", portRange, 0, Math.min(1_000, 65_535 - port));
      if (seeds.stream().anyMatch(Objects::isNull)) {
        throw new NullPointerException("null in seeds " + seeds);
      }
      seeds = List.copyOf(seeds);
    }
  }

  /**
   * The part of a node in founding a grid, in owning entries, in a partition, and at its end.
   *
   * <p><b>Threading:</b> immutable.
   *
   * @param initialMembers how many nodes must see each other before they found a new grid. Default:
   *     1
   * @param capacity how large a share of the entries this node is to own, relative to others, 0 to
   *     1,000: a node of 2 owns twice as much as a node of 1. A node of 0 owns none and takes part
   *     in everything else; a grid needs one with more. Counted in millionths. Default: 1
   * @param rack what this node is likely to fail together with, such as a rack or a zone, at most
   *     64 bytes of UTF-8. The replicas of an entry are kept on as many racks as possible. Default:
   *     empty, the node fails alone
   * @param whenCut what nodes do that are cut off from the majority of their grid: stop, except
   *     that the older of two goes on; stop, even both of two; or go on and merge later. The node
   *     that founds the grid decides it for all. Default: {@link WhenCut#oldestDecides}
   * @param shutdownHook whether the node leaves as by {@link Grid#close} when the JVM is told to
   *     end: by SIGTERM, Ctrl-C or {@link System#exit}. The JVM then ends after at most {@link
   *     TimeLimits#leaveTimeout}. Without it such a node is lost to the grid like one that crashes,
   *     unless it was closed before. It does not apply to {@link Grid#local}. Default: true
   */
  public record MembershipSettings(
      int initialMembers, double capacity, String rack, WhenCut whenCut, boolean shutdownHook) {
    /** Checks that every setting is in its range. */
    public MembershipSettings {
      Objects.requireNonNull(rack, "rack");
      Objects.requireNonNull(whenCut, "whenCut");
      checkRange("initialMembers", initialMembers, 1, 1_000);
      checkRange("capacity", capacity, 0.0, 1_000.0);
      checkText("rack", rack, 0);
    }
  }

  /**
   * What a node keeps on disk.
   *
   * <p><b>Threading:</b> immutable.
   *
   * @param directory the directory in which this node keeps the entries of caches with a {@link
   *     CacheConfig#durability}; it is made if it is missing, and no two nodes may share it. With
   *     it the node keeps its identity across restarts. Default: null, everything is in memory
   * @param memoryBytes how many bytes of memory the entries of these caches may take on this node.
   *     Beyond that the least recently used values are on disk only, and are read when needed. Keys
   *     always stay in memory, at some 80 bytes plus their own each. Caches of {@link
   *     CacheMode#LOCAL} may take as much again. 0 or more. Default: a third of the maximum heap
   */
  public record StoreSettings(@Nullable Path directory, long memoryBytes) {
    /** Checks that every setting is in its range. */
    public StoreSettings {
      checkRange("storeMemory", memoryBytes, 0L, Long.MAX_VALUE);
    }
  }

  /**
   * How much memory a node may take off the heap.
   *
   * <p><b>Threading:</b> immutable.
   *
   * @param offHeapBytes how many bytes caches with {@link ContainerKind#OFF_HEAP} may take on this
   *     node in all. Beyond that the node writes no entry as its primary that needs more: the call
   *     fails with a {@link CacheFullException}. It still takes what other primaries have written
   *     and what it must fetch, so the machine needs some room above it. 1 MiB or more. Default:
   *     {@link Long#MAX_VALUE}, whatever the machine has
   */
  public record MemorySettings(long offHeapBytes) {
    /** Checks that every setting is in its range. */
    public MemorySettings {
      checkRange("offHeapMemory", offHeapBytes, 1L << 20, Long.MAX_VALUE);
    }
  }

  /**
   * How long calls may take.
   *
   * <p><b>Threading:</b> immutable.
   *
   * @param timeout the longest any call waits, 100 ms to 10 minutes. Default: 15 s
   * @param leaveTimeout the longest {@link Grid#close} waits for data to be safe elsewhere, 0 to 1
   *     hour. Default: 60 s
   */
  public record TimeLimits(Duration timeout, Duration leaveTimeout) {
    /** Checks that every setting is in its range. */
    public TimeLimits {
      Objects.requireNonNull(timeout, "timeout");
      Objects.requireNonNull(leaveTimeout, "leaveTimeout");
      checkRange("timeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(10));
      checkRange("leaveTimeout", leaveTimeout, Duration.ZERO, Duration.ofHours(1));
    }
  }

  /**
   * Which objects and functions may be stored and sent, and how.
   *
   * <p><b>Threading:</b> immutable.
   *
   * @param allow packages (with those below them) whose classes may be stored and sent, besides the
   *     JDK's value types and the classes of the application. Default: none
   * @param application a class of the application, whose classes may be stored and sent: those of
   *     its module; on the class path those of its jar, or of all folders if it is in one; and
   *     those of its package and below. In a jar that has Cantle in it too, only the latter. A
   *     class of the JDK, such as {@code Object.class}, stands for none. Default: null, the class
   *     that calls {@link Grid#join} or {@link Grid#local}
   * @param functions functions that are sent by name instead of as a place in the code. Default:
   *     none
   * @param codecs codecs that turn objects of some classes into bytes, the same on every node.
   *     Default: none
   */
  public record SerializationSettings(
      Set<String> allow,
      @Nullable Class<?> application,
      NamedFunctions functions,
      TypeCodecs codecs) {
    /** Copies the packages. */
    public SerializationSettings {
      allow = Set.copyOf(allow);
    }
  }

  /** Checks that every setting is in its range. */
  public GridConfig {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(nodeName, "nodeName");
    if (name.isBlank()) {
      throw new IllegalArgumentException("name of a grid must not be blank");
    }
    checkText("name of a grid", name, 1);
    checkText("nodeName", nodeName, 0);
  }

  /** The default configuration for a grid of this name. */
  public static GridConfig named(String name) {
    return new GridConfig(
        name,
        "",
        new NetworkSettings(InetAddress.ofLiteral("127.0.0.1"), 7800, 31, List.of()),
        new MembershipSettings(1, 1, "", WhenCut.oldestDecides(), true),
        new StoreSettings(null, Runtime.getRuntime().maxMemory() / 3),
        new MemorySettings(Long.MAX_VALUE),
        new TimeLimits(Duration.ofSeconds(15), Duration.ofSeconds(60)),
        new SerializationSettings(Set.of(), null, NamedFunctions.NONE, TypeCodecs.NONE));
  }

  /** A copy of this configuration with another {@link #nodeName}. */
  public GridConfig nodeName(String value) {
    return new GridConfig(name, value, network, membership, store, memory, limits, serialization);
  }

  /** A copy of this configuration with another {@link NetworkSettings#bindAddress}. */
  public GridConfig bindAddress(InetAddress value) {
    return with(new NetworkSettings(value, network.port, network.portRange, network.seeds));
  }

  /**
   * A copy of this configuration with another {@link NetworkSettings#port} and {@link
   * NetworkSettings#portRange}.
   */
  public GridConfig ports(int first, int range) {
    return with(new NetworkSettings(network.bindAddress, first, range, network.seeds));
  }

  /** A copy of this configuration with other {@link NetworkSettings#seeds}. */
  public GridConfig seeds(List<InetSocketAddress> value) {
    return with(new NetworkSettings(network.bindAddress, network.port, network.portRange, value));
  }

  /** A copy of this configuration with another {@link MembershipSettings#initialMembers}. */
  public GridConfig initialMembers(int value) {
    return with(
        new MembershipSettings(
            value,
            membership.capacity,
            membership.rack,
            membership.whenCut,
            membership.shutdownHook));
  }

  /** A copy of this configuration with another {@link MembershipSettings#capacity}. */
  public GridConfig capacity(double value) {
    return with(
        new MembershipSettings(
            membership.initialMembers,
            value,
            membership.rack,
            membership.whenCut,
            membership.shutdownHook));
  }

  /**
   * A copy of this configuration with another {@link MembershipSettings#rack}.
   *
   * @throws IllegalArgumentException if it is blank: a node without a rack sets none
   */
  public GridConfig rack(String value) {
    checkNotBlank("rack", value, "leave it out for a node that fails alone");
    return with(
        new MembershipSettings(
            membership.initialMembers,
            membership.capacity,
            value,
            membership.whenCut,
            membership.shutdownHook));
  }

  /** A copy of this configuration with another {@link MembershipSettings#whenCut}. */
  public GridConfig whenCut(WhenCut value) {
    return with(
        new MembershipSettings(
            membership.initialMembers,
            membership.capacity,
            membership.rack,
            value,
            membership.shutdownHook));
  }

  /** A copy of this configuration with another {@link MembershipSettings#shutdownHook}. */
  public GridConfig shutdownHook(boolean value) {
    return with(
        new MembershipSettings(
            membership.initialMembers,
            membership.capacity,
            membership.rack,
            membership.whenCut,
            value));
  }

  /**
   * A copy of this configuration with another {@link StoreSettings#directory}.
   *
   * @throws IllegalArgumentException if it is the empty path, which names no folder
   */
  public GridConfig store(@Nullable Path directory) {
    if (directory != null) {
      checkNotBlank("store", directory.toString(), "give it the path of a folder");
    }
    return with(new StoreSettings(directory, store.memoryBytes));
  }

  /** A copy of this configuration with another {@link StoreSettings#memoryBytes}. */
  public GridConfig storeMemory(long bytes) {
    return with(new StoreSettings(store.directory, bytes));
  }

  /** A copy of this configuration with another {@link MemorySettings#offHeapBytes}. */
  public GridConfig offHeapMemory(long bytes) {
    return with(new MemorySettings(bytes));
  }

  /** A copy of this configuration with another {@link TimeLimits#timeout}. */
  public GridConfig timeout(Duration value) {
    return with(new TimeLimits(value, limits.leaveTimeout));
  }

  /** A copy of this configuration with another {@link TimeLimits#leaveTimeout}. */
  public GridConfig leaveTimeout(Duration value) {
    return with(new TimeLimits(limits.timeout, value));
  }

  /**
   * A copy of this configuration with more packages in {@link SerializationSettings#allow}. Only
   * classes of libraries need it, and those of an application that is in several modules or jars.
   * Every node that reads a class must allow it; the error of a node that does not names the class.
   * The empty name stands for the classes that have no package, as in compact source files.
   */
  public GridConfig allowing(String... packages) {
    Set<String> all =
        Stream.concat(
                serialization.allow.stream(),
                Stream.of(Objects.requireNonNull(packages, "packages")))
            .collect(Collectors.toUnmodifiableSet());
    return with(
        new SerializationSettings(
            all, serialization.application, serialization.functions, serialization.codecs));
  }

  /**
   * A copy of this configuration with another {@link SerializationSettings#application}. Set it
   * where a library joins the grid for an application.
   */
  public GridConfig application(@Nullable Class<?> value) {
    return with(
        new SerializationSettings(
            serialization.allow, value, serialization.functions, serialization.codecs));
  }

  /**
   * A copy of this configuration with one more function in {@link SerializationSettings#functions}.
   *
   * @throws IllegalArgumentException if the name is invalid or taken, or the function has a name
   *     already
   */
  public GridConfig function(String functionName, Object function) {
    return with(
        new SerializationSettings(
            serialization.allow,
            serialization.application,
            serialization.functions.with(functionName, function),
            serialization.codecs));
  }

  /**
   * A copy of this configuration with one more codec in {@link SerializationSettings#codecs}. Give
   * every node the same codecs.
   *
   * @throws IllegalArgumentException if the codec's name is invalid or taken, or its class cannot
   *     have a codec or has one already
   */
  public GridConfig codec(TypeCodec<?> codec) {
    return with(
        new SerializationSettings(
            serialization.allow,
            serialization.application,
            serialization.functions,
            serialization.codecs.with(codec)));
  }

  private GridConfig with(NetworkSettings value) {
    return new GridConfig(name, nodeName, value, membership, store, memory, limits, serialization);
  }

  private GridConfig with(MembershipSettings value) {
    return new GridConfig(name, nodeName, network, value, store, memory, limits, serialization);
  }

  private GridConfig with(StoreSettings value) {
    return new GridConfig(
        name, nodeName, network, membership, value, memory, limits, serialization);
  }

  private GridConfig with(MemorySettings value) {
    return new GridConfig(name, nodeName, network, membership, store, value, limits, serialization);
  }

  private GridConfig with(TimeLimits value) {
    return new GridConfig(name, nodeName, network, membership, store, memory, value, serialization);
  }

  private GridConfig with(SerializationSettings value) {
    return new GridConfig(name, nodeName, network, membership, store, memory, limits, value);
  }

  /** Refuses what is too long, or would break the lines of logs and messages that show it. */
  private static void checkText(String setting, String text, int minBytes) {
    int bytes = text.getBytes(UTF_8).length;
    if (bytes < minBytes || bytes > 64) {
      throw new IllegalArgumentException(
          "%s has %s to 64 bytes, not %s".formatted(setting, minBytes, bytes));
    }
    if (!UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException(
          "%s must not contain half of a surrogate pair: \"%s\""
              .formatted(setting, new String(text.getBytes(UTF_8), UTF_8)));
    }
    text.chars()
        .filter(Character::isISOControl)
        .findFirst()
        .ifPresent(
            control -> {
              throw new IllegalArgumentException(
                  "%s must not contain control characters, and has \\u%04x"
                      .formatted(setting, control));
            });
  }

  private static void checkNotBlank(String setting, String value, String remedy) {
    if (Objects.requireNonNull(value, setting).isBlank()) {
      throw new IllegalArgumentException(
          "GridConfig.%s must not be blank, and is \"%s\": %s".formatted(setting, value, remedy));
    }
  }

  static <T extends Comparable<T>> void checkRange(String setting, T value, T low, T high) {
    if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
      throw new IllegalArgumentException(
          setting + " " + value + " is not within " + low + " to " + high);
    }
  }
}
