package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Version;
import org.junit.jupiter.api.Test;

class EntryTest {

  @Test
  void separatesKeyFromValue() {
    byte[] bytes = {1, 2, 3, 4, 5};
    Entry entry = Entry.of(-7, bytes, 2, 3, 9, false, 0, null);
    assertThat(entry.hash()).isEqualTo(-7);
    assertThat(entry.bytes()).isSameAs(bytes);
    assertThat(entry.keyLength()).isEqualTo(2);
    assertThat(entry.valueOffset()).isEqualTo(2);
    assertThat(entry.valueLength()).isEqualTo(3);
    assertThat(entry.epoch()).isEqualTo(3);
    assertThat(entry.index()).isEqualTo(9);
    assertThat(entry.isTombstone()).isFalse();
  }

  @Test
  void isATombstoneWithAKeyOfAnyLength() {
    for (int length : new int[] {0, 1, 100}) {
      Entry entry = Entry.of(1, new byte[length], length, 1, 1, true, 0, null);
      assertThat(entry.isTombstone()).isTrue();
      assertThat(entry.keyLength()).isEqualTo(length);
      assertThat(entry.valueLength()).isZero();
    }
  }

  @Test
  void comparesVersionsByEpochThenIndex() {
    Entry entry = Entry.of(1, new byte[1], 1, 5, 100, false, 0, null);
    assertThat(entry.compareVersion(new Version(5, 100))).isZero();
    assertThat(entry.compareVersion(new Version(5, 101))).isNegative();
    assertThat(entry.compareVersion(new Version(5, 99))).isPositive();
    assertThat(entry.compareVersion(new Version(6, 1))).isNegative();
    assertThat(entry.compareVersion(new Version(4, 1000))).isPositive();
    assertThat(entry.compareVersion(new Version(5, Long.MIN_VALUE))).isPositive();
  }

  @Test
  void keepsDecodedObjectsUntilTheyAreDropped() {
    HeapEntry entry = (HeapEntry) Entry.of(1, new byte[1], 1, 1, 1, false, 0, null);
    assertThat(entry.decodedKey()).isNull();
    assertThat(entry.decodedValue()).isNull();
    entry.keepKey("key");
    entry.keepValue("value");
    assertThat(entry.decodedKey()).isEqualTo("key");
    assertThat(entry.decodedValue()).isEqualTo("value");
    assertThat(entry.bytes()).hasSize(1);
    assertThat(entry.isReleased()).isFalse();
    entry.release();
    assertThat(entry.decodedKey()).isNull();
    assertThat(entry.decodedValue()).isNull();
    assertThat(entry.bytes()).hasSize(1);
    assertThat(entry.isReleased()).isTrue();
  }

  @Test
  void keepsTheDecodedKeyOfAnEvictedEntry() {
    HeapEntry entry = (HeapEntry) Entry.of(1, new byte[9], 2, 1, 1, false, 0, null).withoutValue();
    entry.keepKey("key");
    assertThat(entry.decodedKey()).isEqualTo("key");
    assertThat(entry.valueLength()).isEqualTo(7);
    entry.release();
    assertThat(entry.decodedKey()).isNull();
    assertThat(entry.valueLength()).isEqualTo(7);
    assertThat(entry.isEvicted()).isTrue();
  }

  @Test
  void keepsVersionsAndKeysOfAnyLength() {
    for (long index : new long[] {0, 1, (1L << 37) - 1, 1L << 37, Long.MAX_VALUE, -1}) {
      for (int epoch : new int[] {0, 1, 4095, 4096, Integer.MAX_VALUE, -1}) {
        for (int keyLength : new int[] {0, 1, 1023, 1024, 5000}) {
          for (boolean tombstone : new boolean[] {false, true}) {
            byte[] bytes = new byte[keyLength + (tombstone ? 0 : 3)];
            Entry entry = Entry.of(9, bytes, keyLength, epoch, index, tombstone, 0, null);
            assertThat(entry.index()).isEqualTo(index);
            assertThat(entry.epoch()).isEqualTo(epoch);
            assertThat(entry.keyLength()).isEqualTo(keyLength);
            assertThat(entry.isTombstone()).isEqualTo(tombstone);
            assertThat(entry.valueLength()).isEqualTo(tombstone ? 0 : 3);
            assertThat(entry.markedStamp()).isZero();
          }
        }
      }
    }
  }

  @Test
  void growsInWholeWordsWithItsBytes() {
    int empty = Entry.of(1, new byte[0], 0, 1, 1, false, 0, null).sizeBytes();
    assertThat(Entry.of(1, new byte[1], 0, 1, 1, false, 0, null).sizeBytes()).isEqualTo(empty + 8);
    assertThat(Entry.of(1, new byte[8], 0, 1, 1, false, 0, null).sizeBytes()).isEqualTo(empty + 8);
    assertThat(Entry.of(1, new byte[1000], 9, 1, 1, true, 0, null).sizeBytes())
        .isEqualTo(empty + 1000);
  }

  @Test
  void refusesAKeyLongerThanTheBytes() {
    assertThatThrownBy(() -> Entry.of(1, new byte[3], 4, 1, 1, false, 0, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key length 4 is not within 0..3");
    assertThatThrownBy(() -> Entry.of(1, new byte[3], -1, 1, 1, false, 0, null))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
