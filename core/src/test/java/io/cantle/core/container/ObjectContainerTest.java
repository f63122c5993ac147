package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Version;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests a container on the heap whose entries keep objects in the place of bytes. */
class ObjectContainerTest extends ContainerContract {
  @Override
  Container create() {
    return new HeapContainer(true);
  }

  @Override
  EntryForm form() {
    return EntryForm.OBJECTS;
  }

  @Test
  void entriesKeepNoBytesUnlessTheyBeganWithThem() {
    Container entries = create();
    entries.put(form().entry(1, "key", "value", 1, 0, null));
    entries.put(form().entry(2, "key", "yes", 1, 0, null));
    byte[] key = form().key("key");
    assertThat(Objects.requireNonNull(entries.get(1, key, 0, key.length)).hasObjectsOnly())
        .isTrue();
    assertThat(Objects.requireNonNull(entries.get(2, key, 0, key.length)).hasObjectsOnly())
        .isFalse();
  }

  /** Of a class whose equal objects always have the same bytes, any object will do. */
  @Test
  void keyIsKnownByAnEqualObjectWithoutItsBytes() {
    Container entries = create();
    Entry entry = form().entry(1, "key", "value", 1, 0, null);
    entries.put(entry);
    byte[] none = {};
    String equal = form().text(entry);
    assertThat(equal).isNotSameAs("key");
    assertThat(entries.get(1, equal, none, 0, 0)).isSameAs(entry);
    assertThat(entries.get(1, "kex", none, 0, 0)).isNull();
    assertThat(entries.get(2, equal, none, 0, 0)).isNull();
  }

  @Test
  void entryThatWasReadKeepsItsObjects() {
    ExpiryTime expiryTime = new ExpiryTime(10, 0, 0);
    Entry entry = form().entry(1, "key", "value", 1, 0, expiryTime);
    Entry touched = entry.withTouch(new Version(1, 2), new ExpiryTime(20, 0, 0));
    assertThat(touched.hasObjectsOnly()).isTrue();
    assertThat(touched.sharedValue()).isSameAs(entry.sharedValue());
    assertThat(touched.bytes()).isEqualTo(entry.bytes());
  }
}
