package io.cantle.core.codec;

import io.cantle.TypeCodec;
import io.cantle.TypeCodecs;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The user's codecs of a node. The output of a codec is stored with its length, so a reader can
 * skip it without the codec. A faulty codec does no further harm: it works on bytes of its own, and
 * whatever it throws is reported with its name.
 *
 * <p><b>Threading:</b> immutable; runs the user's code on the calling thread.
 */
final class UserCodecRegistry {
  /** The length of the longest value. More fits nowhere, and a codec might write without end. */
  static final int MAX_BYTES = 16 << 20;

  private static final int MAX_NAME_BYTES = 100;

  private final Map<Class<?>, RegisteredCodec> byType = new HashMap<>();
  private final Map<String, RegisteredCodec> byName = new HashMap<>();
  private final String nodeName;

  /** A codec, with its name and class, which are requested only once. */
  record RegisteredCodec(String name, Class<?> type, TypeCodec<?> codec) {
    @Override
    public String toString() {
      return "codec \"" + name + "\" of " + type.getTypeName();
    }
  }

  /**
   * Creates the registry of a node.
   *
   * @throws IllegalArgumentException if a type already has a frozen format
   */
  UserCodecRegistry(TypeCodecs codecs, String nodeName) {
    this.nodeName = nodeName;
    for (TypeCodec<?> codec : codecs.all()) {
      RegisteredCodec registered = new RegisteredCodec(codec.name(), codec.type(), codec);
      if (PlatformTypes.hasFrozenFormat(registered.type.getName())
          || ClassResolver.isUnmodifiableList(registered.type)) {
        throw new IllegalArgumentException(
            ("GridConfig.codec \"%s\" is of %s, which already has a frozen format of its own and"
                    + " cannot have a codec")
                .formatted(registered.name, registered.type.getTypeName()));
      }
      byType.put(registered.type, registered);
      byName.put(registered.name, registered);
    }
  }

  /** Whether there is a codec for objects of exactly this class. */
  boolean hasCodecFor(Class<?> type) {
    return byType.containsKey(type);
  }

  /** The codec for an object, or null if there is none. */
  @Nullable RegisteredCodec find(Object value) {
    return byType.isEmpty() ? null : byType.get(typeOf(value));
  }

  /**
   * The codec for objects of this class within object graphs, or null if there is none. Fory
   * handles collections, maps and enums itself.
   */
  @Nullable RegisteredCodec findForGraph(Class<?> type) {
    RegisteredCodec registered = byType.get(type);
    return registered == null
            || type.isEnum()
            || Collection.class.isAssignableFrom(type)
            || Map.class.isAssignableFrom(type)
        ? null
        : registered;
  }

  /** The classes for which {@link #findForGraph} has a codec. */
  List<Class<?>> graphTypes() {
    return byType.keySet().stream().filter(type -> findForGraph(type) != null).toList();
  }

  /**
   * Writes an object, preceded by its length.
   *
   * @throws IllegalArgumentException if the codec throws or writes too much
   */
  void write(RegisteredCodec registered, Object value, Output out) {
    BoundedOutput payload = new BoundedOutput();
    try {
      write(registered.codec, value, payload);
    } catch (IOException | RuntimeException | StackOverflowError e) {
      if (!payload.isFull) {
        throw new IllegalArgumentException(
            registered + " cannot write an object on node " + nodeName + ": " + e, e);
      }
    }
    if (payload.isFull) {
      throw new IllegalArgumentException(
          "%s writes an object of more than %s bytes, the limit for a value"
              .formatted(registered, MAX_BYTES));
    }
    out.writeBlob(payload.bytes.array(), 0, payload.bytes.position());
  }

  /** Reads the name of a codec, which need not be registered here. */
  static String readName(Input in) {
    return in.readString(MAX_NAME_BYTES);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedException if no codec of this name is registered, or the codec throws or does
   *     not read exactly those bytes
   */
  Object read(String name, Input in) {
    RegisteredCodec registered = byName.get(name);
    if (registered == null) {
      throw new MalformedException(
          ("codec \"%s\" is not registered on node %s: start every node with a GridConfig.codec of"
                  + " this name before one of them uses it, and as long as a cache holds what it"
                  + " wrote")
              .formatted(name, nodeName));
    }
    int length = in.readBlobLength();
    ByteArrayInputStream bytes = new ByteArrayInputStream(in.array(), in.position(), length);
    in.skip(length);
    @Nullable Object value;
    try {
      value = registered.codec.read(new DataInputStream(bytes));
    } catch (IOException | RuntimeException | StackOverflowError e) {
      throw malformedException(registered, "cannot read " + length + " bytes: " + e, e);
    }
    if (bytes.available() != 0) {
      throw malformedException(
          registered, "left " + bytes.available() + " of " + length + " bytes unread", null);
    }
    if (value == null) {
      throw malformedException(registered, "has read null", null);
    }
    if (typeOf(value) != registered.type) {
      throw malformedException(registered, "has read a " + value.getClass().getTypeName(), null);
    }
    return value;
  }

  private static Class<?> typeOf(Object value) {
    // A constant with a body has a class of its own.
    return value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass();
  }

  // A codec is only given objects of exactly its class.
  @SuppressWarnings("unchecked")
  private static void write(TypeCodec<?> codec, Object value, BoundedOutput payload)
      throws IOException {
    ((TypeCodec<Object>) codec).write(value, new DataOutputStream(payload));
  }

  private MalformedException malformedException(
      RegisteredCodec registered, String problem, @Nullable Throwable cause) {
    return new MalformedException(registered + " on node " + nodeName + " " + problem, cause);
  }

  /** Collects what one call of a codec writes, up to the limit; further bytes are refused. */
  private static final class BoundedOutput extends OutputStream {
    private final Output bytes = new Output(64);

    /** Remembered, because the codec may swallow the exception. */
    private boolean isFull;

    @Override
    public void write(int value) throws IOException {
      requireRoom(1);
      bytes.writeByte(value);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      requireRoom(length);
      bytes.write(source, offset, length);
    }

    private void requireRoom(int length) throws IOException {
      if (isFull || length > MAX_BYTES - bytes.position()) {
        isFull = true;
        throw new IOException("more than " + MAX_BYTES + " bytes");
      }
    }
  }
}
