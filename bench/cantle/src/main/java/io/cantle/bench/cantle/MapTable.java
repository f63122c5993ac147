package io.cantle.bench.cantle;

import java.util.Arrays;
import java.util.concurrent.ConcurrentMap;

/**
 * A map of keys and values of bytes.
 *
 * <p><b>Threading:</b> as {@link ByteTable} says.
 */
record MapTable(ConcurrentMap<ByteKey, byte[]> map) implements ByteTable {
  /** A key, by its bytes. */
  record ByteKey(byte[] bytes, int hash) {
    static ByteKey of(byte[] bytes) {
      return new ByteKey(bytes, Arrays.hashCode(bytes));
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof ByteKey key && hash == key.hash && Arrays.equals(bytes, key.bytes);
    }
  }

  @Override
  public void put(byte[] key, byte[] value) {
    map.put(ByteKey.of(key.clone()), value.clone());
  }

  @Override
  public byte get(byte[] key) {
    byte[] value = getValue(key);
    return value[value.length - 1];
  }

  @Override
  public byte getEntry(byte[] key) {
    return get(key);
  }

  @Override
  public byte[] getCopy(byte[] key) {
    return getValue(key).clone();
  }

  private byte[] getValue(byte[] key) {
    byte[] value = map.get(ByteKey.of(key));
    if (value == null) {
      throw new IllegalStateException("nothing was found for " + Arrays.toString(key));
    }
    return value;
  }

  @Override
  public boolean find(byte[] key) {
    return map.get(ByteKey.of(key)) != null;
  }

  @Override
  public int scan() {
    int sum = 0;
    for (byte[] value : map.values()) {
      sum += value[value.length - 1];
    }
    return sum;
  }

  @Override
  public int scanKeys() {
    int sum = 0;
    for (ByteKey key : map.keySet()) {
      sum += key.bytes()[key.bytes().length - 1];
    }
    return sum;
  }

  @Override
  public int size() {
    return map.size();
  }
}
