package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.memory.MemoryAccount;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OffHeapContainerRaceTest extends ContainerRaceContract {
  private static final int KEYS = 64;

  private final MemoryAccount account = new MemoryAccount(Long.MAX_VALUE);

  @Override
  Container create() {
    return new OffHeapContainer(Arena::ofShared, account);
  }

  /** Blocks are freed, split and used again, and arenas closed, while readers copy from them. */
  @Test
  void neverReturnsAnEntryThatIsHalfAnother() throws Exception {
    Container entries = create();
    AtomicInteger done = new AtomicInteger();
    AtomicInteger found = new AtomicInteger();
    race(
        () -> {
          Random random = new Random(1);
          for (int step = 0; step < 400_000; step++) {
            int key = random.nextInt(KEYS);
            // Those of one length are written over each other.
            int length = key % 2 == 0 ? 200 : random.nextInt(step % 50_000 < 25_000 ? 100 : 2_000);
            entries.put(entry(key, step, length));
            if (step % 10_000 == 0) {
              entries.clear();
            }
          }
          done.set(1);
        },
        reader -> {
          Random random = new Random(reader);
          while (done.get() == 0) {
            int key = random.nextInt(KEYS);
            Entry entry = entries.get(hash(key), key(key), 0, 4);
            if (entry != null) {
              check(key, entry);
              entries.markUsed(entry);
              found.incrementAndGet();
            }
            Read read = entries.read(hash(key), key(key), 0, 4, OffHeapContainerRaceTest::read);
            if (read != null) {
              check(key, Entry.of(hash(key), read.bytes(key), 4, 1, read.index(), false, 0, null));
            }
            if (random.nextInt(100) == 0) {
              entries.scan(
                  SegmentCursor.START,
                  one -> {
                    check(ByteBuffer.wrap(one.bytes()).getInt(), one);
                    return VisitResult.CONTINUE;
                  });
            }
          }
        });
    assertThat(found.get()).isPositive();
    entries.clear();
    assertThat(account.reservedBytes()).isZero();
  }

  /** A version and its value. */
  private record Read(long index, byte[] value) {
    byte[] bytes(int key) {
      return ByteBuffer.allocate(4 + value.length).putInt(key).put(value).array();
    }
  }

  private static Read read(InPlaceEntry entry) {
    return new Read(entry.index(), entry.copyValue());
  }

  private static void check(int key, Entry entry) {
    byte[] bytes = entry.bytes();
    if (entry.hash() != hash(key) || ByteBuffer.wrap(bytes).getInt() != key) {
      throw new AssertionError("key " + key + " is " + entry);
    }
    for (int i = entry.valueOffset(); i < bytes.length; i++) {
      if (bytes[i] != (byte) entry.index()) {
        throw new AssertionError(entry + " has a byte of another at " + i);
      }
    }
  }

  private static Entry entry(int key, int version, int valueLength) {
    ByteBuffer bytes = ByteBuffer.allocate(4 + valueLength).putInt(key);
    while (bytes.hasRemaining()) {
      bytes.put((byte) version);
    }
    return Entry.of(hash(key), bytes.array(), 4, 1, version, false, 0, null);
  }

  private static byte[] key(int key) {
    return ByteBuffer.allocate(4).putInt(key).array();
  }

  private static long hash(int key) {
    return key * 0x9E37_79B9_7F4A_7C15L;
  }
}
