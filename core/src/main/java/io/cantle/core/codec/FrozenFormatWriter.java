package io.cantle.core.codec;

import io.cantle.core.base.Output;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
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
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes one payload of the frozen format. Equal objects have equal bytes and unequal ones unequal
 * bytes, as defined by {@code equals} of the JDK's types. Byte arrays are compared by content.
 *
 * <p><b>Threading:</b> one thread, for one payload.
 */
final class FrozenFormatWriter {
  /** The maximum nesting of records and lists. */
  static final int MAX_DEPTH = 64;

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final ClassResolver classResolver;
  private final Output out;
  private final boolean forKey;
  private @Nullable RecordSchema firstSchema;
  private @Nullable List<RecordSchema> moreSchemas;
  private @Nullable List<UserCodecRegistry.RegisteredCodec> codecs;

  /**
   * Creates a writer that appends to an output.
   *
   * @param forKey whether equal objects must have equal bytes. If not, the class of a list is
   *     preserved where the format can, and the list is refused where it cannot
   */
  FrozenFormatWriter(ClassResolver classResolver, Output out, boolean forKey) {
    this.classResolver = classResolver;
    this.out = out;
    this.forKey = forKey;
  }

  /** Writes an object, preceded by its tag. */
  void write(@Nullable Object value, int depth) {
    switch (value) {
      case null -> out.writeByte(ValueTag.NULL);
      case String string -> writeString(string);
      case Integer number -> writeNumber(ValueTag.INTEGER, number);
      case Long number -> writeNumber(ValueTag.LONG, number);
      case Double number -> writeDouble(number);
      default -> writeCodedOrPlain(value, depth);
    }
  }

  private void writeCodedOrPlain(Object value, int depth) {
    UserCodecRegistry.RegisteredCodec codec = classResolver.codecs().find(value);
    // In a key, a list equals any other list with the same elements.
    if (codec == null || (forKey && value instanceof List<?>)) {
      writePlain(value, depth);
      return;
    }
    int index = codecs == null ? -1 : codecs.indexOf(codec);
    if (index >= 0) {
      writeTag(ValueTag.CODED_AGAIN).writeVarint(index);
    } else {
      if (codecs == null) {
        codecs = new ArrayList<>(1);
      }
      codecs.add(codec);
      writeTag(ValueTag.CODED).writeString(codec.name());
    }
    classResolver.codecs().write(codec, value, out);
  }

  private void writePlain(Object value, int depth) {
    switch (value) {
      case Record object -> writeRecord(object, depth);
      case Boolean flag -> out.writeByte(flag ? ValueTag.TRUE : ValueTag.FALSE);
      case byte[] bytes -> writeTag(ValueTag.BYTES).writeBlob(bytes);
      case UUID id -> writeTag(ValueTag.UUID).writeId(id);
      case Enum<?> constant -> classResolver.writeConstant(constant, writeTag(ValueTag.ENUM));
      case List<?> list -> writeList(list, depth);
      default -> writeUncommon(value);
    }
  }

  private void writeUncommon(Object value) {
    switch (value) {
      case Character character -> {
        out.writeByte(ValueTag.CHARACTER);
        writeChar(character);
      }
      case Byte number -> writeTag(ValueTag.BYTE).writeByte(number);
      case Short number -> writeNumber(ValueTag.SHORT, number);
      case Float number -> writeTag(ValueTag.FLOAT).writeInt(Float.floatToIntBits(number));
      case BigInteger number when value.getClass() == BigInteger.class ->
          writeTag(ValueTag.BIG_INTEGER).writeBlob(number.toByteArray());
      case BigDecimal number when value.getClass() == BigDecimal.class ->
          writeNumber(ValueTag.BIG_DECIMAL, number.scale())
              .writeBlob(number.unscaledValue().toByteArray());
      default -> writeTime(value);
    }
  }

  private void writeTime(Object value) {
    switch (value) {
      case Instant instant ->
          writeNumber(ValueTag.INSTANT, instant.getEpochSecond()).writeVarint(instant.getNano());
      case LocalDate date -> writeNumber(ValueTag.LOCAL_DATE, date.toEpochDay());
      case LocalTime time -> {
        out.writeByte(ValueTag.LOCAL_TIME);
        writeLocalTime(time);
      }
      case LocalDateTime time -> writeLocalDateTime(ValueTag.LOCAL_DATE_TIME, time);
      case Duration duration ->
          writeNumber(ValueTag.DURATION, duration.getSeconds()).writeVarint(duration.getNano());
      case Period period -> {
        writeNumber(ValueTag.PERIOD, period.getYears());
        writeZigzag(period.getMonths());
        writeZigzag(period.getDays());
      }
      case Year year -> writeNumber(ValueTag.YEAR, year.getValue());
      case YearMonth month ->
          writeNumber(ValueTag.YEAR_MONTH, month.getYear()).writeByte(month.getMonthValue());
      case MonthDay day -> {
        writeTag(ValueTag.MONTH_DAY).writeByte(day.getMonthValue());
        out.writeByte(day.getDayOfMonth());
      }
      default -> writeZonedTime(value);
    }
  }

  private void writeZonedTime(Object value) {
    switch (value) {
      case ZoneOffset offset -> writeNumber(ValueTag.ZONE_OFFSET, offset.getTotalSeconds());
      case ZoneId zone -> writeTag(ValueTag.ZONE_REGION).writeString(zone.getId());
      case OffsetTime time -> {
        out.writeByte(ValueTag.OFFSET_TIME);
        writeLocalTime(time.toLocalTime());
        writeZigzag(time.getOffset().getTotalSeconds());
      }
      case OffsetDateTime time -> {
        writeLocalDateTime(ValueTag.OFFSET_DATE_TIME, time.toLocalDateTime());
        writeZigzag(time.getOffset().getTotalSeconds());
      }
      case ZonedDateTime time -> {
        writeLocalDateTime(ValueTag.ZONED_DATE_TIME, time.toLocalDateTime());
        writeZigzag(time.getOffset().getTotalSeconds());
        write(time.getZone(), 0);
      }
      default -> throw new UnsupportedTypeException(value.getClass().getTypeName());
    }
  }

  private void writeString(String string) {
    if (StringEncoding.isShortAscii(string)) {
      writeTag(ValueTag.STRING).writeAscii(string);
      return;
    }
    byte[] utf8 = string.getBytes(StandardCharsets.UTF_8);
    // The encoder replaces an unpaired surrogate by a question mark, so two different strings would
    // become the same key.
    if (StringEncoding.contains(utf8, (byte) '?') && StringEncoding.hasUnpairedSurrogate(string)) {
      writeTag(ValueTag.CHARS).writeVarint(string.length());
      for (int i = 0; i < string.length(); i++) {
        writeChar(string.charAt(i));
      }
    } else {
      writeTag(ValueTag.STRING).writeBlob(utf8);
    }
  }

  private void writeList(List<?> list, int depth) {
    checkDepth(depth);
    Object[] elements = list.toArray();
    writeTag(listTag(list)).writeVarint(elements.length);
    for (int i = 0; i < elements.length; i++) {
      try {
        write(elements[i], depth + 1);
      } catch (UnsupportedTypeException e) {
        throw e.within("element " + i + " of a list");
      }
    }
  }

  private int listTag(List<?> list) {
    if (forKey || ClassResolver.isUnmodifiableList(list.getClass())) {
      return ValueTag.LIST;
    }
    if (list.getClass() == ArrayList.class) {
      return ValueTag.ARRAY_LIST;
    }
    throw new UnsupportedTypeException(list.getClass().getTypeName());
  }

  private void writeRecord(Record object, int depth) {
    checkDepth(depth);
    RecordSchema schema = classResolver.recordSchema(object.getClass());
    writeSchema(schema);
    for (RecordSchema.Component component : schema.components()) {
      try {
        switch (component.kind()) {
          case 'I' ->
              writeNumber(ValueTag.INTEGER, (int) component.reader().invokeExact((Object) object));
          case 'J' ->
              writeNumber(ValueTag.LONG, (long) component.reader().invokeExact((Object) object));
          case 'D' -> writeDouble((double) component.reader().invokeExact((Object) object));
          default -> write((Object) component.reader().invokeExact((Object) object), depth + 1);
        }
      } catch (UnsupportedTypeException e) {
        throw e.within("component '" + component.name() + "' of " + schema.type().getName());
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalArgumentException(
            "accessor '" + component.name() + "' of " + schema.type().getName() + " failed", e);
      }
    }
  }

  private void writeSchema(RecordSchema schema) {
    int index = indexOf(schema);
    if (index >= 0) {
      writeTag(ValueTag.RECORD_AGAIN).writeVarint(index);
      return;
    }
    if (firstSchema == null) {
      firstSchema = schema;
    } else {
      if (moreSchemas == null) {
        moreSchemas = new ArrayList<>();
      }
      moreSchemas.add(schema);
    }
    schema.writeSchema(writeTag(ValueTag.RECORD));
  }

  private int indexOf(RecordSchema schema) {
    if (schema == firstSchema) {
      return 0;
    }
    int index = moreSchemas == null ? -1 : moreSchemas.indexOf(schema);
    return index < 0 ? -1 : index + 1;
  }

  private static void checkDepth(int depth) {
    if (depth >= MAX_DEPTH) {
      throw new IllegalArgumentException(
          "records and lists nest deeper than " + MAX_DEPTH + ", or contain themselves");
    }
  }

  /** Writes a tag and returns the output for what follows it. */
  private Output writeTag(int tag) {
    out.writeByte(tag);
    return out;
  }

  /** Writes a tag and a number, and returns the output for what follows them. */
  private Output writeNumber(int tag, long number) {
    out.writeByte(tag);
    writeZigzag(number);
    return out;
  }

  private void writeDouble(double number) {
    writeTag(ValueTag.DOUBLE).writeLong(Double.doubleToLongBits(number));
  }

  private void writeZigzag(long number) {
    out.writeVarint((number << 1) ^ (number >> 63));
  }

  private void writeChar(char character) {
    out.writeByte(character >> 8);
    out.writeByte(character);
  }

  private void writeLocalDateTime(int tag, LocalDateTime time) {
    writeNumber(tag, time.toLocalDate().toEpochDay());
    writeLocalTime(time.toLocalTime());
  }

  private void writeLocalTime(LocalTime time) {
    long nanos = time.toNanoOfDay();
    out.writeVarint(nanos / NANOS_PER_SECOND);
    out.writeVarint(nanos % NANOS_PER_SECOND);
  }
}
