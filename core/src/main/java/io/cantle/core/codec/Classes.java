package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The classes a codec has met: looked up by name only after the allow-list has agreed, and
 * described once. Blocks of bytes that describe a record class or an enum constant are recognised
 * as bytes, so that no name is decoded twice.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Classes {
  /** List.of and stream().toList(), and what Collections makes of nothing, of one and of others. */
  private static final Set<Class<?>> UNMODIFIABLE_LISTS =
      Set.of(
          List.of(1).getClass(),
          List.of(1, 2, 3).getClass(),
          Collections.emptyList().getClass(),
          Collections.singletonList(1).getClass(),
          Collections.unmodifiableList(new ArrayList<>()).getClass());

  private final AllowList allowed;
  private final ClassLoader loader;
  private final KnownCodecs codecs;
  private final ConcurrentMap<Class<?>, RecordShape> shapes = new ConcurrentHashMap<>();
  private final ConcurrentMap<Enum<?>, byte[]> constants = new ConcurrentHashMap<>();
  private final Blocks<RecordLayout> layouts = new Blocks<>();
  private final Blocks<Enum<?>> constantsRead = new Blocks<>();

  Classes(AllowList allowed, ClassLoader loader, KnownCodecs codecs) {
    this.allowed = allowed;
    this.loader = loader;
    this.codecs = codecs;
  }

  AllowList allowed() {
    return allowed;
  }

  ClassLoader loader() {
    return loader;
  }

  /** The user's codecs, whose classes nobody need allow. */
  KnownCodecs codecs() {
    return codecs;
  }

  /** Whether lists of this class say no to every change, so that one may come back that does. */
  static boolean isUnmodifiable(Class<?> type) {
    return UNMODIFIABLE_LISTS.contains(type);
  }

  /**
   * The shape of a record class.
   *
   * @throws IllegalArgumentException when the class is not allowed, or not open to this module
   */
  RecordShape shape(Class<?> type) {
    RecordShape known = shapes.get(type);
    if (known != null) {
      return known;
    }
    if (!allowed.allows(type)) {
      throw new IllegalArgumentException(refusal("record", type.getName()));
    }
    return shapes.computeIfAbsent(type, RecordShape::new);
  }

  /**
   * The components of a record whose hash codes look at other objects; none where the record cannot
   * be looked into.
   */
  List<@Nullable Object> references(Record record) {
    RecordShape shape;
    try {
      shape = shape(record.getClass());
    } catch (IllegalArgumentException e) {
      return List.of();
    }
    return shape.references(record);
  }

  /**
   * Writes the block of an enum constant.
   *
   * @throws IllegalArgumentException when its class is not allowed
   */
  void writeConstant(Enum<?> constant, Output out) {
    byte[] block = constants.get(constant);
    if (block == null) {
      Class<?> type = constant.getDeclaringClass();
      if (!allowed.allows(type)) {
        throw new IllegalArgumentException(refusal("enum", type.getName()));
      }
      block = constants.computeIfAbsent(constant, Classes::block);
    }
    out.write(block);
  }

  /** Reads what {@link #writeConstant} wrote. */
  Enum<?> readConstant(Input in) {
    int length = Text.readLength(in);
    Enum<?> known = constantsRead.find(in.array(), in.position(), length);
    if (known != null) {
      in.skip(length);
      return known;
    }
    byte[] block = in.readBytes(length);
    Input names = new Input(block);
    String className = Text.readString(names);
    String name = Text.readString(names);
    if (names.remaining() != 0) {
      throw new MalformedException("an enum constant is followed by something in its block");
    }
    Enum<?> constant = constant(load("enum", className), name);
    constantsRead.add(block, constant);
    return constant;
  }

  /** Reads the block of a record class without looking for the class. */
  RecordLayout readLayout(Input in) {
    int length = Text.readLength(in);
    RecordLayout known = layouts.find(in.array(), in.position(), length);
    if (known != null) {
      in.skip(length);
      return known;
    }
    byte[] block = in.readBytes(length);
    Input names = new Input(block);
    String className = Text.readString(names);
    int count = names.readCount(Math.min(names.remaining(), RecordLayout.MAX_COMPONENTS));
    List<String> components = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      components.add(Text.readString(names));
    }
    if (names.remaining() != 0) {
      throw new MalformedException("a record's names are followed by something in their block");
    }
    RecordLayout layout = new RecordLayout(className, components);
    layouts.add(block, layout);
    return layout;
  }

  /** The shape of the record class of this name, which comes from bytes. */
  RecordShape shape(String className) {
    Class<?> type = load("record", className);
    if (!type.isRecord()) {
      throw new MalformedException(className + " was written as a record and is none here");
    }
    try {
      return shape(type);
    } catch (IllegalArgumentException e) {
      MalformedException malformed = new MalformedException(String.valueOf(e.getMessage()));
      malformed.initCause(e);
      throw malformed;
    }
  }

  /** Loads a class whose name comes from bytes, once it is allowed, without initialising it. */
  Class<?> load(String what, String className) {
    if (!allowed.allowsName(className)) {
      throw new MalformedException(refusal(what, className));
    }
    return loadUnchecked(what, className);
  }

  /** Loads a class that another rule than the allow-list let pass. */
  Class<?> loadUnchecked(String what, String className) {
    try {
      return Class.forName(className, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      MalformedException malformed =
          new MalformedException(
              what
                  + " class "
                  + className
                  + " cannot be loaded on this node; put it on the class path of every node: "
                  + e);
      malformed.initCause(e);
      throw malformed;
    }
  }

  /** The message for a class that is not allowed. */
  static String refusal(String what, String className) {
    if (className.contains("$Proxy")) {
      return "dynamic proxy " + className + " is not allowed: no setting allows one";
    }
    return what + " class " + className + " is not allowed: " + remedy(className);
  }

  /** What to do about a class that is not allowed. */
  static String remedy(String name) {
    String className =
        name.startsWith("[") ? name.replaceFirst("^\\[+L?", "").replace(";", "") : name;
    if (PlatformTypes.isPlatform(className)) {
      return "it is no value type of the JDK";
    }
    int dot = className.lastIndexOf('.');
    return "add its package "
        + (dot < 0 ? "\"\"" : '"' + className.substring(0, dot) + '"')
        + " to "
        + AllowList.SETTING
        + " on every node";
  }

  private static Enum<?> constant(Class<?> type, String name) {
    Object[] constants = type.getEnumConstants();
    if (constants == null) {
      throw new MalformedException(type.getName() + " was written as an enum and is none here");
    }
    for (Object constant : constants) {
      if (constant instanceof Enum<?> candidate && candidate.name().equals(name)) {
        return candidate;
      }
    }
    throw new MalformedException("enum " + type.getName() + " has no constant " + name + " here");
  }

  private static byte[] block(Enum<?> constant) {
    Output names = new Output(64);
    names.writeString(constant.getDeclaringClass().getName());
    names.writeString(constant.name());
    Output block = new Output(names.position() + 2);
    block.writeBlob(names.array(), 0, names.position());
    return block.toByteArray();
  }
}
