package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Container.VisitResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Container} must do for readers without a lock beside one writer, which the
 * segment's lock allows.
 */
abstract class ContainerRaceContract {

  private static final int READERS = 3;

  /** Creates an empty container. */
  abstract Container create();

  /** What the entries keep. */
  EntryForm form() {
    return EntryForm.BYTES;
  }

  @Test
  void neverMissesAPresentKeyWhileTheTableGrows() throws Exception {
    for (int round = 0; round < 30; round++) {
      Container entries = create();
      AtomicInteger present = new AtomicInteger();
      int keys = 20_000;
      int seed = round;
      race(
          () -> {
            for (int key = 0; key < keys; key++) {
              entries.put(entry(key, 0));
              present.set(key + 1);
            }
          },
          reader -> {
            Random random = new Random(seed * 10L + reader);
            int known = present.get();
            while (known < keys) {
              for (int i = 0; known > 0 && i < 16; i++) {
                int key = random.nextBoolean() ? known - 1 : random.nextInt(known);
                if (find(entries, key) == null) {
                  throw new AssertionError("key " + key + " of " + known + " was missed");
                }
              }
              known = present.get();
            }
          });
    }
  }

  /**
   * Many keys of two hashes, at the begin and at the end of the table. Behind each of them is a key
   * that moves, as it does when a table grows and shrinks, while readers walk along the others.
   */
  @Test
  void findsTheKeyBehindManyOfOneHashWhileTheyComeAndGo() throws Exception {
    int keysOfHash = 512;
    long distance = 1L << 53;
    long[] hashes = {0, -1L << 54};
    AtomicReference<Container> shown = new AtomicReference<>(create());
    AtomicInteger done = new AtomicInteger();
    byte[] last = form().key(-1);
    for (long hash : hashes) {
      shown.get().put(form().entry(hash + distance, -1, 1));
    }
    race(
        () -> {
          for (int round = 0; round < form().rounds(400); round++) {
            Container entries = create();
            for (long hash : hashes) {
              entries.put(form().entry(hash + distance, -1, 1));
            }
            shown.set(entries);
            List<Entry> added = new ArrayList<>();
            // Descending, so that each key goes in front of those of its hash.
            for (int key = 2 * keysOfHash; key > 0; key--) {
              added.add(form().entry(hashes[key & 1], key, 1));
              entries.put(added.getLast());
            }
            added.reversed().forEach(entries::remove);
          }
          done.set(1);
        },
        reader -> {
          while (done.get() == 0) {
            Container entries = shown.get();
            for (int i = 0; i < 16; i++) {
              if (entries.get(hashes[i & 1] + distance, last, 0, last.length) == null) {
                throw new AssertionError("the key behind those of hash " + (i & 1) + " was missed");
              }
            }
          }
        });
  }

  private Container createWith(int keyCount) {
    Container entries = create();
    for (int key = 0; key < keyCount; key++) {
      entries.put(entry(key, 0));
    }
    return entries;
  }

  @Test
  void findsReplacedKeysWhileTheTableGrowsAndShrinks() throws Exception {
    int staying = 64;
    Container entries = createWith(staying);
    AtomicInteger done = new AtomicInteger();
    race(
        () -> {
          churn(entries, staying, 150, 3000);
          done.set(1);
        },
        reader -> {
          Random random = new Random(reader);
          long[] newest = new long[staying];
          while (done.get() == 0) {
            int key = random.nextInt(staying);
            Entry entry = Objects.requireNonNull(find(entries, key), () -> "lost key " + key);
            if (entry.index() < newest[key]) {
              throw new AssertionError(entry + " is older than " + newest[key]);
            }
            newest[key] = entry.index();
          }
        });
  }

  @Test
  void scansStableKeysExactlyOnceWhileTheTableGrowsAndShrinks() throws Exception {
    int staying = 300;
    Container entries = createWith(staying);
    AtomicInteger done = new AtomicInteger();
    race(
        () -> {
          churn(entries, staying, 150, 3000);
          done.set(1);
        },
        reader -> {
          Random random = new Random(reader);
          int pieces = new int[] {Integer.MAX_VALUE, 50, 3}[reader % 3];
          while (done.get() == 0) {
            checkScan(entries, staying, pieces, random);
          }
          checkScan(entries, staying, pieces, random);
        });
  }

  @Test
  void scanStaysInOrderDuringClear() throws Exception {
    Container entries = create();
    AtomicInteger done = new AtomicInteger();
    race(
        () -> {
          for (int round = 0; round < 200; round++) {
            for (int key = 0; key < 1000; key++) {
              entries.put(entry(key, round));
            }
            entries.clear();
          }
          done.set(1);
        },
        reader -> {
          while (done.get() == 0) {
            checkScan(entries, 0, 100, new Random(reader));
          }
        });
    assertThat(entries.liveCount()).isZero();
    assertThat(entries.sizeBytes()).isZero();
  }

  /** Puts and purges keys other than the staying ones, and replaces some of those. */
  private void churn(Container entries, int staying, int rounds, int most) {
    Random random = new Random(1);
    int version = 1;
    for (int round = 0; round < rounds; round++) {
      int more = random.nextInt(most);
      List<Entry> added = new ArrayList<>(more);
      for (int i = 0; i < more; i++) {
        added.add(entry(staying + i, version));
        entries.put(added.getLast());
        if (i % 4 == 0) {
          entries.put(entry(random.nextInt(staying), version++));
        }
      }
      for (Entry entry : added) {
        entries.remove(entry);
      }
    }
  }

  private void checkScan(Container entries, int staying, int pieces, Random random) {
    int[] seen = new int[staying];
    @Nullable Entry[] last = new @Nullable Entry[1];
    SegmentCursor cursor = SegmentCursor.START;
    while (cursor.kind() != SegmentCursor.CursorKind.END) {
      int[] left = {pieces == Integer.MAX_VALUE ? pieces : 1 + random.nextInt(pieces)};
      cursor =
          entries.scan(
              cursor,
              entry -> {
                Entry before = last[0];
                if (before != null
                    && before.compareOrder(entry.hash(), entry.keyBytes(), 0, entry.keyLength())
                        >= 0) {
                  throw new AssertionError(entry + " after " + before);
                }
                last[0] = entry;
                int key = form().number(entry);
                if (key < staying) {
                  seen[key]++;
                }
                return --left[0] == 0 ? VisitResult.STOP_AFTER : VisitResult.CONTINUE;
              });
    }
    assertThat(Arrays.stream(seen).allMatch(times -> times == 1))
        .as("times seen: %s", Arrays.toString(seen))
        .isTrue();
  }

  interface Reader {
    void read(int number);
  }

  /**
   * Runs a writer and readers at once and waits for all. A failing reader does not end the others.
   */
  static void race(Runnable writer, Reader reader) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(READERS + 1)) {
      List<Callable<Object>> tasks = new ArrayList<>();
      for (int number = 0; number < READERS; number++) {
        int mine = number;
        tasks.add(
            () -> {
              reader.read(mine);
              return mine;
            });
      }
      tasks.add(Executors.callable(writer));
      for (Future<Object> task : threads.invokeAll(tasks)) {
        task.get();
      }
    }
  }

  private Entry entry(int key, int version) {
    return form().entry(hash(key), key, version);
  }

  private @Nullable Entry find(Container entries, int number) {
    byte[] key = form().key(number);
    return entries.get(hash(number), key, 0, key.length);
  }

  /** Some keys share a hash, most do not. */
  private static long hash(int key) {
    return (key >> 1) * 0x9E37_79B9_7F4A_7C15L;
  }
}
