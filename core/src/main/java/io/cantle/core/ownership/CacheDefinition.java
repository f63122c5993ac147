package io.cantle.core.ownership;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.ContainerKind;
import io.cantle.Durability;
import io.cantle.MemoryBudget;
import io.cantle.ScanDefaults;
import io.cantle.WhenFull;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.PrintableText;
import io.cantle.core.container.Lifetime;
import java.time.Duration;
import java.util.Objects;

/**
 * The name and configuration of a cache, as the topology holds them.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name the name by which callers open it, 1 to {@link #MAX_NAME_CHARS} characters
 * @param config the configuration it was created with, always with the standard defaults of scans
 */
public record CacheDefinition(String name, CacheConfig config) {
  /** The most characters the name of a cache may have. */
  static final int MAX_NAME_CHARS = 200;

  /** Added to the owners if the entries are kept off the heap. */
  private static final int OFF_HEAP_FLAG = 0x40;

  /** Added to the owners if objects are kept in the place of bytes. */
  private static final int OBJECTS_FLAG = 0x80;

  private static final int CONTAINER_FLAGS = OFF_HEAP_FLAG | OBJECTS_FLAG;

  /** Checks the name, and leaves out what each node chooses for itself. */
  public CacheDefinition {
    config = config.scanDefaults(ScanDefaults.STANDARD);
    if (name.isEmpty() || name.length() > MAX_NAME_CHARS) {
      throw new IllegalArgumentException(
          "name of a cache has 1 to " + MAX_NAME_CHARS + " characters, not " + name.length());
    }
  }

  /**
   * The definition of a cache that a user names.
   *
   * @throws IllegalArgumentException if the name is blank, too long, not proper text, or would
   *     break the lines of messages that show it
   */
  public static CacheDefinition named(String name, CacheConfig config) {
    Objects.requireNonNull(name, "name of a cache");
    Objects.requireNonNull(config, "config of a cache");
    if (name.isBlank()) {
      throw new IllegalArgumentException("name of a cache must not be blank");
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "name of a cache must not contain control characters: \"%s\""
              .formatted(PrintableText.of(name, MAX_NAME_CHARS)));
    }
    if (!UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException(
          "name of a cache must not contain half of a surrogate pair: \"%s\""
              .formatted(new String(name.getBytes(UTF_8), UTF_8)));
    }
    checkScattered(config);
    checkObjects(config);
    checkBounds(config);
    return new CacheDefinition(name, config);
  }

  /** Checks what a scattered cache cannot have. */
  private static void checkScattered(CacheConfig config) {
    if (config.mode() != CacheMode.SCATTERED) {
      return;
    }
    if (config.owners() != 2) {
      throw new IllegalArgumentException(
          "a scattered cache has 2 owners of each entry, its primary and one more, not "
              + config.owners());
    }
    if (config.durability().keeps()) {
      throw new IllegalArgumentException(
          "a scattered cache has no durability, and %s was asked for: use CacheMode.DISTRIBUTED"
              .formatted(config.durability()));
    }
    if (config.isBounded()) {
      throw new IllegalArgumentException(
          "a scattered cache has no maxEntries, maxBytes or memoryBudget, since any node may hold a"
              + " copy of any entry: use CacheMode.DISTRIBUTED");
    }
  }

  /** Checks what a cache that keeps objects without their bytes cannot have. */
  private static void checkObjects(CacheConfig config) {
    if (config.container() != ContainerKind.OBJECTS) {
      return;
    }
    if (config.mode() != CacheMode.LOCAL) {
      throw new IllegalArgumentException(
          "a cache with container OBJECTS is local, and mode %s was asked for: use CacheMode.LOCAL"
              .formatted(config.mode()));
    }
    if (config.durability().keeps()) {
      throw new IllegalArgumentException(
          "a cache with container OBJECTS has no durability, and %s was asked for: use"
                  .formatted(config.durability())
              + " ContainerKind.HEAP");
    }
  }

  /** Checks the bounds beside the other settings, which may be set in any order. */
  private static void checkBounds(CacheConfig config) {
    if (!config.isBounded()) {
      if (config.whenFull() != WhenFull.EVICT) {
        throw new IllegalArgumentException(
            "whenFull %s needs a bound: set CacheConfig.maxEntries, maxBytes or memoryBudget"
                .formatted(config.whenFull()));
      }
      return;
    }
    if (config.durability().keeps()) {
      throw new IllegalArgumentException(
          "a cache with durability %s has no bound and no memory budget, since all its keys are kept"
                  .formatted(config.durability())
              + " in memory: GridConfig.storeMemory limits the values that are");
    }
    if (config.maxEntries() < config.segments()) {
      throw new IllegalArgumentException(
          "maxEntries %s is less than one for each of %s segments: raise it, or lower segments"
              .formatted(config.maxEntries(), config.segments()));
    }
    checkBytes("maxBytes", config.maxBytes(), config.segments());
    MemoryBudget budget = config.memoryBudget();
    checkBytes("memory budget \"" + budget.name() + '"', budget.maxBytes(), config.segments());
  }

  private static void checkBytes(String setting, long maxBytes, int segments) {
    long minBytes = (long) segments * CacheConfig.MIN_SEGMENT_BYTES;
    if (maxBytes < minBytes) {
      throw new IllegalArgumentException(
          "%s %s is less than %s, %s for each of %s segments: raise it, or lower segments"
              .formatted(setting, maxBytes, minBytes, CacheConfig.MIN_SEGMENT_BYTES, segments));
    }
  }

  /** The lifetime of entries that are written without a lifetime of their own. */
  public Lifetime defaultLifetime() {
    return new Lifetime(toMillis(config.lifespan()), toMillis(config.maxIdle()));
  }

  /** A lifespan or an idle time in milliseconds; 0 for one that never ends. */
  public static long toMillis(Duration time) {
    return time.equals(CacheConfig.FOREVER) ? 0 : time.toMillis();
  }

  private static Duration toDuration(long millis) {
    return millis == 0 ? CacheConfig.FOREVER : Duration.ofMillis(millis);
  }

  /** A bound as it is written: 0 for none, which is shorter. */
  private static long boundToWire(long bound) {
    return bound == CacheConfig.UNBOUNDED ? 0 : bound;
  }

  private static long boundFromWire(long written) {
    return written == 0 ? CacheConfig.UNBOUNDED : written;
  }

  /** Whether the second copies of its entries lie where they were written from. */
  public boolean isScattered() {
    return config.mode() == CacheMode.SCATTERED;
  }

  /** Whether its entries are also stored on disk. */
  public boolean isDurable() {
    return config.durability().keeps();
  }

  /** Writes the name and the configuration. */
  public void write(Output out) {
    out.writeString(name);
    out.writeEnum(config.mode());
    out.writeVarint(config.owners() | containerFlag(config.container()));
    out.writeVarint(config.segments());
    defaultLifetime().write(out);
    Durability durability = config.durability();
    out.writeEnum(durability.kind());
    out.writeVarint(durability.period().toMillis());
    out.writeVarint(boundToWire(config.maxEntries()));
    out.writeVarint(boundToWire(config.maxBytes()));
    out.writeEnum(config.whenFull());
    out.writeString(config.memoryBudget().name());
    out.writeVarint(boundToWire(config.memoryBudget().maxBytes()));
  }

  private static int containerFlag(ContainerKind container) {
    return switch (container) {
      case HEAP -> 0;
      case OFF_HEAP -> OFF_HEAP_FLAG;
      case OBJECTS -> OBJECTS_FLAG;
    };
  }

  private static ContainerKind containerOf(int flag) {
    return switch (flag) {
      case 0 -> ContainerKind.HEAP;
      case OFF_HEAP_FLAG -> ContainerKind.OFF_HEAP;
      case OBJECTS_FLAG -> ContainerKind.OBJECTS;
      default -> throw new MalformedException("container " + flag + " is unknown");
    };
  }

  /** Reads what {@link #write} wrote. */
  public static CacheDefinition read(Input in) {
    return read(in, true, true);
  }

  /**
   * Reads what {@link #write} wrote, or what it wrote before there were bounds.
   *
   * @param hasBounds whether there are any
   * @param hasBudget whether there may be a memory budget
   */
  static CacheDefinition read(Input in, boolean hasBounds, boolean hasBudget) {
    String name = in.readString();
    CacheMode mode = in.readEnum(CacheMode.values());
    int ownersAndContainer = in.readCount(CacheConfig.MAX_OWNERS | CONTAINER_FLAGS);
    int owners = ownersAndContainer & ~CONTAINER_FLAGS;
    ContainerKind container = containerOf(ownersAndContainer & CONTAINER_FLAGS);
    int segments = in.readCount(CacheConfig.MAX_SEGMENTS);
    Lifetime lifetime = Lifetime.read(in);
    Durability.Kind kind = in.readEnum(Durability.Kind.values());
    Duration period = Duration.ofMillis(in.readVarint());
    long maxEntries = boundFromWire(hasBounds ? in.readVarint() : 0);
    long maxBytes = boundFromWire(hasBounds ? in.readVarint() : 0);
    WhenFull whenFull = hasBounds ? in.readEnum(WhenFull.values()) : WhenFull.EVICT;
    String budgetName = hasBudget ? in.readString() : "";
    long budgetBytes = boundFromWire(hasBudget ? in.readVarint() : 0);
    try {
      CacheConfig config =
          new CacheConfig(mode, owners, segments)
              .lifespan(toDuration(lifetime.lifespanMillis()))
              .maxIdle(toDuration(lifetime.idleMillis()))
              .durability(new Durability(kind, period))
              .maxEntries(maxEntries)
              .maxBytes(maxBytes)
              .whenFull(whenFull)
              .memoryBudget(new MemoryBudget(budgetName, budgetBytes))
              .container(container);
      return new CacheDefinition(name, config);
    } catch (IllegalArgumentException e) {
      throw new MalformedException("a cache definition that cannot be: " + e.getMessage());
    }
  }
}
