package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.memory.MemoryAccount;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what is remembered of the values of keys. */
final class ValueHintsTest {
  private static final int ACCOUNT_BYTES = 16 << 20;

  private final Codec codec =
      new Codec(ClassAllowList.of(List.of()), ValueHintsTest.class.getClassLoader());
  private final MemoryAccount account = new MemoryAccount(ACCOUNT_BYTES);
  private final DecodedObjectCache objectCache = new DecodedObjectCache(codec, account);
  private final ValueHints hints = objectCache.newHints(false);

  private Entry keeping(Object key, Object value, @Nullable Entry replaced) {
    byte[] bytes = codec.encodeKey(key);
    int keyLength = bytes.length;
    bytes = Arrays.copyOf(bytes, keyLength + 2);
    Entry entry = Entry.of(1, bytes, keyLength, 1, 1, false, 0, null);
    objectCache.keepWritten(entry, key, value, replaced, hints);
    return entry;
  }

  /** As a reader does that has found an entry. */
  private void remember(Entry entry) {
    if (hints.mayRemember(entry)) {
      hints.remember(entry);
    }
  }

  /** The first time a table is made, the second time it is used. */
  private void rememberTwice(Entry entry) {
    remember(entry);
    remember(entry);
  }

  @Test
  void valueIsFoundByAnEqualKey() {
    rememberTwice(keeping("key", "value", null));
    assertThat(hints.find("key")).isEqualTo("value");
    assertThat(hints.find(new String(new char[] {'k', 'e', 'y'}))).isEqualTo("value");
    assertThat(hints.find("other")).isNull();
  }

  @Test
  void numbersOfAnotherClassAreAnotherKey() {
    rememberTwice(keeping(1, "value", null));
    assertThat(hints.find(1)).isEqualTo("value");
    assertThat(hints.find(1L)).isNull();
  }

  @Test
  void valueIsForgottenWhenItsEntryIsReleased() {
    Entry entry = keeping("key", "value", null);
    rememberTwice(entry);
    objectCache.release(entry, hints);
    assertThat(hints.find("key")).isNull();
    rememberTwice(entry);
    assertThat(hints.find("key")).as("an entry that was released").isNull();
  }

  @Test
  void valueIsForgottenBeforeTheNextEntryIsPut() {
    Entry first = keeping("key", "value", null);
    rememberTwice(first);
    Entry next = keeping("key", "next", first);
    assertThat(hints.find("key")).as("nobody has read it").isNull();
    rememberTwice(next);
    assertThat(hints.find("key")).isEqualTo("next");
  }

  @Test
  void nothingIsKnownOfWhatWasRememberedBeforeAllWasForgotten() {
    Entry entry = keeping("key", "value", null);
    rememberTwice(entry);
    hints.clear();
    assertThat(hints.find("key")).isNull();
    rememberTwice(entry);
    assertThat(hints.find("key")).isEqualTo("value");
  }

  @Test
  void tableGrowsWithItsKeysAndKnowsNearlyAll() {
    int keyCount = 50_000;
    List<Entry> entries =
        IntStream.range(0, keyCount).mapToObj(key -> keeping("key-" + key, key, null)).toList();
    for (int round = 0; round < 10; round++) {
      entries.forEach(entry -> remember(entry));
    }
    long found =
        IntStream.range(0, keyCount)
            .filter(key -> Integer.valueOf(key).equals(hints.find("key-" + key)))
            .count();
    assertThat(found).isGreaterThan(keyCount * 97L / 100);
    assertThat(hints.table().placeCount()).isEqualTo(ValueHints.MAX_PLACES);
  }

  @Test
  void fullTableGivesWayToAnEmptyOne() {
    List<Entry> entries =
        IntStream.range(0, 10_000).mapToObj(key -> keeping(key, key, null)).toList();
    Entry last = keeping("last", "value", null);
    account.tryReserveWithin(ACCOUNT_BYTES - account.reservedBytes() - 4_096);
    for (int round = 0; round < 10; round++) {
      entries.forEach(entry -> remember(entry));
    }
    assertThat(hints.table().placeCount()).as("there is no memory for more").isLessThan(1_000);
    for (int i = 0; i < 10_000 && hints.find("last") == null; i++) {
      remember(last);
    }
    assertThat(hints.find("last")).isEqualTo("value");
  }

  @Test
  void nothingIsRememberedWithoutMemoryForATable() {
    Entry entry = keeping("key", "value", null);
    account.tryReserveWithin(ACCOUNT_BYTES - account.reservedBytes());
    rememberTwice(entry);
    rememberTwice(entry);
    assertThat(hints.find("key")).isNull();
    assertThat(objectCache.newHints(false).find("key")).as("of another cache").isNull();
  }

  @Test
  void tablesCountInTheAccount() {
    Entry entry = keeping("key", "value", null);
    long before = account.reservedBytes();
    rememberTwice(entry);
    assertThat(account.reservedBytes() - before)
        .isEqualTo(hints.table().sizeBytes())
        .isGreaterThanOrEqualTo(2L * Integer.BYTES * hints.table().placeCount());
    hints.clear();
    assertThat(account.reservedBytes()).isEqualTo(before);
  }

  @Test
  void keysWithAnEqualityOfTheirOwnAreNotAccepted() {
    assertThat(List.of("text", 1, 1L, new UUID(1, 2), 'a', TimeUnit.DAYS, Instant.EPOCH))
        .allMatch(ValueHints::accepts);
    record Own(String name) {}
    assertThat(ValueHints.accepts(new Own("name"))).isFalse();
    assertThat(ValueHints.accepts(new byte[1])).isFalse();
    assertThat(ValueHints.accepts(List.of())).isFalse();
    assertThat(ValueHints.accepts(null)).isFalse();
  }
}
