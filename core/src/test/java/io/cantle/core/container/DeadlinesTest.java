package io.cantle.core.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Output;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When entries end, and which of a segment is the first. */
class DeadlinesTest {
  private final SegmentEntries entries = new SegmentEntries();

  private static Entry entry(String key, long index, @Nullable Deadline deadline) {
    byte[] bytes = (key + "value").getBytes(UTF_8);
    return Entry.of(key.hashCode(), bytes, key.length(), 1, index, false, 0, deadline);
  }

  private static Entry until(String key, long index, long atMillis) {
    return entry(key, index, new Deadline(atMillis, 0, 0));
  }

  private @Nullable Entry find(String key) {
    return entries.find(key.hashCode(), key.getBytes(UTF_8), 0, key.length());
  }

  @Test
  void theEarliestIsKnownWhateverIsPutReplacedPurgedAndEnded() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      entries.clear();
      TreeMap<String, Long> model = new TreeMap<>();
      for (int step = 1; step < 2_000; step++) {
        String key = "k" + random.nextInt(300);
        Entry present = find(key);
        switch (random.nextInt(6)) {
          case 0 -> {
            if (present != null) {
              entries.purge(present);
            }
            model.remove(key);
          }
          case 1 -> {
            entries.put(entry(key, step, null));
            model.remove(key);
          }
          case 2 -> {
            long now = random.nextInt(1_000);
            for (Entry due; (due = entries.due(now)) != null; ) {
              assertThat(due.deadlineMillis()).isLessThanOrEqualTo(now);
              entries.put(due.ended(1, step));
            }
            model.values().removeIf(at -> at <= now);
          }
          default -> {
            long at = random.nextInt(1_000);
            entries.put(until(key, step, at));
            model.put(key, at);
          }
        }
        long earliest =
            model.values().stream().mapToLong(Long::longValue).min().orElse(Deadline.NEVER);
        assertThat(entries.earliestDeadline()).isEqualTo(earliest);
      }
    }
  }

  @Test
  void anEntryThatEndsLeavesATombstoneOfItsKeyAndItsStamp() {
    byte[] bytes = "keyvalue".getBytes(UTF_8);
    entries.put(Entry.of(7, bytes, 3, 1, 5, false, 77, new Deadline(100, 0, 0)));
    assertThat(entries.due(99)).isNull();
    Entry due = Objects.requireNonNull(entries.due(100));
    entries.put(due.ended(2, 9));
    Entry ended = Objects.requireNonNull(entries.find(7, bytes, 0, 3));
    assertThat(ended.tombstone()).isTrue();
    assertThat(ended.compareVersion(2, 9)).isZero();
    assertThat(ended.markedStamp()).isEqualTo(77);
    assertThat(ended.bytes()).isEqualTo("key".getBytes(UTF_8));
    assertThat(entries.liveCount()).isZero();
    assertThat(entries.tombstoneCount()).isEqualTo(1);
    assertThat(entries.due(Long.MAX_VALUE - 1)).isNull();
  }

  @Test
  void nothingEndsBeforeItsTimeAndIdleEntriesAtMostAnEighthLater() {
    for (long millis : new long[] {1, 7, 8, 9, 1_000, Lifetime.MAX_MILLIS}) {
      assertThat(new Lifetime(millis, 0).from(40).atMillis()).isEqualTo(40 + millis + 1);
      Deadline idle = new Lifetime(0, millis).from(40);
      assertThat(idle.atMillis()).isEqualTo(40 + millis + millis / 8 + 1);
      // The last moment at which a read is not noted leaves the idle time.
      long unnoted = 40 + millis / 8;
      assertThat(idle.wantsTouch(unnoted)).isFalse();
      assertThat(idle.wantsTouch(unnoted + 1)).isTrue();
      assertThat(idle.atMillis()).isGreaterThan(unnoted + millis);
      assertThat(idle.touched(unnoted + 1).atMillis()).isGreaterThan(unnoted + 1 + millis);
    }
    assertThat(new Lifetime(50, 100).from(0).atMillis()).isEqualTo(51);
    assertThat(new Lifetime(500, 80).from(0).atMillis()).isEqualTo(91);
    assertThat(Lifetime.UNLIMITED.from(7).atMillis()).isEqualTo(Deadline.NEVER);
  }

  @Test
  void whatIsLeftIsCountedFromNowAndNothingIsLeftOfWhatIsDue() {
    assertThat(new Deadline(100, 0, 0).left(40)).isEqualTo(new Lifetime(60, 0));
    assertThat(new Deadline(100, 0, 0).left(100)).isNull();
    assertThat(new Deadline(Deadline.NEVER, 80, 10).left(40)).isEqualTo(new Lifetime(0, 80));
    assertThat(new Deadline(Deadline.NEVER, 80, 10).left(101)).isNull();
  }

  @Test
  void lifetimesAndDeadlinesAreReadAsTheyWereWritten() {
    for (Lifetime lifetime :
        new Lifetime[] {
          Lifetime.UNLIMITED, new Lifetime(1, 0), new Lifetime(0, 300), new Lifetime(7, 9)
        }) {
      Output out = new Output(8);
      lifetime.write(out);
      assertThat(Lifetime.read(out.toInput())).isEqualTo(lifetime);
      Deadline deadline = lifetime.from(1L << 40);
      Output terms = new Output(8);
      deadline.write(terms);
      assertThat(Deadline.read(terms.toInput())).isEqualTo(deadline);
    }
    Output nothing = new Output(8);
    Lifetime.UNLIMITED.write(nothing);
    assertThat(nothing.position()).isEqualTo(2);
    assertThatThrownBy(() -> new Lifetime(Lifetime.MAX_MILLIS + 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lifespan")
        .hasMessageContaining(String.valueOf(Lifetime.MAX_MILLIS));
  }

  @Test
  void aScanGoesOnWhereEntriesEndUnderIt() {
    for (int i = 0; i < 1_000; i++) {
      entries.put(i % 2 == 0 ? until("k" + i, i + 1, 10) : entry("k" + i, i + 1, null));
    }
    int[] seen = new int[2];
    entries.scan(
        Cursor.START,
        found -> {
          seen[found.tombstone() ? 1 : 0]++;
          if (seen[0] + seen[1] == 300) {
            for (Entry due; (due = entries.due(10)) != null; ) {
              entries.put(due.ended(1, 5_000));
            }
          }
          return SegmentEntries.Visit.NEXT;
        });
    assertThat(seen[0] + seen[1]).isEqualTo(1_000);
    assertThat(seen[0]).isBetween(500, 800);
    assertThat(entries.liveCount()).isEqualTo(500);
  }
}
