package io.cantle.core.codec;

/**
 * The first byte of every value of the frozen format. These numbers and what follows each of them
 * never change; a new type gets a new number. Integers are zigzag-encoded with variable length,
 * lengths and counts have variable length, and everything else is big-endian.
 */
final class ValueTag {
  static final int NULL = 0;
  static final int FALSE = 1;
  static final int TRUE = 2;
  static final int BYTE = 3;
  static final int SHORT = 4;
  static final int INTEGER = 5;
  static final int LONG = 6;
  static final int FLOAT = 7;
  static final int DOUBLE = 8;
  static final int CHARACTER = 9;

  /** Length and UTF-8. */
  static final int STRING = 10;

  /**
   * Count and two bytes per char, for a string with an unpaired surrogate, which UTF-8 would lose.
   */
  static final int CHARS = 11;

  static final int BYTES = 12;
  static final int BIG_INTEGER = 13;
  static final int BIG_DECIMAL = 14;
  static final int UUID = 15;

  /** Length of the block, then the block: class name and constant name. */
  static final int ENUM = 16;

  static final int INSTANT = 17;
  static final int LOCAL_DATE = 18;
  static final int LOCAL_TIME = 19;
  static final int LOCAL_DATE_TIME = 20;
  static final int DURATION = 21;
  static final int PERIOD = 22;
  static final int YEAR = 23;
  static final int YEAR_MONTH = 24;
  static final int MONTH_DAY = 25;
  static final int ZONE_OFFSET = 26;
  static final int ZONE_REGION = 27;
  static final int OFFSET_TIME = 28;
  static final int OFFSET_DATE_TIME = 29;
  static final int ZONED_DATE_TIME = 30;

  /** Count and elements; any list in a key, an unmodifiable one in a value. */
  static final int LIST = 31;

  /** Count and elements of an {@code ArrayList}; in values only. */
  static final int ARRAY_LIST = 32;

  /**
   * Length of the block, then the block: class name, count and names of the components; then the
   * components in that order.
   */
  static final int RECORD = 33;

  /** Index of a record block that occurred before in this payload, from 0, then the components. */
  static final int RECORD_AGAIN = 34;

  /** Name of a user's codec, length, and the codec's output. */
  static final int CODED = 35;

  /**
   * Index of a codec name that occurred before in this payload, from 0, length, and the codec's
   * output.
   */
  static final int CODED_AGAIN = 36;

  private ValueTag() {}
}
