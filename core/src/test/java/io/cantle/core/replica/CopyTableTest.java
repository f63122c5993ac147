package io.cantle.core.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CopyTable.KeyCopies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CopyTableTest {
  private final CopyTable table = new CopyTable();

  private static Entry entry(String key, long hash, String value) {
    byte[] bytes = (key + value).getBytes(UTF_8);
    return Entry.of(hash, bytes, key.length(), 1, 1, false, 0, null);
  }

  @Test
  void keysOfOneHashAreApart() {
    KeyCopies one = table.getOrCreate(entry("a", 7, "1"));
    KeyCopies other = table.getOrCreate(entry("ab", 7, "2"));
    assertThat(table.find(entry("a", 7, "b"))).isSameAs(one);
    assertThat(table.find(entry("ab", 7, ""))).isSameAs(other);
    assertThat(table.find(entry("b", 7, ""))).isNull();
    table.remove(one.key);
    assertThat(table.find(one.key)).isNull();
    assertThat(table.find(other.key)).isSameAs(other);
  }

  @Test
  void keyDoesNotHoldItsEntry() {
    KeyCopies copies = table.getOrCreate(entry("key", 3, "a long value"));
    assertThat(copies.key.bytes()).isEqualTo("key".getBytes(UTF_8));
    assertThat(copies.version()).isEqualTo(new Version(1, 1));
  }

  @Test
  void isTheSameAsAMapOverManyKeys() {
    Random random = new Random(4);
    Map<String, KeyCopies> expected = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      String key = "k" + random.nextInt(3_000);
      Entry entry = entry(key, key.hashCode() % 1_000, "");
      if (random.nextInt(4) == 0) {
        KeyCopies known = expected.remove(key);
        assertThat(table.find(entry)).isSameAs(known);
        if (known != null) {
          table.remove(known.key);
        }
      } else {
        KeyCopies found = table.getOrCreate(entry);
        assertThat(expected.getOrDefault(key, found)).isSameAs(found);
        expected.put(key, found);
      }
    }
    List<KeyCopies> all = new ArrayList<>(table.all());
    assertThat(all).containsExactlyInAnyOrderElementsOf(expected.values());
    table.clear();
    assertThat(table.all()).isEmpty();
    assertThat(table.find(all.getFirst().key)).isNull();
  }
}
