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
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds and caches the classes that a codec uses. A class is looked up by name only after the
 * allow-list has accepted it, and is described only once. Blocks of bytes that describe a record
 * class or an enum constant are recognised as bytes, so that no name is decoded twice.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ClassResolver {
  /**
   * The classes of List.of and stream().toList(), and of the empty, singleton and unmodifiable
   * lists of Collections.
   */
  private static final Set<Class<?>> UNMODIFIABLE_LISTS =
      Set.of(
          List.of(1).getClass(),
          List.of(1, 2, 3).getClass(),
          Collections.emptyList().getClass(),
          Collections.singletonList(1).getClass(),
          Collections.unmodifiableList(new ArrayList<>()).getClass());

  private final ClassAllowList allowList;
  private final ClassLoader loader;
  private final UserCodecRegistry userCodecs;
  private final ConcurrentMap<Class<?>, RecordSchema> recordSchemas = new ConcurrentHashMap<>();
  private final ConcurrentMap<Enum<?>, byte[]> encodedConstants = new ConcurrentHashMap<>();
  private final InternTable<WriterSchema> writerSchemas = new InternTable<>();
  private final InternTable<Enum<?>> decodedConstants = new InternTable<>();

  ClassResolver(ClassAllowList allowList, ClassLoader loader, UserCodecRegistry userCodecs) {
    this.allowList = allowList;
    this.loader = loader;
    this.userCodecs = userCodecs;
  }

  ClassAllowList allowList() {
    return allowList;
  }

  ClassLoader loader() {
    return loader;
  }

  /** The user's codecs, whose classes need not be in the allow-list. */
  UserCodecRegistry codecs() {
    return userCodecs;
  }

  /**
   * Whether lists of this class are unmodifiable, so that they may be decoded as another such list.
   */
  static boolean isUnmodifiableList(Class<?> type) {
    return UNMODIFIABLE_LISTS.contains(type);
  }

  /**
   * Returns the schema of a record class.
   *
   * @throws IllegalArgumentException if the class is not allowed, or not open to this module
   */
  RecordSchema recordSchema(Class<?> type) {
    RecordSchema cached = recordSchemas.get(type);
    if (cached != null) {
      return cached;
    }
    if (!allowList.allows(type)) {
      throw new IllegalArgumentException(refusalMessage("record", type.getName()));
    }
    return recordSchemas.computeIfAbsent(type, RecordSchema::new);
  }

  /**
   * Returns the components of a record whose hash codes depend on other objects; empty if the
   * record cannot be read.
   */
  List<@Nullable Object> references(Record record) {
    RecordSchema schema;
    try {
      schema = recordSchema(record.getClass());
    } catch (IllegalArgumentException e) {
      return List.of();
    }
    return schema.references(record);
  }

  /**
   * Writes an enum constant as a block.
   *
   * @throws IllegalArgumentException if its class is not allowed
   */
  void writeConstant(Enum<?> constant, Output out) {
    byte[] block = encodedConstants.get(constant);
    if (block == null) {
      Class<?> type = constant.getDeclaringClass();
      if (!allowList.allows(type)) {
        throw new IllegalArgumentException(refusalMessage("enum", type.getName()));
      }
      block = encodedConstants.computeIfAbsent(constant, ClassResolver::encodeConstant);
    }
    out.write(block);
  }

  /** Reads what {@link #writeConstant} wrote. */
  Enum<?> readConstant(Input in) {
    return readBlock(in, decodedConstants, ClassResolver::decodeConstant);
  }

  private Enum<?> decodeConstant(Input names) {
    String className = names.readString();
    String name = names.readString();
    names.requireEndOf("an enum constant");
    return findConstant(loadAllowed("enum", className), name);
  }

  /** Reads the block of a record class without looking up the class. */
  WriterSchema readWriterSchema(Input in) {
    return readBlock(in, writerSchemas, ClassResolver::decodeWriterSchema);
  }

  private WriterSchema decodeWriterSchema(Input names) {
    String className = names.readString();
    int max = Math.min(names.remaining(), WriterSchema.MAX_COMPONENTS);
    List<String> components = names.readList(max, Input::readString);
    names.requireEndOf("a record class");
    return new WriterSchema(className, components);
  }

  /** Reads a block, which is decoded only if its bytes are not known. */
  private <T> T readBlock(
      Input in, InternTable<T> known, BiFunction<ClassResolver, Input, T> decoder) {
    int length = in.readBlobLength();
    T cached = known.find(in.array(), in.position(), length);
    if (cached != null) {
      in.skip(length);
      return cached;
    }
    byte[] block = in.readBytes(length);
    T decoded = decoder.apply(this, new Input(block));
    known.add(block, decoded);
    return decoded;
  }

  /** Returns the schema of the record class of a name that was read from bytes. */
  RecordSchema recordSchema(String className) {
    Class<?> type = loadAllowed("record", className);
    if (!type.isRecord()) {
      throw new MalformedException(
          className + " was written as a record but is not a record on this node");
    }
    try {
      return recordSchema(type);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Loads a class whose name was read from bytes, without initialising it, if it is allowed. */
  Class<?> loadAllowed(String what, String className) {
    if (!allowList.allowsName(className)) {
      throw new MalformedException(refusalMessage(what, className));
    }
    return loadUnchecked(what, className);
  }

  /** Loads a class that a rule other than the allow-list has accepted. */
  Class<?> loadUnchecked(String what, String className) {
    try {
      return Class.forName(className, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      String missing = ClassRefusal.missing(what, className);
      throw e instanceof ClassNotFoundException
          ? new MalformedException(missing)
          : new MalformedException(missing + ": " + e, e);
    }
  }

  /** The message for a class that is not allowed. */
  String refusalMessage(String what, String className) {
    return ClassRefusal.message(allowList, what, className);
  }

  private static Enum<?> findConstant(Class<?> type, String name) {
    Object[] constants = type.getEnumConstants();
    if (constants == null) {
      throw new MalformedException(
          type.getName() + " was written as an enum but is not an enum on this node");
    }
    for (Object constant : constants) {
      if (constant instanceof Enum<?> candidate && candidate.name().equals(name)) {
        return candidate;
      }
    }
    throw new MalformedException("enum " + type.getName() + " has no constant " + name + " here");
  }

  private static byte[] encodeConstant(Enum<?> constant) {
    Output names = new Output(64);
    names.writeString(constant.getDeclaringClass().getName());
    names.writeString(constant.name());
    return names.toBlob();
  }
}
