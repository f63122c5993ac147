package io.cantle.core.codec;

import io.cantle.NamedFunctions;
import io.cantle.TypeCodecs;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * Objects to bytes and back. The first byte of every key and value names the form of the rest, so
 * that another form can come beside these without a change of what is already written:
 *
 * <ul>
 *   <li>1, the frozen form of our own: scalars, strings, byte arrays, enums, times, records and
 *       lists of these; and objects of classes that have a codec of the user's. It carries names
 *       and not positions, needs no other class registered, never changes, and is the only form of
 *       keys.
 *   <li>2, object graphs by Apache Fory: every other value, in memory and between nodes.
 * </ul>
 *
 * <p><b>Threading:</b> any thread.
 */
public final class Codec {
  static final int FROZEN_FORM = 1;
  static final int OBJECT_FORM = 2;

  private static final String REMEDY =
      "use booleans, numbers, characters, strings, byte arrays, UUIDs, enums, java.time, or records"
          + " and lists of these, or give its class a codec (GridConfig.codec)";

  private final ClassResolver classResolver;
  private final ForyCodec foryCodec;
  private final FunctionCodec functionCodec;
  private final boolean frozenOnly;

  /**
   * A codec.
   *
   * @param allowList which classes may come out of bytes, and go in
   * @param loader finds the classes of keys, values and functions
   */
  public Codec(ClassAllowList allowList, ClassLoader loader) {
    this(allowList, loader, NamedFunctions.NONE, TypeCodecs.NONE, "");
  }

  /**
   * A codec that sends some functions by name, and writes objects of some classes as the user does.
   *
   * @param allowList which classes may come out of bytes, and go in
   * @param loader finds the classes of keys, values and functions
   * @param registered what travels by name; of no class that has to be allowed
   * @param codecs the user's own, whose classes need not be allowed either
   * @param nodeName whose functions and codecs these are, for messages
   * @throws IllegalArgumentException when something registered is no function, or of a class that
   *     has a frozen form
   */
  public Codec(
      ClassAllowList allowList,
      ClassLoader loader,
      NamedFunctions registered,
      TypeCodecs codecs,
      String nodeName) {
    classResolver = new ClassResolver(allowList, loader, new UserCodecRegistry(codecs, nodeName));
    NamedFunctionRegistry namedFunctions = new NamedFunctionRegistry(registered, nodeName);
    foryCodec = new ForyCodec(classResolver, namedFunctions);
    functionCodec = new FunctionCodec(classResolver, this, namedFunctions);
    frozenOnly = false;
  }

  private Codec(Codec original) {
    classResolver = original.classResolver;
    foryCodec = original.foryCodec;
    functionCodec = original.functionCodec;
    frozenOnly = true;
  }

  /** The same for values that outlive their release: they are written in the frozen form only. */
  public Codec frozenOnly() {
    return new Codec(this);
  }

  /**
   * The bytes that stand for a key: the same for equal keys, different for others. Arrays of bytes
   * count by content.
   *
   * @throws IllegalArgumentException when a type in the key is none of the frozen form, a record or
   *     enum of it is not allowed, or a codec of the user's throws
   */
  public byte[] encodeKey(Object key) {
    Output out = new Output(64);
    out.writeByte(FROZEN_FORM);
    try {
      new FrozenFormatWriter(classResolver, out, true).write(key, 0);
    } catch (UnsupportedTypeException e) {
      throw new IllegalArgumentException("a key cannot hold " + e.getMessage() + ": " + REMEDY);
    }
    return out.toByteArray();
  }

  /**
   * The key that these bytes stand for.
   *
   * @throws MalformedException when they are no key, or a class or codec in it is not allowed or
   *     not there
   */
  public Object decodeKey(byte[] bytes, int offset, int length) {
    Input in = new Input(bytes, offset, length);
    int form = in.readByte();
    if (form != FROZEN_FORM) {
      throw new MalformedException("a key has the form " + FROZEN_FORM + " and not " + form);
    }
    return readFrozen(in);
  }

  /**
   * Writes a value. An {@code ArrayList} and an unmodifiable list keep their kind.
   *
   * @throws IllegalArgumentException when a class in it is not allowed or cannot be taken apart, or
   *     a codec of the user's throws; then nothing has been written
   */
  public void encodeValue(Object value, Output out) {
    int start = out.position();
    try {
      out.writeByte(FROZEN_FORM);
      new FrozenFormatWriter(classResolver, out, false).write(value, 0);
    } catch (UnsupportedTypeException e) {
      out.truncate(start);
      if (frozenOnly) {
        throw new IllegalArgumentException(
            "a cache that is kept on disk takes no "
                + e.getMessage()
                + ", to hold, to compare with or in a stream, for no later release might read it: "
                + REMEDY);
      }
      out.writeByte(OBJECT_FORM);
      try {
        foryCodec.encode(value, out);
      } catch (RuntimeException refused) {
        out.truncate(start);
        throw refused;
      }
    } catch (RuntimeException e) {
      out.truncate(start);
      throw e;
    }
  }

  /** The bytes of a value, as {@link #encodeValue(Object, Output)} writes them. */
  public byte[] encodeValue(Object value) {
    Output out = new Output(128);
    encodeValue(value, out);
    return out.toByteArray();
  }

  /**
   * The value that these bytes stand for, a new object each time.
   *
   * @throws MalformedException when they are no value, or a class or codec in it is not allowed or
   *     not there
   */
  public Object decodeValue(byte[] bytes, int offset, int length) {
    Input in = new Input(bytes, offset, length);
    int form = in.readByte();
    return switch (form) {
      case FROZEN_FORM -> readFrozen(in);
      case OBJECT_FORM -> foryCodec.decode(bytes, offset + 1, length - 1);
      default -> throw new MalformedException("no value has the form " + form);
    };
  }

  /**
   * Writes a function: one that is registered as its name, a serializable lambda or method
   * reference as where it stands in the code and what it captures, anything else as a value.
   *
   * @throws IllegalArgumentException when it is not serializable, comes from a class that is not
   *     allowed, or captures what is not
   */
  public void encodeFunction(Object function, Output out) {
    functionCodec.encode(function, out);
  }

  /**
   * Reads exactly what {@link #encodeFunction} wrote. A lambda that captures nothing may be the
   * same object each time.
   *
   * @throws MalformedException when it is none, or its class is not allowed, not there or different
   */
  public Object decodeFunction(Input in) {
    return functionCodec.decode(in);
  }

  private Object readFrozen(Input in) {
    Object value = new FrozenFormatReader(classResolver, in).readAll();
    if (value == null) {
      throw new MalformedException("null was written as a key or a value");
    }
    return value;
  }
}
