package io.cantle.core.container;

import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the entries of a test keep. A key and a value are texts of characters below 256. A key of a
 * number is a text of four.
 *
 * <p><b>Threading:</b> immutable.
 */
enum EntryForm {
  /** Bytes, one for each character. */
  BYTES(1) {
    @Override
    byte[] key(String text) {
      return latin(text);
    }

    @Override
    String text(Entry entry) {
      return new String(entry.keyBytes(), 0, entry.keyLength(), StandardCharsets.ISO_8859_1);
    }

    @Override
    Entry entry(
        long hash,
        String key,
        String value,
        long index,
        long stamp,
        @Nullable ExpiryTime expiryTime) {
      byte[] bytes = latin(key + value);
      return Entry.of(hash, bytes, key.length(), 1, index, false, stamp, expiryTime);
    }
  },

  /**
   * The texts themselves, without their bytes; but those whose value has a length of three keep
   * bytes, as entries do whose value may change.
   */
  OBJECTS(8) {
    @Override
    byte[] key(String text) {
      return CODEC.encodeKey(text);
    }

    @Override
    String text(Entry entry) {
      return (String) CODEC.decodeKey(entry.keyBytes(), 0, entry.keyLength());
    }

    @Override
    Entry entry(
        long hash,
        String key,
        String value,
        long index,
        long stamp,
        @Nullable ExpiryTime expiryTime) {
      EntryObjects objects = Objects.requireNonNull(EntryObjects.of(CODEC, key, value));
      int keyLength = key(key).length;
      return value.length() == 3
          ? Entry.of(hash, objects.bytes(), keyLength, 1, index, false, stamp, expiryTime)
          : Entry.ofObjects(hash, objects, keyLength, 1, index, stamp, expiryTime);
    }
  };

  private static final Codec CODEC =
      new Codec(ClassAllowList.of(List.of()), EntryForm.class.getClassLoader());

  private final int slowness;

  EntryForm(int slowness) {
    this.slowness = slowness;
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The encoded key. */
  abstract byte[] key(String text);

  /** The key of an entry. */
  abstract String text(Entry entry);

  /** An entry of epoch 1. */
  abstract Entry entry(
      long hash, String key, String value, long index, long stamp, @Nullable ExpiryTime expiryTime);

  /** How many rounds of a test to make, of so many: fewer where it takes long to compare keys. */
  int rounds(int most) {
    return most / slowness;
  }

  /** The text of a number. */
  static String text(int number) {
    return new String(
        ByteBuffer.allocate(Integer.BYTES).putInt(number).array(), StandardCharsets.ISO_8859_1);
  }

  /** The encoded key of a number. */
  byte[] key(int number) {
    return key(text(number));
  }

  /** The number of an entry's key. */
  int number(Entry entry) {
    return ByteBuffer.wrap(latin(text(entry))).getInt();
  }

  /** A version of a number, without a timestamp, whose value is the version. */
  Entry entry(long hash, int number, int version) {
    return entry(hash, text(number), text(version), version, 0, null);
  }
}
