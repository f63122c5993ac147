package io.cantle.core.replica;

import io.cantle.WhenFull;
import io.cantle.core.base.ManualClock;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.memory.CountedMemory;
import io.cantle.core.memory.HeapGauge;
import io.cantle.core.memory.HeapGuard;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that what a segment keeps besides its entries takes what is counted. */
@Timeout(120)
final class SegmentBytesTest {
  @Test
  void segmentTakesWhatIsCounted() throws Exception {
    CountedMemory.assertTaken(Measurement.class, "-Xmx768m", 7);
  }

  /** Fills what a segment keeps, and compares; prints the ratio of what is taken to the count. */
  static final class Measurement {
    private static final int ENTRIES = 100_000;
    private static final int SESSIONS = 2_000;

    private Measurement() {}

    /** Measures each kind. */
    public static void main(String... words) {
      tombstones(1_000);
      System.out.println(tombstones(ENTRIES));
      System.out.println(queue(ENTRIES, 0));
      System.out.println(queue(ENTRIES, 2 * ENTRIES));
      System.out.println(values(ENTRIES, 2 * ENTRIES));
      System.out.println(sessions(1_000));
      System.out.println(sessions(100));
      System.out.println(sessions(-1));
    }

    private static Entry entry(int key, boolean tombstone, int valueBytes) {
      byte[] bytes = new byte[8 + (tombstone ? 0 : valueBytes)];
      for (int i = 0; i < 4; i++) {
        bytes[i] = (byte) (key >>> (8 * i));
      }
      long hash = key * 0x9E37_79B9_7F4A_7C15L;
      return Entry.of(hash, bytes, 8, 1, key + 1, tombstone, tombstone ? key + 1L : 0, null);
    }

    /** Entries that are removed in a grid whose sides merge. */
    private static String tombstones(int count) {
      return measure(
          "tombstones",
          count,
          () -> {
            HeapGuard guard = new HeapGuard(HeapGauge.UNLIMITED);
            ManualReplica replica = new ManualReplica("a", guard);
            for (int key = 0; key < count; key++) {
              replica.addFetched(entry(key, true, 0));
            }
            return new ManualReplica[] {replica};
          },
          filled -> filled[0].heapRoom.guard().entryBytes());
    }

    private static String queue(int count, int more) {
      return measure(
          "queue after " + more + " evictions",
          count,
          () -> {
            Container entries = new HeapContainer();
            EntryAccount account = EntryAccount.ofEntries(entries, WhenFull.EVICT);
            for (int key = 0; key < count + more; key++) {
              Entry added = entry(key, false, 100);
              entries.put(added);
              account.onApplied(null, added);
              if (key % 3 == 0) {
                entries.markUsed(added);
              }
              if (entries.liveCount() > count) {
                Entry victim = Objects.requireNonNull(account.pollVictim());
                entries.remove(victim);
                account.onApplied(victim, null);
              }
            }
            return new Object[] {entries, account};
          },
          filled -> ((Container) filled[0]).sizeBytes() + ((EntryAccount) filled[1]).queueBytes());
    }

    /** Entries whose values leave memory and come back, in turn. */
    private static String values(int count, int moves) {
      return measure(
          "values after " + moves / 2 + " evictions",
          count,
          () -> {
            Container entries = new HeapContainer();
            ValueEvictor evictor = new ValueEvictor(Long.MAX_VALUE, new ManualClock(), List::of);
            EntryAccount account = EntryAccount.ofValues(entries, evictor);
            for (int key = 0; key < count; key++) {
              replace(entries, account, null, entry(key, false, 100));
            }
            for (int move = 0; move < moves; move++) {
              if (move % 2 == 0) {
                Entry victim = Objects.requireNonNull(account.pollVictim());
                replace(entries, account, victim, victim.withoutValue());
              }
              Entry whole = entry((int) (move * 7_919L % count), false, 100);
              Entry present = Objects.requireNonNull(entries.findLive(whole.hash()));
              if (present.isEvicted()) {
                replace(entries, account, present, whole);
              }
            }
            return new Object[] {entries, account, evictor};
          },
          filled -> ((ValueEvictor) filled[2]).usedBytes());
    }

    private static void replace(
        Container entries, EntryAccount account, @Nullable Entry before, Entry after) {
      entries.put(after);
      account.onApplied(before, after);
    }

    /** The last result of many sessions. */
    private static String sessions(int valueBytes) {
      return measure(
          "sessions with results of " + valueBytes,
          SESSIONS,
          () -> {
            SessionTable sessions = new SessionTable(new LiveSessions(id -> true, 1));
            for (int i = 0; i < 3 * SESSIONS; i++) {
              SessionId id = new SessionId(new UUID(0, i % SESSIONS), 1);
              OperationResult result =
                  valueBytes < 0
                      ? OperationResult.ABSENT
                      : OperationResult.valueIn(new byte[valueBytes], 0, valueBytes);
              int sequence = 1 + i / SESSIONS;
              sessions.recordWritten(new CommandId(id, sequence, sequence, 1, 0), 1, i, result);
            }
            return sessions;
          },
          SessionTable::sizeBytes);
    }

    private static <T> String measure(
        String kind, int count, Supplier<T> filler, ToLongFunction<T> counter) {
      long before = usedBytes();
      T filled = filler.get();
      try {
        long taken = usedBytes() - before;
        long counted = counter.applyAsLong(filled);
        return String.format(
            Locale.ROOT,
            "%s: %.1f bytes each, counted %.1f, ratio %.3f",
            kind,
            (double) taken / count,
            (double) counted / count,
            (double) taken / counted);
      } finally {
        Reference.reachabilityFence(filled);
      }
    }

    private static long usedBytes() {
      System.gc();
      System.gc();
      return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
  }
}
