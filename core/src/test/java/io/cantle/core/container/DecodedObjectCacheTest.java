package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.memory.MemoryAccount;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests who is given which decoded object, and what is reserved for those that are kept. */
final class DecodedObjectCacheTest {
  private final Codec codec =
      new Codec(ClassAllowList.of(List.of()), DecodedObjectCacheTest.class.getClassLoader());
  private final MemoryAccount account = new MemoryAccount(1 << 20);
  private final DecodedObjectCache objectCache = new DecodedObjectCache(codec, account);
  private final ValueHints hints = objectCache.newHints(false);

  private Entry entry(Object value) {
    Output out = new Output(64);
    out.write(codec.encodeKey("key"));
    int keyLength = out.position();
    codec.encodeValue(value, out);
    return Entry.of(1, out.toByteArray(), keyLength, 1, 1, false, 0, null);
  }

  @Test
  void immutableValueIsKeptAndGivenToAll() {
    Entry entry = entry("text");
    assertThat(entry.sharedValue()).isNull();
    Object first = objectCache.valueForCaller(entry);
    assertThat(first).isEqualTo("text");
    assertThat(objectCache.valueForCaller(entry)).isSameAs(first);
    assertThat(objectCache.valueOf(entry)).isSameAs(first);
    assertThat(entry.sharedValue()).isSameAs(first);
    assertThat(account.reservedBytes()).isPositive();
    objectCache.release(entry, null);
    assertThat(account.reservedBytes()).isZero();
  }

  @Test
  void mutableValueOfStreamsIsGivenToNoCaller() {
    Entry entry = entry(new ArrayList<>(List.of(1)));
    Object ofStreams = objectCache.valueOf(entry);
    assertThat(objectCache.valueOf(entry)).isSameAs(ofStreams);
    assertThat(entry.sharedValue()).isNull();
    Object copy = objectCache.valueForCaller(entry);
    assertThat(copy).isEqualTo(ofStreams).isNotSameAs(ofStreams);
    assertThat(objectCache.valueForCaller(entry)).isNotSameAs(copy);
  }

  @Test
  void mutableValueOfACallerIsNotKept() {
    Entry entry = entry(new byte[] {1});
    objectCache.valueForCaller(entry);
    assertThat(account.reservedBytes()).isZero();
  }

  @Test
  void writtenObjectTakesThePlaceOfTheReplacedOne() {
    Entry before = entry("a text of some length");
    objectCache.keepWritten(before, null, "a text of some length", null, hints);
    long ofOne = account.reservedBytes();
    assertThat(ofOne).isPositive();
    Entry after = entry("b text of some length");
    String written = "b " + "text of some length";
    objectCache.keepWritten(after, null, written, before, hints);
    objectCache.onApplied(before, after);
    assertThat(objectCache.valueForCaller(after)).isSameAs(written);
    assertThat(account.reservedBytes()).isEqualTo(ofOne);
    Entry shorter = entry("c");
    objectCache.keepWritten(shorter, null, "c", after, hints);
    objectCache.onApplied(after, shorter);
    assertThat(account.reservedBytes()).isBetween(1L, ofOne - 1);
    assertThat(objectCache.valueForCaller(before))
        .as("decoded, since it has left")
        .isEqualTo("a text of some length");
    objectCache.onApplied(shorter, null);
    assertThat(account.reservedBytes()).isZero();
  }

  @Test
  void nothingIsKeptBeyondTheBudget() {
    DecodedObjectCache small = new DecodedObjectCache(codec, account);
    account.reserve(account.limitBytes() - 60);
    Entry entry = entry("a longer text than there is room for");
    assertThat(small.valueForCaller(entry)).isEqualTo("a longer text than there is room for");
    assertThat(entry.sharedValue()).isNull();
    small.keepWritten(entry, null, "a longer text than there is room for", null, hints);
    assertThat(entry.sharedValue()).isNull();
    assertThat(account.reservedBytes()).isEqualTo(account.limitBytes() - 60);
  }
}
