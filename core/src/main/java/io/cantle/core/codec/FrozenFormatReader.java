package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
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
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads one payload of the frozen format. Reading ends whatever the bytes are: depth is limited,
 * counts are limited by the remaining bytes, and classes by the allow-list and the user's codecs.
 *
 * <p><b>Threading:</b> one thread, for one payload.
 */
final class FrozenFormatReader {
  private final ClassResolver classResolver;
  private final Input in;
  private @Nullable WriterSchema firstSchema;
  private @Nullable List<WriterSchema> moreSchemas;
  private @Nullable List<String> codecNames;

  /** Creates a reader that starts at the position of the input. */
  FrozenFormatReader(ClassResolver classResolver, Input in) {
    this.classResolver = classResolver;
    this.in = in;
  }

  /**
   * Reads an object, which must take all remaining bytes.
   *
   * @throws MalformedException if the bytes violate the format or name a class that is not allowed
   */
  @Nullable Object readAll() {
    Object value;
    try {
      value = read(0, true);
    } catch (DateTimeException | ArithmeticException e) {
      throw new MalformedException("invalid date or time: " + e.getMessage());
    }
    in.requireEndOf("a value");
    return value;
  }

  /**
   * Reads an object.
   *
   * @param isNeeded whether the object is needed; if not, its classes are not looked up, and the
   *     result is meaningless
   */
  private @Nullable Object read(int depth, boolean isNeeded) {
    int tag = in.readByte();
    return switch (tag) {
      case ValueTag.NULL -> null;
      case ValueTag.FALSE -> false;
      case ValueTag.TRUE -> true;
      case ValueTag.BYTE -> (byte) in.readByte();
      case ValueTag.SHORT -> (short) readZigzag(Short.MIN_VALUE, Short.MAX_VALUE);
      case ValueTag.INTEGER -> readInteger();
      case ValueTag.LONG -> readZigzag();
      case ValueTag.FLOAT -> Float.intBitsToFloat(in.readInt());
      case ValueTag.DOUBLE -> Double.longBitsToDouble(in.readLong());
      case ValueTag.CHARACTER -> readChar();
      case ValueTag.STRING -> in.readString();
      case ValueTag.CHARS -> readChars();
      case ValueTag.BYTES -> in.readBlob();
      case ValueTag.BIG_INTEGER -> readBigInteger();
      case ValueTag.BIG_DECIMAL -> {
        int scale = readInteger();
        BigInteger unscaled = readBigInteger();
        // As the program makes it: what fits a long needs no other object.
        yield unscaled.bitLength() < Long.SIZE
            ? BigDecimal.valueOf(unscaled.longValue(), scale)
            : new BigDecimal(unscaled, scale);
      }
      case ValueTag.UUID -> in.readId();
      case ValueTag.ENUM -> isNeeded ? classResolver.readConstant(in) : skipBlob();
      case ValueTag.LIST -> toUnmodifiable(readElements(depth, isNeeded));
      case ValueTag.ARRAY_LIST -> readElements(depth, isNeeded);
      case ValueTag.RECORD -> readRecord(readSchema(), depth, isNeeded);
      case ValueTag.RECORD_AGAIN -> readRecord(readSchemaReference(), depth, isNeeded);
      case ValueTag.CODED -> readWithCodec(readCodecName(), isNeeded);
      case ValueTag.CODED_AGAIN -> readWithCodec(readCodecReference(), isNeeded);
      default -> readTime(tag);
    };
  }

  private @Nullable Object readWithCodec(String codec, boolean isNeeded) {
    return isNeeded ? classResolver.codecs().read(codec, in) : skipBlob();
  }

  private @Nullable Object skipBlob() {
    in.skip(in.readBlobLength());
    return null;
  }

  private String readCodecName() {
    String codec = UserCodecRegistry.readName(in);
    if (codecNames == null) {
      codecNames = new ArrayList<>(1);
    }
    codecNames.add(codec);
    return codec;
  }

  private String readCodecReference() {
    int index = in.readCount();
    if (codecNames == null || index >= codecNames.size()) {
      throw new MalformedException(
          "an object refers to a codec name that did not occur before, at index " + index);
    }
    return codecNames.get(index);
  }

  private Object readTime(int tag) {
    return switch (tag) {
      case ValueTag.INSTANT -> Instant.ofEpochSecond(readZigzag(), readNanos());
      case ValueTag.LOCAL_DATE -> LocalDate.ofEpochDay(readZigzag());
      case ValueTag.LOCAL_TIME -> readLocalTime();
      case ValueTag.LOCAL_DATE_TIME -> readLocalDateTime();
      case ValueTag.DURATION -> Duration.ofSeconds(readZigzag(), readNanos());
      case ValueTag.PERIOD -> Period.of(readInteger(), readInteger(), readInteger());
      case ValueTag.YEAR -> Year.of(readInteger());
      case ValueTag.YEAR_MONTH -> YearMonth.of(readInteger(), in.readByte());
      case ValueTag.MONTH_DAY -> MonthDay.of(in.readByte(), in.readByte());
      case ValueTag.ZONE_OFFSET -> readOffset();
      case ValueTag.ZONE_REGION -> ZoneId.of(in.readString());
      case ValueTag.OFFSET_TIME -> OffsetTime.of(readLocalTime(), readOffset());
      case ValueTag.OFFSET_DATE_TIME -> OffsetDateTime.of(readLocalDateTime(), readOffset());
      case ValueTag.ZONED_DATE_TIME -> readZonedDateTime();
      default -> throw new MalformedException("unknown type tag " + tag);
    };
  }

  private ZonedDateTime readZonedDateTime() {
    LocalDateTime time = readLocalDateTime();
    ZoneOffset offset = readOffset();
    int tag = in.readByte();
    if (tag != ValueTag.ZONE_REGION && tag != ValueTag.ZONE_OFFSET) {
      throw new MalformedException("a time zone cannot have the tag " + tag);
    }
    return ZonedDateTime.ofInstant(time, offset, (ZoneId) readTime(tag));
  }

  private List<@Nullable Object> readElements(int depth, boolean isNeeded) {
    checkDepth(depth);
    int count = in.readCount(in.remaining());
    // The count must not determine memory: nested lists could each claim all the remaining bytes.
    List<@Nullable Object> elements = new ArrayList<>(Math.min(count, 64));
    for (int i = 0; i < count; i++) {
      elements.add(read(depth + 1, isNeeded));
    }
    return elements;
  }

  private static List<@Nullable Object> toUnmodifiable(List<@Nullable Object> elements) {
    return elements.contains(null) ? Collections.unmodifiableList(elements) : List.copyOf(elements);
  }

  private @Nullable Object readRecord(WriterSchema writerSchema, int depth, boolean isNeeded) {
    checkDepth(depth);
    if (!isNeeded) {
      for (int i = 0; i < writerSchema.componentCount(); i++) {
        read(depth + 1, false);
      }
      return null;
    }
    WriterSchema.SchemaBinding binding = writerSchema.resolveBinding(classResolver);
    RecordSchema schema = binding.schema();
    @Nullable Object[] arguments = schema.newArguments();
    for (int target : binding.targetIndexes()) {
      Object value = read(depth + 1, target >= 0);
      if (target >= 0) {
        arguments[target] = schema.adapt(target, value);
      }
    }
    return schema.construct(arguments);
  }

  private WriterSchema readSchema() {
    WriterSchema writerSchema = classResolver.readWriterSchema(in);
    if (firstSchema == null) {
      firstSchema = writerSchema;
    } else {
      if (moreSchemas == null) {
        moreSchemas = new ArrayList<>();
      }
      moreSchemas.add(writerSchema);
    }
    return writerSchema;
  }

  private WriterSchema readSchemaReference() {
    int index = in.readCount();
    if (index == 0 && firstSchema != null) {
      return firstSchema;
    }
    if (moreSchemas == null || index == 0 || index > moreSchemas.size()) {
      throw new MalformedException(
          "a record refers to a schema that did not occur before, at index " + index);
    }
    return moreSchemas.get(index - 1);
  }

  private static void checkDepth(int depth) {
    if (depth >= FrozenFormatWriter.MAX_DEPTH) {
      throw new MalformedException("a value nests deeper than " + FrozenFormatWriter.MAX_DEPTH);
    }
  }

  private long readZigzag() {
    long number = in.readVarint();
    return (number >>> 1) ^ -(number & 1);
  }

  private long readZigzag(long min, long max) {
    long number = readZigzag();
    if (number < min || number > max) {
      throw new MalformedException("the number " + number + " is not within " + min + ".." + max);
    }
    return number;
  }

  private int readInteger() {
    return (int) readZigzag(Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  private char readChar() {
    return (char) in.readShort();
  }

  private String readChars() {
    char[] chars = new char[in.readCount(in.remaining() / 2)];
    for (int i = 0; i < chars.length; i++) {
      chars[i] = readChar();
    }
    return new String(chars);
  }

  private BigInteger readBigInteger() {
    int length = in.readBlobLength();
    if (length == 0) {
      throw new MalformedException("a number has no digits");
    }
    return new BigInteger(in.readBytes(length));
  }

  private ZoneOffset readOffset() {
    return ZoneOffset.ofTotalSeconds(readInteger());
  }

  private LocalDateTime readLocalDateTime() {
    return LocalDateTime.of(LocalDate.ofEpochDay(readZigzag()), readLocalTime());
  }

  private LocalTime readLocalTime() {
    return LocalTime.ofSecondOfDay(in.readCount(86_399)).plusNanos(readNanos());
  }

  private int readNanos() {
    return in.readCount(999_999_999);
  }
}
