package io.cantle.core.codec;

import io.cantle.NamedFunctions;
import io.cantle.TypeCodecs;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.function.IntUnaryOperator;

/**
 * Converts objects to bytes and back. The first byte of every key and value names the format of the
 * rest, so that another format can be added without changing data already written:
 *
 * <ul>
 *   <li>1, Cantle's own frozen format: scalars, strings, byte arrays, enums, times, records and
 *       lists of these, and objects of classes with a user's codec. It stores names rather than
 *       positions, needs no registration of other classes, never changes, and is the only format of
 *       keys.
 *   <li>2, object graphs by Apache Fory: every other value, in memory and between nodes.
 * </ul>
 *
 * <p><b>Threading:</b> any thread.
 */
public final class Codec {
  static final int FROZEN_FORM = 1;
  static final int OBJECT_FORM = 2;

  private static final int GUESSED_BYTES = 96;

  /** The form, the tag, and a length of one byte. */
  private static final int MIN_ARRAY_BYTES = 3;

  /** The estimated size of an object of any class, by its encoded bytes. */
  private static final int DECODED_SIZE_FACTOR = 3;

  private static final int DECODED_OVERHEAD_BYTES = 48;

  /** What is longer is refused in the end, and need not be fast. */
  private static final int MAX_EXPECTED_BYTES = 16 << 20;

  private static final String PLAIN_DATA =
      "use booleans, numbers, characters, strings, byte arrays, UUIDs, enums, java.time, or records"
          + " and lists of these";
  private static final String GIVE_CODEC = ", or give its class a codec (GridConfig.codec)";
  private static final String KEY_REMEDY = PLAIN_DATA + GIVE_CODEC;

  /** A list of a value keeps its class, so it has to be of one that the format knows. */
  private static final String VALUE_REMEDY =
      PLAIN_DATA + " (made by List.of, List.copyOf or Stream.toList, or an ArrayList)" + GIVE_CODEC;

  private final ClassResolver classResolver;
  private final ImmutableTypes immutableTypes;
  private final ObjectSizes objectSizes;
  private final ForyCodec foryCodec;
  private final FunctionCodec functionCodec;
  private final boolean frozenOnly;

  /**
   * Creates a codec without named functions and user codecs.
   *
   * @param allowList the classes that may be decoded and encoded
   * @param loader finds the classes of keys, values and functions
   */
  public Codec(ClassAllowList allowList, ClassLoader loader) {
    this(allowList, loader, NamedFunctions.NONE, TypeCodecs.NONE, "");
  }

  /**
   * Creates a codec that sends some functions by name, and encodes objects of some classes with the
   * user's codecs.
   *
   * @param allowList the classes that may be decoded and encoded
   * @param loader finds the classes of keys, values and functions
   * @param registered the functions sent by name, whose classes need not be allowed
   * @param codecs the user's codecs, whose classes need not be allowed either
   * @param nodeName the node that registered both, for messages
   * @throws IllegalArgumentException if something registered is not a function, or a codec is for a
   *     class that already has a frozen format
   */
  public Codec(
      ClassAllowList allowList,
      ClassLoader loader,
      NamedFunctions registered,
      TypeCodecs codecs,
      String nodeName) {
    classResolver = new ClassResolver(allowList, loader, new UserCodecRegistry(codecs, nodeName));
    immutableTypes = new ImmutableTypes(classResolver);
    objectSizes = new ObjectSizes(classResolver);
    NamedFunctionRegistry namedFunctions = new NamedFunctionRegistry(registered, nodeName);
    foryCodec = new ForyCodec(classResolver, namedFunctions);
    functionCodec = new FunctionCodec(classResolver, this, namedFunctions);
    frozenOnly = false;
  }

  private Codec(Codec original) {
    classResolver = original.classResolver;
    immutableTypes = original.immutableTypes;
    objectSizes = original.objectSizes;
    foryCodec = original.foryCodec;
    functionCodec = original.functionCodec;
    frozenOnly = true;
  }

  /**
   * Returns the same codec for values that must be readable by later releases: it writes only the
   * frozen format.
   */
  public Codec frozenOnly() {
    return new Codec(this);
  }

  /**
   * Encodes a key. Equal keys have equal bytes, other keys have different bytes. Byte arrays are
   * compared by content.
   *
   * @throws IllegalArgumentException if a type in the key has no frozen format, a record or enum in
   *     it is not allowed, or a user's codec throws
   */
  public byte[] encodeKey(Object key) {
    if (key instanceof String string && StringEncoding.isShortAscii(string)) {
      return StringEncoding.encodeShortAscii(FROZEN_FORM, string);
    }
    Output out = new Output(expectedBytes(key));
    encodeKey(key, out);
    return out.finish();
  }

  /** Writes a key as {@link #encodeKey(Object)} encodes it. */
  public void encodeKey(Object key, Output out) {
    if (key instanceof String string && StringEncoding.isShortAscii(string)) {
      writeShortAscii(string, out);
      return;
    }
    out.writeByte(FROZEN_FORM);
    try {
      new FrozenFormatWriter(classResolver, out, true).write(key, 0);
    } catch (UnsupportedTypeException e) {
      throw new IllegalArgumentException("a key cannot hold " + e.getMessage() + ": " + KEY_REMEDY);
    }
  }

  /**
   * Returns how many bytes a key or value takes: exactly, if it is an array of bytes or a string of
   * ASCII, and otherwise a guess.
   */
  public static int expectedBytes(Object object) {
    int length =
        switch (object) {
          case String string -> string.length();
          case byte[] bytes -> bytes.length;
          default -> -1;
        };
    // The form, the tag, and the length.
    return length < 0 || length > MAX_EXPECTED_BYTES
        ? GUESSED_BYTES
        : 2 + Output.varintBytes(length) + length;
  }

  /**
   * Decodes a key.
   *
   * @throws MalformedException if the bytes are not a key, or a class or codec in it is not allowed
   *     or missing
   */
  public Object decodeKey(byte[] bytes, int offset, int length) {
    return decodeKey(new Input(bytes, offset, length));
  }

  /** Decodes a key that takes all bytes that are left. */
  public Object decodeKey(Input in) {
    int form = in.readByte();
    if (form != FROZEN_FORM) {
      throw new MalformedException("a key must have format " + FROZEN_FORM + ", not " + form);
    }
    return readFrozen(in);
  }

  /**
   * What an error names a key by: the key, or an object whose text says why this node cannot decode
   * it. It throws nothing, because the error is more important than the name.
   */
  public Object keyForError(byte[] key) {
    try {
      return decodeKey(key, 0, key.length);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      return new UnreadableKey(key.length, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Encodes a value. An {@code ArrayList} and an unmodifiable list keep their kind.
   *
   * @throws IllegalArgumentException if a class in it is not allowed or cannot be encoded, or a
   *     user's codec throws; then nothing has been written
   */
  public void encodeValue(Object value, Output out) {
    if (value instanceof String string && StringEncoding.isShortAscii(string)) {
      writeShortAscii(string, out);
      return;
    }
    int start = out.position();
    try {
      encodeValue(value, out, start);
    } catch (RuntimeException e) {
      out.truncate(start);
      throw e;
    }
  }

  /** Writes what the writer of the frozen format would, without making one. */
  private static void writeShortAscii(String string, Output out) {
    out.writeByte(FROZEN_FORM);
    out.writeByte(ValueTag.STRING);
    out.writeAscii(string);
  }

  private void encodeValue(Object value, Output out, int start) {
    try {
      out.writeByte(FROZEN_FORM);
      new FrozenFormatWriter(classResolver, out, false).write(value, 0);
    } catch (UnsupportedTypeException e) {
      if (frozenOnly) {
        throw new IllegalArgumentException(
            ("a cache that is kept on disk cannot hold, compare with or stream %s, because a later"
                    + " release might not be able to read it: %s")
                .formatted(e.getMessage(), VALUE_REMEDY));
      }
      out.truncate(start);
      out.writeByte(OBJECT_FORM);
      foryCodec.encode(value, out);
    }
  }

  /** Returns the bytes of a value, as {@link #encodeValue(Object, Output)} writes them. */
  public byte[] encodeValue(Object value) {
    Output out = new Output(expectedBytes(value));
    encodeValue(value, out);
    return out.finish();
  }

  /**
   * Decodes a value, as a new object each time.
   *
   * @throws MalformedException if the bytes are not a value, or a class or codec in it is not
   *     allowed or missing
   */
  public Object decodeValue(byte[] bytes, int offset, int length) {
    return decodeValue(new Input(bytes, offset, length));
  }

  /**
   * Where the content of an array of bytes begins in its encoding, which it takes to the end; -1 if
   * a value is not such an array. The bytes may be any, and are not looked at any further.
   *
   * @param byteAt reads a byte of the value
   * @param length the length of the value
   */
  public static int beginOfArray(IntUnaryOperator byteAt, int length) {
    if (length < MIN_ARRAY_BYTES
        || byteAt.applyAsInt(0) != FROZEN_FORM
        || byteAt.applyAsInt(1) != ValueTag.BYTES) {
      return -1;
    }
    int begin = MIN_ARRAY_BYTES;
    while (begin < length && byteAt.applyAsInt(begin - 1) < 0) {
      begin++;
    }
    return begin;
  }

  /**
   * Whether nobody can change a value, so that all may have the same object: see {@link
   * ImmutableTypes}.
   */
  public boolean isImmutable(Object value) {
    return immutableTypes.isImmutable(value);
  }

  /**
   * What a decoded object takes in the heap, the same each time.
   *
   * @param encodedLength the length of the bytes that it was decoded of, by which the size of a
   *     class that is not known is estimated
   */
  public long heapBytes(Object decoded, int encodedLength) {
    if (decoded instanceof String text && StringEncoding.isAscii(text, encodedLength)) {
      return ObjectSizes.asciiBytes(text);
    }
    long bytes = objectSizes.heapBytes(decoded);
    return bytes == ObjectSizes.UNKNOWN
        ? (long) encodedLength * DECODED_SIZE_FACTOR + DECODED_OVERHEAD_BYTES
        : bytes;
  }

  /**
   * Whether an encoded key or value is one of the JDK's objects that nobody can change, and neither
   * a list nor a constant of an enum. To decode one runs no code of a user, and to encode it again
   * gives the same bytes.
   */
  public static boolean isSimple(byte[] bytes, int offset) {
    if (offset + 1 >= bytes.length || bytes[offset] != FROZEN_FORM) {
      return false;
    }
    int tag = bytes[offset + 1];
    return tag != ValueTag.BYTES && tag != ValueTag.ENUM && tag < ValueTag.LIST;
  }

  /**
   * How many bytes an object takes in the heap, the same each time; -1 if that is not known, where
   * {@link #heapBytes} estimates.
   */
  public long knownHeapBytes(Object object) {
    return objectSizes.heapBytes(object);
  }

  /** Whether the bytes that are left are an object graph, in which functions may be. */
  static boolean isObjectGraph(Input in) {
    return in.remaining() > 0 && in.array()[in.position()] == OBJECT_FORM;
  }

  /** Decodes a value that takes all bytes that are left. */
  public Object decodeValue(Input in) {
    int form = in.readByte();
    return switch (form) {
      case FROZEN_FORM -> readFrozen(in);
      case OBJECT_FORM -> foryCodec.decode(in.array(), in.position(), in.remaining());
      default -> throw new MalformedException("unknown format of a value: " + form);
    };
  }

  /**
   * Encodes a function. A registered function is written as its name. A serializable lambda or
   * method reference is written as its location in the code and its captured values. Anything else
   * is written as a value.
   *
   * @throws IllegalArgumentException if the function is not serializable, comes from a class that
   *     is not allowed, or captures something that is not allowed
   */
  public void encodeFunction(Object function, Output out) {
    functionCodec.encode(function, out);
  }

  /**
   * Reads exactly what {@link #encodeFunction} wrote. A lambda that captures nothing may be the
   * same object each time.
   *
   * @param captures is to know what the function has captured
   * @throws MalformedException if the bytes are not a function, or its class is not allowed,
   *     missing or different
   */
  public Object decodeFunction(Input in, CaptureSnapshot captures) {
    return functionCodec.decode(in, captures);
  }

  private Object readFrozen(Input in) {
    Object value = new FrozenFormatReader(classResolver, in).readAll();
    if (value == null) {
      throw new MalformedException("null was written as a key or a value");
    }
    return value;
  }
}
