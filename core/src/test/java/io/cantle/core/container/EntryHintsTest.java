package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.memory.MemoryAccount;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests what is remembered of the entries of keys. */
final class EntryHintsTest {
  private final Codec codec =
      new Codec(ClassAllowList.of(List.of()), EntryHintsTest.class.getClassLoader());
  private final DecodedObjectCache objectCache =
      new DecodedObjectCache(codec, new MemoryAccount(1 << 20));
  private final EntryHints hints = new EntryHints();

  private Entry entry(Object key, int valueBytes) {
    byte[] bytes = codec.encodeKey(key);
    int keyLength = bytes.length;
    bytes = Arrays.copyOf(bytes, keyLength + valueBytes);
    return Entry.of(1, bytes, keyLength, 1, 1, false, 0, null);
  }

  private Entry keeping(Object key) {
    Entry entry = entry(key, 2);
    objectCache.keepWritten(entry, key, "value", null);
    return entry;
  }

  @Test
  void entryIsFoundByAnEqualKey() {
    Entry entry = keeping("key");
    hints.keep("key", entry);
    assertThat(hints.find("key")).isSameAs(entry);
    assertThat(hints.find(new String(new char[] {'k', 'e', 'y'}))).isSameAs(entry);
    assertThat(hints.find("other")).isNull();
  }

  @Test
  void numbersOfAnotherClassAreAnotherKey() {
    Entry entry = keeping(1);
    hints.keep(1, entry);
    assertThat(hints.find(1)).isSameAs(entry);
    assertThat(hints.find(1L)).isNull();
  }

  @Test
  void valueIsPresentUntilTheEntryIsReleased() {
    Entry entry = keeping("key");
    assertThat(entry.presentValue()).isEqualTo("value");
    objectCache.release(entry);
    assertThat(entry.presentValue()).isNull();
    hints.keep("key", entry);
    assertThat(hints.find("key")).isNull();
  }

  @Test
  void tableGrowsWithItsKeys() {
    List<Entry> entries = IntStream.range(0, 1_000).mapToObj(this::keeping).toList();
    for (int round = 0; round < 8; round++) {
      IntStream.range(0, 1_000).forEach(key -> hints.keep(key, entries.get(key)));
    }
    long found = IntStream.range(0, 1_000).filter(key -> hints.find(key) != null).count();
    assertThat(found).isGreaterThan(600);
  }

  @Test
  void tableHasABound() {
    Entry entry = keeping("key");
    for (int i = 0; i < 5 * EntryHints.MAX_LENGTH; i++) {
      hints.keep("key", entry);
    }
    assertThat(hints.slotCount()).isEqualTo(EntryHints.MAX_LENGTH);
    assertThat(hints.find("key")).isSameAs(entry);
  }

  @Test
  void longEntriesAreNotKept() {
    Entry entry = entry("key", EntryHints.MAX_ENTRY_BYTES);
    objectCache.keepWritten(entry, "key", "value", null);
    hints.keep("key", entry);
    assertThat(hints.find("key")).isNull();
  }

  @Test
  void keysWithAnEqualityOfTheirOwnAreNotAccepted() {
    assertThat(List.of("text", 1, 1L, new UUID(1, 2))).allMatch(EntryHints::accepts);
    record Own(String name) {}
    assertThat(EntryHints.accepts(new Own("name"))).isFalse();
    assertThat(EntryHints.accepts(new byte[1])).isFalse();
    assertThat(EntryHints.accepts(List.of())).isFalse();
    assertThat(EntryHints.accepts(null)).isFalse();
  }
}
