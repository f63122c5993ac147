package io.cantle.store.segment;

import java.util.Random;

/** Makes keys and entries for models, which know a key and a version only by its number. */
final class ModelEntryCodec {
  private ModelEntryCodec() {}

  static byte[] key(int number) {
    byte[] key = new byte[1 + number % 5];
    key[0] = (byte) number;
    return key;
  }

  /** Some keys have the same hash, others the same high half of it. */
  static long hash(int number) {
    return (number % 9 * 0x9E37_79B9_7F4A_7C15L & -1L << 32) + number % 2;
  }

  static StoredEntry entry(int number, long version) {
    Random bytes = new Random(version * 31 + number);
    byte[] value = new byte[bytes.nextInt(12) == 0 ? bytes.nextInt(9000) : bytes.nextInt(600)];
    bytes.nextBytes(value);
    byte[] metadata = new byte[bytes.nextInt(3)];
    return new StoredEntry(
        hash(number), key(number), 5, version, bytes.nextInt(3), metadata, value);
  }

  static StoredEntry tombstone(int number, long version) {
    return StoredEntry.of(hash(number), key(number), 5, version, new byte[0]);
  }
}
