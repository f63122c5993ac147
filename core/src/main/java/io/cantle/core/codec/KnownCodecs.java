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
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The user's own codecs. What they write has a length, so whoever has no use for it need not ask
 * them, and what they do wrong stays within it: a codec works on bytes of its own, and whatever it
 * throws is told with its name.
 *
 * <p><b>Threading:</b> immutable; runs what the user wrote on the calling thread.
 */
final class KnownCodecs {
  /** As long as the longest value: more fits nowhere, and a codec may write without end. */
  static final int MAX_BYTES = 16 << 20;

  private static final int MAX_NAME_BYTES = 100;

  /** Frozen in tags of their own; besides these the unmodifiable lists. */
  private static final Set<Class<?>> TAGGED =
      Set.of(
          Boolean.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          Character.class,
          String.class,
          BigInteger.class,
          BigDecimal.class,
          UUID.class,
          Instant.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class,
          Duration.class,
          Period.class,
          Year.class,
          YearMonth.class,
          MonthDay.class,
          ZoneOffset.class,
          OffsetTime.class,
          OffsetDateTime.class,
          ZonedDateTime.class,
          ArrayList.class);

  private final Map<Class<?>, Known> byType = new HashMap<>();
  private final Map<String, Known> byName = new HashMap<>();
  private final String nodeName;

  /** A codec, which is asked for its name and class once; equal to itself alone. */
  static final class Known {
    private final String name;
    private final Class<?> type;
    private final TypeCodec<?> codec;

    private Known(TypeCodec<?> codec) {
      this.name = codec.name();
      this.type = codec.type();
      this.codec = codec;
    }

    String name() {
      return name;
    }

    Class<?> type() {
      return type;
    }

    @Override
    public String toString() {
      return "codec \"" + name + "\" of " + type.getTypeName();
    }
  }

  /**
   * What a node has registered.
   *
   * @throws IllegalArgumentException when the frozen form has a type already
   */
  KnownCodecs(TypeCodecs codecs, String nodeName) {
    this.nodeName = nodeName;
    for (TypeCodec<?> codec : codecs.all()) {
      Known known = new Known(codec);
      if (TAGGED.contains(known.type) || Classes.isUnmodifiable(known.type)) {
        throw new IllegalArgumentException(
            "GridConfig.codec \""
                + known.name
                + "\" is of "
                + known.type.getTypeName()
                + ", which has a form of its own that is fit to keep, and takes no other");
      }
      byType.put(known.type, known);
      byName.put(known.name, known);
    }
  }

  /** The codec of an object; null for none. */
  @Nullable Known of(Object value) {
    if (byType.isEmpty()) {
      return null;
    }
    return byType.get(typeOf(value));
  }

  /**
   * The codec for objects of this class within graphs of others; null for none. Fory has ways of
   * its own with collections, maps and enums, which it takes apart itself.
   */
  @Nullable Known inObjects(Class<?> type) {
    Known known = byType.get(type);
    return known == null
            || type.isEnum()
            || Collection.class.isAssignableFrom(type)
            || Map.class.isAssignableFrom(type)
        ? null
        : known;
  }

  /** The classes that {@link #inObjects} has a codec for. */
  List<Class<?>> typesInObjects() {
    return byType.keySet().stream().filter(type -> inObjects(type) != null).toList();
  }

  /**
   * Writes an object, its length first.
   *
   * @throws IllegalArgumentException when the codec throws or writes too much
   */
  void write(Known known, Object value, Output out) {
    Payload payload = new Payload();
    try {
      write(known.codec, value, payload);
    } catch (IOException | RuntimeException | StackOverflowError e) {
      if (!payload.isFull) {
        throw new IllegalArgumentException(
            known + " cannot write an object on node " + nodeName + ": " + e, e);
      }
    }
    if (payload.isFull) {
      throw new IllegalArgumentException(
          known + " writes an object of more than " + MAX_BYTES + " bytes, the longest of values");
    }
    out.writeBlob(payload.bytes.array(), 0, payload.bytes.position());
  }

  /** Reads the name of a codec, which need not be known here. */
  static String readName(Input in) {
    return Text.readString(in, MAX_NAME_BYTES);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedException when nothing of this name is registered, or the codec throws or does
   *     not read exactly that
   */
  Object read(String name, Input in) {
    Known known = byName.get(name);
    if (known == null) {
      throw new MalformedException(
          "codec \""
              + name
              + "\" is not registered on node "
              + nodeName
              + ": start every node with a GridConfig.codec of this name before one of them"
              + " uses it, and as long as a cache holds what it wrote");
    }
    int length = Text.readLength(in);
    ByteArrayInputStream bytes = new ByteArrayInputStream(in.array(), in.position(), length);
    in.skip(length);
    @Nullable Object value;
    try {
      value = known.codec.read(new DataInputStream(bytes));
    } catch (IOException | RuntimeException | StackOverflowError e) {
      throw malformed(known, "cannot read what are " + length + " bytes here: " + e, e);
    }
    if (bytes.available() != 0) {
      throw malformed(known, "left " + bytes.available() + " of " + length + " bytes unread", null);
    }
    if (value == null) {
      throw malformed(known, "has read null", null);
    }
    if (typeOf(value) != known.type) {
      throw malformed(known, "has read a " + value.getClass().getTypeName(), null);
    }
    return value;
  }

  private static Class<?> typeOf(Object value) {
    // Where a constant has a body, its class is one of its own.
    return value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass();
  }

  // Objects of that very class are given to it, and no others.
  @SuppressWarnings("unchecked")
  private static void write(TypeCodec<?> codec, Object value, Payload payload) throws IOException {
    ((TypeCodec<Object>) codec).write(value, new DataOutputStream(payload));
  }

  private MalformedException malformed(Known known, String what, @Nullable Throwable cause) {
    MalformedException malformed =
        new MalformedException(known + " on node " + nodeName + " " + what);
    if (cause != null) {
      malformed.initCause(cause);
    }
    return malformed;
  }

  /** What one call of a codec writes; what it writes after that goes nowhere. */
  private static final class Payload extends OutputStream {
    private final Output bytes = new Output(64);

    /** Stays, as the codec may swallow the exception. */
    private boolean isFull;

    @Override
    public void write(int value) throws IOException {
      need(1);
      bytes.writeByte(value);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      need(length);
      bytes.write(source, offset, length);
    }

    private void need(int length) throws IOException {
      if (isFull || length > MAX_BYTES - bytes.position()) {
        isFull = true;
        throw new IOException("more than " + MAX_BYTES + " bytes");
      }
    }
  }
}
