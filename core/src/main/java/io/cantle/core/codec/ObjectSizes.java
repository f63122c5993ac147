package io.cantle.core.codec;

import static io.cantle.core.memory.ObjectLayout.REFERENCE_BYTES;
import static io.cantle.core.memory.ObjectLayout.arrayBytes;
import static io.cantle.core.memory.ObjectLayout.objectBytes;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an object takes in the heap, for the account of decoded objects. It is computed from what
 * the object says of itself, and is the same each time: what is counted when an object is kept is
 * counted again when it is dropped. So only objects have a size of which nothing that counts can
 * change.
 *
 * <p>What a program has only once, such as enum constants and small numbers, takes nothing here. An
 * object that several others refer to counts for each of them.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ObjectSizes {
  /** The size of an object is not known. */
  static final long UNKNOWN = -1;

  private static final int STRING_BYTES = objectBytes(1, Integer.BYTES + 2);
  private static final int BOXED_INT_BYTES = objectBytes(0, Integer.BYTES);
  private static final int BOXED_LONG_BYTES = objectBytes(0, Long.BYTES);
  private static final int TWO_LONGS_BYTES = objectBytes(0, 2 * Long.BYTES);
  private static final int BIG_INTEGER_BYTES = objectBytes(1, 5 * Integer.BYTES);
  private static final int BIG_DECIMAL_BYTES = objectBytes(2, 2 * Integer.BYTES + Long.BYTES);
  private static final int DATE_BYTES = objectBytes(0, 2 * Integer.BYTES);
  private static final int TIME_BYTES = objectBytes(0, 3 + Integer.BYTES);
  private static final int DATE_TIME_BYTES = objectBytes(2, 0) + DATE_BYTES + TIME_BYTES;
  private static final int INSTANT_BYTES = objectBytes(0, Long.BYTES + Integer.BYTES);
  private static final int SHORT_LIST_BYTES = objectBytes(2, 0);
  private static final int LIST_BYTES = objectBytes(1, 1);

  /** {@code List.of} has a class for one or two elements. */
  private static final Class<?> SHORT_LIST = List.of(1).getClass();

  private static final Class<?> LIST = List.of(1, 2, 3).getClass();

  private final ClassResolver classResolver;

  /** What records take without what they refer to. */
  private final ClassValue<Integer> recordBytes =
      new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
          int references = 0;
          int primitiveBytes = 0;
          for (RecordComponent component : type.getRecordComponents()) {
            if (component.getType().isPrimitive()) {
              primitiveBytes += bytesOf(component.getType());
            } else {
              references++;
            }
          }
          return objectBytes(references, primitiveBytes);
        }
      };

  ObjectSizes(ClassResolver classResolver) {
    this.classResolver = classResolver;
  }

  private static int bytesOf(Class<?> primitive) {
    if (primitive == boolean.class || primitive == byte.class) {
      return 1;
    }
    if (primitive == long.class || primitive == double.class) {
      return Long.BYTES;
    }
    return primitive == short.class || primitive == char.class ? Short.BYTES : Integer.BYTES;
  }

  /** Returns what an object takes, with all that it refers to; {@link #UNKNOWN} if not known. */
  long heapBytes(@Nullable Object value) {
    return switch (value) {
      case null -> 0;
      case String text -> STRING_BYTES + textBytes(text);
      case Boolean _, Byte _, Enum<?> _ -> 0;
      case Integer number -> isCached(number) ? 0 : BOXED_INT_BYTES;
      case Long number -> isCached(number) ? 0 : BOXED_LONG_BYTES;
      case Short number -> isCached(number) ? 0 : BOXED_INT_BYTES;
      case Character character -> isCached(character) ? 0 : BOXED_INT_BYTES;
      case Float _ -> BOXED_INT_BYTES;
      case Double _ -> BOXED_LONG_BYTES;
      case UUID _ -> TWO_LONGS_BYTES;
      case BigInteger number when number.getClass() == BigInteger.class -> bigBytes(number);
      case BigDecimal number when number.getClass() == BigDecimal.class -> bigBytes(number);
      case LocalDate _ -> DATE_BYTES;
      case LocalTime _ -> TIME_BYTES;
      case LocalDateTime _ -> DATE_TIME_BYTES;
      case ZonedDateTime _ -> objectBytes(3, 0) + DATE_TIME_BYTES;
      case OffsetDateTime _ -> SHORT_LIST_BYTES + DATE_TIME_BYTES;
      case Instant _, Duration _ -> INSTANT_BYTES;
      case byte[] array -> arrayBytes(array.length, 1);
      case int[] array -> arrayBytes(array.length, Integer.BYTES);
      case long[] array -> arrayBytes(array.length, Long.BYTES);
      case double[] array -> arrayBytes(array.length, Double.BYTES);
      case Record record -> recordBytes(record);
      case List<?> list when list.getClass() == SHORT_LIST -> elementBytes(list, SHORT_LIST_BYTES);
      case List<?> list when list.getClass() == LIST ->
          elementBytes(list, LIST_BYTES + arrayBytes(list.size(), REFERENCE_BYTES));
      default -> UNKNOWN;
    };
  }

  /** What a string of ASCII takes. */
  static long asciiBytes(String text) {
    return STRING_BYTES + arrayBytes(text.length(), 1);
  }

  /** A string has one byte for each character if all are of Latin-1. */
  private static long textBytes(String text) {
    int length = text.length();
    int bits = 0;
    for (int i = 0; i < length; i++) {
      bits |= text.charAt(i);
    }
    return arrayBytes(length, bits < 0x100 ? 1 : Character.BYTES);
  }

  /** Whether boxing this number makes no object. */
  private static boolean isCached(long number) {
    return number >= Byte.MIN_VALUE && number <= Byte.MAX_VALUE;
  }

  private static long bigBytes(BigInteger number) {
    return BIG_INTEGER_BYTES + arrayBytes(number.bitLength() / Integer.SIZE + 1L, Integer.BYTES);
  }

  /** Digits that fit a {@code long} need no other object. */
  private static long bigBytes(BigDecimal number) {
    BigInteger unscaled = number.unscaledValue();
    return BIG_DECIMAL_BYTES + (unscaled.bitLength() < Long.SIZE ? 0 : bigBytes(unscaled));
  }

  private long elementBytes(List<?> list, long ownBytes) {
    long bytes = ownBytes;
    for (Object element : list) {
      long more = heapBytes(element);
      if (more == UNKNOWN) {
        return UNKNOWN;
      }
      bytes += more;
    }
    return bytes;
  }

  private long recordBytes(Record record) {
    RecordSchema schema;
    try {
      schema = classResolver.recordSchema(record.getClass());
    } catch (IllegalArgumentException e) {
      // It is not open to this module.
      return UNKNOWN;
    }
    long bytes = recordBytes.get(record.getClass());
    for (RecordSchema.Component component : schema.components()) {
      long more = component.type().isPrimitive() ? 0 : heapBytes(component.read(record));
      if (more == UNKNOWN) {
        return UNKNOWN;
      }
      bytes += more;
    }
    return bytes;
  }
}
