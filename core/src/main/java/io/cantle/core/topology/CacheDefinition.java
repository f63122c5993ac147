package io.cantle.core.topology;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * A cache as the grid knows it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name what it is opened by, 1 to {@link #MAX_NAME} characters
 * @param config what it was created with
 */
public record CacheDefinition(String name, CacheConfig config) {
  /** The longest name of a cache. */
  public static final int MAX_NAME = 200;

  private static final CacheMode[] MODES = CacheMode.values();

  /** Checks the name. */
  public CacheDefinition {
    if (name.isEmpty() || name.length() > MAX_NAME) {
      throw new IllegalArgumentException(
          "name of a cache has 1 to " + MAX_NAME + " characters, not " + name.length());
    }
  }

  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  void write(Output out) {
    out.writeString(name);
    out.writeByte(config.mode().ordinal());
    out.writeVarint(config.owners());
    out.writeVarint(config.segments());
  }

  static CacheDefinition read(Input in) {
    String name = in.readString();
    int mode = in.readCount(MODES.length - 1);
    int owners = in.readCount(CacheConfig.MAX_OWNERS);
    int segments = in.readCount(CacheConfig.MAX_SEGMENTS);
    try {
      return new CacheDefinition(name, new CacheConfig(MODES[mode], owners, segments));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("a cache definition that cannot be: " + e.getMessage());
    }
  }
}
