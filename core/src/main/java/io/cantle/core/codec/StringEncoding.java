package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads and checks the strings of the frozen format.
 *
 * <p><b>Threading:</b> any thread.
 */
final class StringEncoding {
  /** The longest name or signature in a class file. */
  static final int MAX_NAME_BYTES = 65_535;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long LOW_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private StringEncoding() {}

  /** Reads the length of a blob, which must not exceed the bytes that remain after it. */
  static int readLength(Input in) {
    int length = in.readBlobLength();
    if (length > in.remaining()) {
      throw new MalformedException(
          length + " bytes needed, but only " + in.remaining() + " are left");
    }
    return length;
  }

  /** Reads a length of at most {@code maxBytes} and that many bytes of UTF-8. */
  static String readString(Input in, int maxBytes) {
    int start = in.position();
    int length = readLength(in);
    if (length > maxBytes) {
      throw new MalformedException(
          "a name of " + length + " bytes at " + start + ", where " + maxBytes + " is the limit");
    }
    String string = new String(in.array(), in.position(), length, StandardCharsets.UTF_8);
    in.skip(length);
    return string;
  }

  /** Reads a length and that many bytes of UTF-8. */
  static String readString(Input in) {
    int length = readLength(in);
    String string = new String(in.array(), in.position(), length, StandardCharsets.UTF_8);
    in.skip(length);
    return string;
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
