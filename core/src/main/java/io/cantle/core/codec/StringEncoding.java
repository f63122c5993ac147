package io.cantle.core.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Checks the strings of the frozen format.
 *
 * <p><b>Threading:</b> any thread.
 */
final class StringEncoding {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long LOW_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private StringEncoding() {}

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
