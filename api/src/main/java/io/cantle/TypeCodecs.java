package io.cantle;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The codecs that a node has registered, each for another class and with another name.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param all at most 1,000, see {@link TypeCodec}
 */
public record TypeCodecs(List<TypeCodec<?>> all) {
  private static final int MAX_CODECS = 1_000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

  /** No codecs. */
  public static final TypeCodecs NONE = new TypeCodecs(List.of());

  /** Checks names and classes, and that none is there twice. */
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
            "a codec named \"%s\" is registered already, for %s: take another name"
                .formatted(codec.name(), other.getTypeName()));
      }
      String first = names.put(type, codec.name());
      if (first != null) {
        throw new IllegalArgumentException(
            "%s has two codecs, \"%s\" and \"%s\", but may have only one: "
                    .formatted(type.getTypeName(), first, codec.name())
                + "let that one read the other's bytes as well");
      }
    }
  }

  /**
   * Returns these codecs and one more.
   *
   * @throws IllegalArgumentException if the codec's name is invalid or taken, or its class cannot
   *     have a codec or has one already
   */
  public TypeCodecs with(TypeCodec<?> codec) {
    List<TypeCodec<?>> more = new ArrayList<>(all);
    more.add(codec);
    return new TypeCodecs(more);
  }

  private static Class<?> checkClass(TypeCodec<?> codec) {
    // The signature forbids null, but it is too likely a slip for a bare NullPointerException.
    @Nullable String name = codec.name();
    if (name == null || !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"%s\" is not a valid name of a codec (class %s): it must match %s"
              .formatted(name, codec.getClass().getTypeName(), NAME));
    }
    @Nullable Class<?> type = codec.type();
    if (type == null) {
      throw new IllegalArgumentException("codec \"" + name + "\" has no type");
    }
    if (type.isPrimitive() || type.isArray()) {
      throw new IllegalArgumentException(
          "codec \"" + name + "\" is for " + type.getTypeName() + ", which is not a class");
    }
    // An enum whose constants have bodies is abstract, but to its users it is one class.
    if (!type.isEnum() && Modifier.isAbstract(type.getModifiers())) {
      throw new IllegalArgumentException(
          "codec \"%s\" is for %s, which is abstract: register a codec for each of its concrete classes"
              .formatted(name, type.getTypeName()));
    }
    return type;
  }
}
