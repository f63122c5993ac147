package io.cantle.core.codec;

import io.cantle.core.base.Output;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Checks the strings of the frozen format, and encodes those that nearly all keys are.
 *
 * <p><b>Threading:</b> any thread.
 */
final class StringEncoding {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long LOW_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  /** A longer string is left to the JDK, which converts many characters at a time. */
  private static final int MAX_SHORT_LENGTH = 64;

  private StringEncoding() {}

  /** Whether a string is short and has only ASCII, so that its characters are its UTF-8. */
  static boolean isShortAscii(String string) {
    int length = string.length();
    if (length > MAX_SHORT_LENGTH) {
      return false;
    }
    int bits = 0;
    for (int i = 0; i < length; i++) {
      bits |= string.charAt(i);
    }
    return bits < 0x80;
  }

  /**
   * Whether a string has only ASCII, by the length of its encoding: each other character is longer.
   */
  static boolean isAscii(String string, int encodedLength) {
    int length = string.length();
    return encodedLength == 2 + Output.varintBytes(length) + length;
  }

  /** Encodes a short string of ASCII behind a form, in an array of exactly the length. */
  @SuppressWarnings("deprecation") // It drops the high bytes of characters, which are 0 here.
  static byte[] encodeShortAscii(int form, String string) {
    int length = string.length();
    byte[] bytes = new byte[3 + length];
    bytes[0] = (byte) form;
    bytes[1] = ValueTag.STRING;
    bytes[2] = (byte) length;
    string.getBytes(0, length, bytes, 3);
    return bytes;
  }

  /** Whether a byte occurs. Compares eight at a time, because every written string is checked. */
  static boolean contains(byte[] bytes, byte wanted) {
    long pattern = LOW_BITS * (wanted & 0xFF);
    int i = 0;
    for (; i <= bytes.length - Long.BYTES; i += Long.BYTES) {
      long different = (long) LONG.get(bytes, i) ^ pattern;
      if (((different - LOW_BITS) & ~different & HIGH_BITS) != 0) {
        return true;
      }
    }
    for (; i < bytes.length; i++) {
      if (bytes[i] == wanted) {
        return true;
      }
    }
    return false;
  }

  /** Whether a string contains an unpaired surrogate. */
  static boolean hasUnpairedSurrogate(String string) {
    for (int i = 0; i < string.length(); i++) {
      char character = string.charAt(i);
      if (Character.isSurrogate(character)) {
        boolean pair =
            i + 1 < string.length() && Character.isSurrogatePair(character, string.charAt(i + 1));
        if (!pair) {
          return true;
        }
        i++;
      }
    }
    return false;
  }
}
