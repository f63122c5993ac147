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
 * Writes one payload of the frozen form. Equal objects become equal bytes and unequal ones unequal
 * bytes, as {@code equals} of the JDK's types sees it; arrays of bytes count by content.
 *
 * <p><b>Threading:</b> one thread, for one payload.
 */
final class FrozenWriter {
  /** How deep records and lists may nest. */
  static final int MAX_DEPTH = 64;

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final Classes classes;
  private final Output out;
  private final boolean key;
  private @Nullable RecordShape first;
  private @Nullable List<RecordShape> more;
  private @Nullable List<KnownCodecs.Known> codecs;

  /**
   * A writer behind what the output holds.
   *
   * @param key whether equal must mean equal bytes; else the class of a list is kept where the form
   *     can, and refused where it cannot
   */
  FrozenWriter(Classes classes, Output out, boolean key) {
    this.classes = classes;
    this.out = out;
    this.key = key;
  }

  /** Writes an object, its tag first. */
  void write(@Nullable Object value, int depth) {
    switch (value) {
      case null -> out.writeByte(Tag.NULL);
      case String string -> writeString(string);
      case Integer number -> writeInteger(number);
      case Long number -> writeLong(number);
      case Double number -> writeDouble(number);
      default -> writeCodedOrPlain(value, depth);
    }
  }

  private void writeCodedOrPlain(Object value, int depth) {
    KnownCodecs.Known codec = classes.codecs().of(value);
    // As a key a list equals any other with the same elements.
    if (codec == null || (key && value instanceof List<?>)) {
      writePlain(value, depth);
      return;
    }
    int index = codecs == null ? -1 : codecs.indexOf(codec);
    if (index >= 0) {
      out.writeByte(Tag.CODED_AGAIN);
      out.writeVarint(index);
    } else {
      if (codecs == null) {
        codecs = new ArrayList<>(1);
      }
      codecs.add(codec);
      out.writeByte(Tag.CODED);
      out.writeString(codec.name());
    }
    classes.codecs().write(codec, value, out);
  }

  private void writePlain(Object value, int depth) {
    switch (value) {
      case Record object -> writeRecord(object, depth);
      case Boolean flag -> out.writeByte(flag ? Tag.TRUE : Tag.FALSE);
      case byte[] bytes -> {
        out.writeByte(Tag.BYTES);
        out.writeBlob(bytes);
      }
      case UUID id -> {
        out.writeByte(Tag.UUID);
        out.writeId(id);
      }
      case Enum<?> constant -> {
        out.writeByte(Tag.ENUM);
        classes.writeConstant(constant, out);
      }
      case List<?> list -> writeList(list, depth);
      default -> writeRare(value);
    }
  }

  private void writeRare(Object value) {
    switch (value) {
      case Character character -> {
        out.writeByte(Tag.CHARACTER);
        writeChar(character);
      }
      case Byte number -> {
        out.writeByte(Tag.BYTE);
        out.writeByte(number);
      }
      case Short number -> {
        out.writeByte(Tag.SHORT);
        writeZigzag(number);
      }
      case Float number -> {
        out.writeByte(Tag.FLOAT);
        out.writeInt(Float.floatToIntBits(number));
      }
      case BigInteger number when value.getClass() == BigInteger.class -> {
        out.writeByte(Tag.BIG_INTEGER);
        out.writeBlob(number.toByteArray());
      }
      case BigDecimal number when value.getClass() == BigDecimal.class -> {
        out.writeByte(Tag.BIG_DECIMAL);
        writeZigzag(number.scale());
        out.writeBlob(number.unscaledValue().toByteArray());
      }
      default -> writeTime(value);
    }
  }

  private void writeTime(Object value) {
    switch (value) {
      case Instant instant -> {
        out.writeByte(Tag.INSTANT);
        writeZigzag(instant.getEpochSecond());
        out.writeVarint(instant.getNano());
      }
      case LocalDate date -> {
        out.writeByte(Tag.LOCAL_DATE);
        writeZigzag(date.toEpochDay());
      }
      case LocalTime time -> {
        out.writeByte(Tag.LOCAL_TIME);
        writeLocalTime(time);
      }
      case LocalDateTime time -> {
        out.writeByte(Tag.LOCAL_DATE_TIME);
        writeLocalDateTime(time);
      }
      case Duration duration -> {
        out.writeByte(Tag.DURATION);
        writeZigzag(duration.getSeconds());
        out.writeVarint(duration.getNano());
      }
      case Period period -> {
        out.writeByte(Tag.PERIOD);
        writeZigzag(period.getYears());
        writeZigzag(period.getMonths());
        writeZigzag(period.getDays());
      }
      case Year year -> {
        out.writeByte(Tag.YEAR);
        writeZigzag(year.getValue());
      }
      case YearMonth month -> {
        out.writeByte(Tag.YEAR_MONTH);
        writeZigzag(month.getYear());
        out.writeByte(month.getMonthValue());
      }
      case MonthDay day -> {
        out.writeByte(Tag.MONTH_DAY);
        out.writeByte(day.getMonthValue());
        out.writeByte(day.getDayOfMonth());
      }
      default -> writeZonedTime(value);
    }
  }

  private void writeZonedTime(Object value) {
    switch (value) {
      case ZoneOffset offset -> {
        out.writeByte(Tag.ZONE_OFFSET);
        writeZigzag(offset.getTotalSeconds());
      }
      case ZoneId zone -> {
        out.writeByte(Tag.ZONE_REGION);
        out.writeString(zone.getId());
      }
      case OffsetTime time -> {
        out.writeByte(Tag.OFFSET_TIME);
        writeLocalTime(time.toLocalTime());
        writeZigzag(time.getOffset().getTotalSeconds());
      }
      case OffsetDateTime time -> {
        out.writeByte(Tag.OFFSET_DATE_TIME);
        writeLocalDateTime(time.toLocalDateTime());
        writeZigzag(time.getOffset().getTotalSeconds());
      }
      case ZonedDateTime time -> {
        out.writeByte(Tag.ZONED_DATE_TIME);
        writeLocalDateTime(time.toLocalDateTime());
        writeZigzag(time.getOffset().getTotalSeconds());
        write(time.getZone(), 0);
      }
      default -> throw new UnsupportedTypeException(value.getClass().getTypeName());
    }
  }

  private void writeString(String string) {
    byte[] utf8 = string.getBytes(StandardCharsets.UTF_8);
    // The encoder puts a question mark where half a surrogate pair stands: two different strings
    // would become one key.
    if (Text.contains(utf8, (byte) '?') && Text.hasHalfPair(string)) {
      out.writeByte(Tag.CHARS);
      out.writeVarint(string.length());
      for (int i = 0; i < string.length(); i++) {
        writeChar(string.charAt(i));
      }
    } else {
      out.writeByte(Tag.STRING);
      out.writeBlob(utf8);
    }
  }

  private void writeList(List<?> list, int depth) {
    checkDepth(depth);
    out.writeByte(listTag(list));
    Object[] elements = list.toArray();
    out.writeVarint(elements.length);
    for (int i = 0; i < elements.length; i++) {
      try {
        write(elements[i], depth + 1);
      } catch (UnsupportedTypeException e) {
        throw e.within("element " + i + " of a list");
      }
    }
  }

  private int listTag(List<?> list) {
    if (key || Classes.isUnmodifiable(list.getClass())) {
      return Tag.LIST;
    }
    if (list.getClass() == ArrayList.class) {
      return Tag.ARRAY_LIST;
    }
    throw new UnsupportedTypeException(list.getClass().getTypeName());
  }

  private void writeRecord(Record object, int depth) {
    checkDepth(depth);
    RecordShape shape = classes.shape(object.getClass());
    writeBlock(shape);
    for (RecordShape.Component component : shape.components()) {
      try {
        switch (component.kind()) {
          case 'I' -> writeInteger((int) component.reader().invokeExact((Object) object));
          case 'J' -> writeLong((long) component.reader().invokeExact((Object) object));
          case 'D' -> writeDouble((double) component.reader().invokeExact((Object) object));
          default -> write((Object) component.reader().invokeExact((Object) object), depth + 1);
        }
      } catch (UnsupportedTypeException e) {
        throw e.within("component '" + component.name() + "' of " + shape.type().getName());
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalArgumentException(
            "accessor '" + component.name() + "' of " + shape.type().getName() + " failed", e);
      }
    }
  }

  private void writeBlock(RecordShape shape) {
    int index = indexOf(shape);
    if (index >= 0) {
      out.writeByte(Tag.RECORD_AGAIN);
      out.writeVarint(index);
      return;
    }
    if (first == null) {
      first = shape;
    } else {
      if (more == null) {
        more = new ArrayList<>();
      }
      more.add(shape);
    }
    out.writeByte(Tag.RECORD);
    shape.writeBlock(out);
  }

  private int indexOf(RecordShape shape) {
    if (shape == first) {
      return 0;
    }
    int index = more == null ? -1 : more.indexOf(shape);
    return index < 0 ? -1 : index + 1;
  }

  private static void checkDepth(int depth) {
    if (depth >= MAX_DEPTH) {
      throw new IllegalArgumentException(
          "records and lists nest deeper than " + MAX_DEPTH + ", or contain themselves");
    }
  }

  private void writeInteger(int number) {
    out.writeByte(Tag.INTEGER);
    writeZigzag(number);
  }

  private void writeLong(long number) {
    out.writeByte(Tag.LONG);
    writeZigzag(number);
  }

  private void writeDouble(double number) {
    out.writeByte(Tag.DOUBLE);
    out.writeLong(Double.doubleToLongBits(number));
  }

  private void writeZigzag(long number) {
    out.writeVarint((number << 1) ^ (number >> 63));
  }

  private void writeChar(char character) {
    out.writeByte(character >> 8);
    out.writeByte(character);
  }

  private void writeLocalDateTime(LocalDateTime time) {
    writeZigzag(time.toLocalDate().toEpochDay());
    writeLocalTime(time.toLocalTime());
  }

  private void writeLocalTime(LocalTime time) {
    long nanos = time.toNanoOfDay();
    out.writeVarint(nanos / NANOS_PER_SECOND);
    out.writeVarint(nanos % NANOS_PER_SECOND);
  }
}
