package io.cantle.bench.cantle;

/**
 * What keeps keys and values of bytes in memory, for {@link ContainerRound}.
 *
 * <p><b>Threading:</b> one thread.
 */
interface ByteTable {
  /** Puts a value, of which the table makes a copy of its own. */
  void put(byte[] key, byte[] value);

  /** Reads the last byte of the value of a key, which is there, where the value lies. */
  byte get(byte[] key);

  /** Has an object made of the entry of a key, if it is none, and reads the last byte of that. */
  byte getEntry(byte[] key);

  /** Returns a copy of the value of a key, as a cache does if it is an array. */
  byte[] getCopy(byte[] key);

  /** Whether there is a value for a key; counts as a use of it. */
  boolean find(byte[] key);

  /** Visits all entries, and returns the sum of the last bytes of their values. */
  int scan();

  /** Visits all keys, and returns the sum of their last bytes. */
  int scanKeys();

  /** How many keys there are. */
  int size();
}
