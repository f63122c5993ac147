package io.cantle.core.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Expiry times, and which entry of a segment expires first. */
class ExpiryHeapTest {
  private final HeapContainer entries = new HeapContainer();

  private static Entry entry(String key, long index, @Nullable ExpiryTime expiryTime) {
    byte[] bytes = (key + "value").getBytes(UTF_8);
    return Entry.of(key.hashCode(), bytes, key.length(), 1, index, false, 0, expiryTime);
  }

  private static Entry until(String key, long index, long atMillis) {
    return entry(key, index, new ExpiryTime(atMillis, 0, 0));
  }

  private @Nullable Entry find(String key) {
    return entries.get(key.hashCode(), key.getBytes(UTF_8), 0, key.length());
  }

  @Test
  void earliestExpiryIsKnownThroughRandomChanges() {
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
              entries.remove(present);
            }
            model.remove(key);
          }
          case 1 -> {
            entries.put(entry(key, step, null));
            model.remove(key);
          }
          case 2 -> {
            long now = random.nextInt(1_000);
            for (Entry due; (due = entries.findDue(now)) != null; ) {
              assertThat(due.expiresAtMillis()).isLessThanOrEqualTo(now);
              entries.put(due.toTombstone(new Version(1, step)));
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
            model.values().stream().mapToLong(Long::longValue).min().orElse(ExpiryTime.NEVER);
        assertThat(entries.earliestExpiryMillis()).isEqualTo(earliest);
      }
    }
  }

  @Test
  void expiredEntryLeavesATombstoneWithItsKeyAndStamp() {
    byte[] bytes = "keyvalue".getBytes(UTF_8);
    entries.put(Entry.of(7, bytes, 3, 1, 5, false, 77, new ExpiryTime(100, 0, 0)));
    assertThat(entries.findDue(99)).isNull();
    Entry due = Objects.requireNonNull(entries.findDue(100));
    entries.put(due.toTombstone(new Version(2, 9)));
    Entry ended = Objects.requireNonNull(entries.get(7, bytes, 0, 3));
    assertThat(ended.isTombstone()).isTrue();
    assertThat(ended.compareVersion(new Version(2, 9))).isZero();
    assertThat(ended.markedStamp()).isEqualTo(77);
    assertThat(ended.bytes()).isEqualTo("key".getBytes(UTF_8));
    assertThat(entries.liveCount()).isZero();
    assertThat(entries.tombstoneCount()).isEqualTo(1);
    assertThat(entries.findDue(Long.MAX_VALUE - 1)).isNull();
  }

  @Test
  void idleEntriesExpireAtMostAnEighthLate() {
    for (long millis : new long[] {1, 7, 8, 9, 1_000, Lifetime.MAX_MILLIS}) {
      assertThat(new Lifetime(millis, 0).startingAt(40).expiresAtMillis())
          .isEqualTo(40 + millis + 1);
      ExpiryTime idle = new Lifetime(0, millis).startingAt(40);
      assertThat(idle.expiresAtMillis()).isEqualTo(40 + millis + millis / 8 + 1);
      // The last read that need not be recorded leaves the whole idle time.
      long unnoted = 40 + millis / 8;
      assertThat(idle.needsTouch(unnoted)).isFalse();
      assertThat(idle.needsTouch(unnoted + 1)).isTrue();
      assertThat(idle.expiresAtMillis()).isGreaterThan(unnoted + millis);
      assertThat(idle.withTouch(unnoted + 1).expiresAtMillis()).isGreaterThan(unnoted + 1 + millis);
    }
    assertThat(new Lifetime(50, 100).startingAt(0).expiresAtMillis()).isEqualTo(51);
    assertThat(new Lifetime(500, 80).startingAt(0).expiresAtMillis()).isEqualTo(91);
    assertThat(Lifetime.UNLIMITED.startingAt(7).expiresAtMillis()).isEqualTo(ExpiryTime.NEVER);
  }

  @Test
  void remainingLifetimeCountsFromNow() {
    assertThat(new ExpiryTime(100, 0, 0).remainingLifetime(40)).isEqualTo(new Lifetime(60, 0));
    assertThat(new ExpiryTime(100, 0, 0).remainingLifetime(100)).isNull();
    assertThat(new ExpiryTime(ExpiryTime.NEVER, 80, 10).remainingLifetime(40))
        .isEqualTo(new Lifetime(0, 80));
    assertThat(new ExpiryTime(ExpiryTime.NEVER, 80, 10).remainingLifetime(101)).isNull();
  }

  @Test
  void lifetimesAndExpiryTimesRoundTrip() {
    for (Lifetime lifetime :
        new Lifetime[] {
          Lifetime.UNLIMITED, new Lifetime(1, 0), new Lifetime(0, 300), new Lifetime(7, 9)
        }) {
      Output out = new Output(8);
      lifetime.write(out);
      assertThat(Lifetime.read(out.toInput())).isEqualTo(lifetime);
      ExpiryTime expiryTime = lifetime.startingAt(1L << 40);
      Output terms = new Output(8);
      expiryTime.write(terms);
      assertThat(ExpiryTime.read(terms.toInput())).isEqualTo(expiryTime);
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
  void scanContinuesWhileEntriesExpire() {
    for (int i = 0; i < 1_000; i++) {
      entries.put(i % 2 == 0 ? until("k" + i, i + 1, 10) : entry("k" + i, i + 1, null));
    }
    int[] seen = new int[2];
    entries.scan(
        SegmentCursor.START,
        found -> {
          seen[found.isTombstone() ? 1 : 0]++;
          if (seen[0] + seen[1] == 300) {
            for (Entry due; (due = entries.findDue(10)) != null; ) {
              entries.put(due.toTombstone(new Version(1, 5_000)));
            }
          }
          return Container.VisitResult.CONTINUE;
        });
    assertThat(seen[0] + seen[1]).isEqualTo(1_000);
    assertThat(seen[0]).isBetween(500, 800);
    assertThat(entries.liveCount()).isEqualTo(500);
  }
}
