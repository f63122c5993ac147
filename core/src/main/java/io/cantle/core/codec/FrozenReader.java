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
 * Reads one payload of the frozen form. Whatever the bytes are, it ends: depth is limited, counts
 * are limited by the bytes left, classes by the allow-list and the user's codecs.
 *
 * <p><b>Threading:</b> one thread, for one payload.
 */
final class FrozenReader {
  private final Classes classes;
  private final Input in;
  private @Nullable RecordLayout first;
  private @Nullable List<RecordLayout> more;
  private @Nullable List<String> codecs;

  /** Reads from where the input stands. */
  FrozenReader(Classes classes, Input in) {
    this.classes = classes;
    this.in = in;
  }

  /**
   * Reads an object, which must be all that is left.
   *
   * @throws MalformedException when the bytes break the form or name what is not allowed
   */
  @Nullable Object readAll() {
    Object value;
    try {
      value = read(0, true);
    } catch (DateTimeException | ArithmeticException e) {
      throw new MalformedException("a time that does not exist: " + e.getMessage());
    }
    if (in.remaining() != 0) {
      throw new MalformedException(in.remaining() + " bytes follow the end of a value");
    }
    return value;
  }

  /**
   * Reads an object.
   *
   * @param wanted whether the object is of use; else classes it names are not looked for, and
   *     something else comes back
   */
  private @Nullable Object read(int depth, boolean wanted) {
    int tag = in.readByte();
    return switch (tag) {
      case Tag.NULL -> null;
      case Tag.FALSE -> false;
      case Tag.TRUE -> true;
      case Tag.BYTE -> (byte) in.readByte();
      case Tag.SHORT -> (short) readZigzag(Short.MIN_VALUE, Short.MAX_VALUE);
      case Tag.INTEGER -> readInteger();
      case Tag.LONG -> readZigzag();
      case Tag.FLOAT -> Float.intBitsToFloat(in.readInt());
      case Tag.DOUBLE -> Double.longBitsToDouble(in.readLong());
      case Tag.CHARACTER -> readChar();
      case Tag.STRING -> Text.readString(in);
      case Tag.CHARS -> readChars();
      case Tag.BYTES -> in.readBlob();
      case Tag.BIG_INTEGER -> readBigInteger();
      case Tag.BIG_DECIMAL -> {
        int scale = readInteger();
        yield new BigDecimal(readBigInteger(), scale);
      }
      case Tag.UUID -> in.readId();
      case Tag.ENUM -> readConstant(wanted);
      case Tag.LIST -> unmodifiable(readElements(depth, wanted));
      case Tag.ARRAY_LIST -> readElements(depth, wanted);
      case Tag.RECORD -> readRecord(readLayout(), depth, wanted);
      case Tag.RECORD_AGAIN -> readRecord(knownLayout(), depth, wanted);
      case Tag.CODED -> readCoded(readCodec(), wanted);
      case Tag.CODED_AGAIN -> readCoded(knownCodec(), wanted);
      default -> readTime(tag);
    };
  }

  private @Nullable Object readCoded(String codec, boolean wanted) {
    if (wanted) {
      return classes.codecs().read(codec, in);
    }
    in.skip(Text.readLength(in));
    return null;
  }

  private String readCodec() {
    String codec = KnownCodecs.readName(in);
    if (codecs == null) {
      codecs = new ArrayList<>(1);
    }
    codecs.add(codec);
    return codec;
  }

  private String knownCodec() {
    int index = in.readCount(Integer.MAX_VALUE);
    if (codecs == null || index >= codecs.size()) {
      throw new MalformedException(
          "an object refers to a codec that did not come before: " + index);
    }
    return codecs.get(index);
  }

  private Object readTime(int tag) {
    return switch (tag) {
      case Tag.INSTANT -> Instant.ofEpochSecond(readZigzag(), readNanos());
      case Tag.LOCAL_DATE -> LocalDate.ofEpochDay(readZigzag());
      case Tag.LOCAL_TIME -> readLocalTime();
      case Tag.LOCAL_DATE_TIME -> readLocalDateTime();
      case Tag.DURATION -> Duration.ofSeconds(readZigzag(), readNanos());
      case Tag.PERIOD -> Period.of(readInteger(), readInteger(), readInteger());
      case Tag.YEAR -> Year.of(readInteger());
      case Tag.YEAR_MONTH -> YearMonth.of(readInteger(), in.readByte());
      case Tag.MONTH_DAY -> MonthDay.of(in.readByte(), in.readByte());
      case Tag.ZONE_OFFSET -> readOffset();
      case Tag.ZONE_REGION -> ZoneId.of(Text.readString(in));
      case Tag.OFFSET_TIME -> OffsetTime.of(readLocalTime(), readOffset());
      case Tag.OFFSET_DATE_TIME -> OffsetDateTime.of(readLocalDateTime(), readOffset());
      case Tag.ZONED_DATE_TIME -> readZonedDateTime();
      default -> throw new MalformedException("there is no type with the tag " + tag);
    };
  }

  private ZonedDateTime readZonedDateTime() {
    LocalDateTime time = readLocalDateTime();
    ZoneOffset offset = readOffset();
    int tag = in.readByte();
    if (tag != Tag.ZONE_REGION && tag != Tag.ZONE_OFFSET) {
      throw new MalformedException("a time zone cannot have the tag " + tag);
    }
    return ZonedDateTime.ofInstant(time, offset, (ZoneId) readTime(tag));
  }

  private @Nullable Object readConstant(boolean wanted) {
    if (wanted) {
      return classes.readConstant(in);
    }
    in.skip(Text.readLength(in));
    return null;
  }

  private List<@Nullable Object> readElements(int depth, boolean wanted) {
    checkDepth(depth);
    int count = in.readCount(in.remaining());
    // The count is not trusted with memory: nested lists could each claim all the bytes left.
    List<@Nullable Object> elements = new ArrayList<>(Math.min(count, 64));
    for (int i = 0; i < count; i++) {
      elements.add(read(depth + 1, wanted));
    }
    return elements;
  }

  private static List<@Nullable Object> unmodifiable(List<@Nullable Object> elements) {
    return elements.contains(null) ? Collections.unmodifiableList(elements) : List.copyOf(elements);
  }

  private @Nullable Object readRecord(RecordLayout layout, int depth, boolean wanted) {
    checkDepth(depth);
    if (!wanted) {
      for (int i = 0; i < layout.componentCount(); i++) {
        read(depth + 1, false);
      }
      return null;
    }
    RecordLayout.Binding binding = layout.binding(classes);
    RecordShape shape = binding.shape;
    @Nullable Object[] arguments = shape.newArguments();
    for (int target : binding.targets) {
      Object value = read(depth + 1, target >= 0);
      if (target >= 0) {
        arguments[target] = shape.fit(target, value);
      }
    }
    return shape.construct(arguments);
  }

  private RecordLayout readLayout() {
    RecordLayout layout = classes.readLayout(in);
    if (first == null) {
      first = layout;
    } else {
      if (more == null) {
        more = new ArrayList<>();
      }
      more.add(layout);
    }
    return layout;
  }

  private RecordLayout knownLayout() {
    int index = in.readCount(Integer.MAX_VALUE);
    if (index == 0 && first != null) {
      return first;
    }
    if (more == null || index == 0 || index > more.size()) {
      throw new MalformedException("a record refers to names that did not come before: " + index);
    }
    return more.get(index - 1);
  }

  private static void checkDepth(int depth) {
    if (depth >= FrozenWriter.MAX_DEPTH) {
      throw new MalformedException("a value nests deeper than " + FrozenWriter.MAX_DEPTH);
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
    return (char) (in.readByte() << 8 | in.readByte());
  }

  private String readChars() {
    char[] chars = new char[in.readCount(in.remaining() / 2)];
    for (int i = 0; i < chars.length; i++) {
      chars[i] = readChar();
    }
    return new String(chars);
  }

  private BigInteger readBigInteger() {
    int length = Text.readLength(in);
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
