package io.cantle;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The codecs a node has registered, each for another class and with another name.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param all at most 1,000, see {@link TypeCodec}
 */
public record TypeCodecs(List<TypeCodec<?>> all) {
  private static final int MAX_CODECS = 1_000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

  /** Nothing is registered. */
  public static final TypeCodecs NONE = new TypeCodecs(List.of());

  /** Checks names and classes, and that none of them is there twice. */
  public TypeCodecs {
    all = List.copyOf(all);
    if (all.size() > MAX_CODECS) {
      throw new IllegalArgumentException(
          all.size() + " codecs are registered, and the limit is " + MAX_CODECS);
    }
    Map<String, Class<?>> types = new HashMap<>();
    Map<Class<?>, String> names = new HashMap<>();
    for (TypeCodec<?> codec : all) {
      Class<?> type = checkClass(codec);
      Class<?> other = types.put(codec.name(), type);
      if (other != null) {
        throw new IllegalArgumentException(
            "a codec named \""
                + codec.name()
                + "\" is registered already, for "
                + other.getTypeName()
                + ": take another name");
      }
      String first = names.put(type, codec.name());
      if (first != null) {
        throw new IllegalArgumentException(
            type.getTypeName()
                + " has the codecs \""
                + first
                + "\" and \""
                + codec.name()
                + "\", and can be written by one only: let that read the other's bytes as well");
      }
    }
  }

  /**
   * These and one more.
   *
   * @throws IllegalArgumentException when its name is none or taken, or its class can have no codec
   *     or has one
   */
  public TypeCodecs with(TypeCodec<?> codec) {
    List<TypeCodec<?>> more = new ArrayList<>(all);
    more.add(codec);
    return new TypeCodecs(more);
  }

  private static Class<?> checkClass(TypeCodec<?> codec) {
    // Null is against the signature, and too likely a slip for a bare NullPointerException.
    @Nullable String name = codec.name();
    if (name == null || !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\""
              + name
              + "\" is no name of a codec ("
              + codec.getClass().getTypeName()
              + "), which must match "
              + NAME);
    }
    @Nullable Class<?> type = codec.type();
    if (type == null) {
      throw new IllegalArgumentException("codec \"" + name + "\" has no type");
    }
    if (type.isPrimitive() || type.isArray()) {
      throw new IllegalArgumentException(
          "codec \"" + name + "\" is of " + type.getTypeName() + ", which is no class");
    }
    // An enum whose constants have bodies is abstract, and all of it is one class to its users.
    if (!type.isEnum() && Modifier.isAbstract(type.getModifiers())) {
      throw new IllegalArgumentException(
          "codec \""
              + name
              + "\" is of "
              + type.getTypeName()
              + ", of which itself there are no objects: register one for each class of them");
    }
    return type;
  }
}
