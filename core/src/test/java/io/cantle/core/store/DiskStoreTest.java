package io.cantle.core.store;

import static io.cantle.core.store.StoredByHand.awaitKept;
import static io.cantle.core.store.StoredByHand.bytes;
import static io.cantle.core.store.StoredByHand.contents;
import static io.cantle.core.store.StoredByHand.entry;
import static io.cantle.core.store.StoredByHand.hash;
import static io.cantle.core.store.StoredByHand.loaded;
import static io.cantle.core.store.StoredByHand.removed;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Origin;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import io.cantle.core.node.SystemWorld;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.SyncPolicy;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was kept is there in the next life of the node, and nothing else. */
@Timeout(60)
final class DiskStoreTest {
  private static final UUID GRID = new UUID(7, 9);
  private static final Label LABEL = new Label(GRID, 3, -1);

  private final SystemWorld world = new SystemWorld("store");

  @TempDir Path folder;

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aCopyComesBackAsItWas() throws Exception {
    Deadline deadline = new Deadline(900, 50, 70);
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(2, 5);
      shelf.label(LABEL, 3, 0);
      shelf.put(entry("a", "1", 3, 1));
      shelf.put(entry("b", "2", 3, 2));
      shelf.put(entry("a", "3", 4, 1));
      shelf.put(removed("b", 4, 2));
      shelf.put(Entry.of(hash("c"), bytes("c4"), 1, 4, 3, false, 77, deadline));
      awaitKept(shelf);
    }
    try (DiskStore store = open()) {
      Copy copy = Objects.requireNonNull(store.take(2, 5));
      assertThat(store.take(2, 5)).as("taken once").isNull();
      assertThat(store.take(2, 6)).isNull();
      assertThat(copy.label()).isEqualTo(LABEL);
      assertThat(contents(copy)).containsExactly("a=3@4/1", "b-@4/2", "c=4@4/3");
      assertThat(copy.removed()).hasSize(1);
      assertThat(copy.epoch()).isEqualTo(4);
      assertThat(copy.applied()).isEqualTo(3);
      assertThat(copy.segmentMillis()).isEqualTo(70);
      Entry lasting = Objects.requireNonNull(copy.entries().find(hash("c"), bytes("c"), 0, 1));
      assertThat(lasting.deadline()).isEqualTo(deadline);
      assertThat(lasting.markedStamp()).isEqualTo(77);
      assertThat(lasting.origin()).isEqualTo(Origin.of(77));
    }
  }

  @Test
  void whatWasDueByTheLastTickHasEndedThoughNoKeyIsRemoved() throws Exception {
    Label ticked = new Label(GRID, 3, 70, new Label.Tick(4, 9, 70), 0);
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(2, 5);
      shelf.label(LABEL, 3, 0);
      shelf.put(lasting("due", 4, 3, 70));
      shelf.put(lasting("later", 4, 4, 71));
      shelf.label(ticked, 3, 1);
      shelf.put(lasting("new", 4, 10, 70));
      awaitKept(shelf);
    }
    try (DiskStore store = open()) {
      Copy copy = Objects.requireNonNull(store.take(2, 5));
      assertThat(copy.label()).isEqualTo(ticked);
      assertThat(contents(copy)).containsExactly("due-@4/9", "later=1@4/4", "new=1@4/10");
      assertThat(copy.ended()).hasSize(1);
    }
  }

  private static Entry lasting(String key, int epoch, long index, long endMillis) {
    Deadline deadline = new Deadline(endMillis, 0, 10);
    return Entry.of(hash(key), bytes(key + 1), key.length(), epoch, index, false, 0, deadline);
  }

  @Test
  void whatIsPurgedIsGoneAndLaterWritesAreNot() throws Exception {
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(0, 0);
      shelf.label(LABEL, 3, 0);
      shelf.put(removed("a", 3, 1));
      shelf.put(removed("b", 3, 2));
      shelf.put(entry("b", "new", 3, 3));
      shelf.purge(removed("a", 3, 1));
      shelf.purge(removed("b", 3, 2));
      awaitKept(shelf);
    }
    try (DiskStore store = open()) {
      assertThat(contents(store.take(0, 0))).containsExactly("b=new@3/3");
    }
  }

  @Test
  void aDropEndsWhatWasBeforeAndNothingElse() throws Exception {
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(1, 1);
      shelf.label(LABEL, 3, 0);
      shelf.put(entry("a", "1", 3, 1));
      Shelf other = store.shelf(1, 3);
      other.label(LABEL, 3, 0);
      other.put(entry("x", "1", 3, 1));
      shelf.drop();
      shelf.label(new Label(GRID, 8, 12), 8, 0);
      shelf.put(entry("b", "1", 8, 1));
      awaitKept(shelf);
      awaitKept(other);
    }
    try (DiskStore store = open()) {
      Copy copy = Objects.requireNonNull(store.take(1, 1));
      assertThat(copy.label()).isEqualTo(new Label(GRID, 8, 12));
      assertThat(copy.segmentMillis()).isEqualTo(12);
      assertThat(contents(copy)).containsExactly("b=1@8/1");
      assertThat(contents(store.take(1, 3))).containsExactly("x=1@3/1");
      store.shelf(1, 3).drop();
    }
    try (DiskStore store = open()) {
      assertThat(store.take(1, 3)).isNull();
      assertThat(store.take(1, 1)).isNotNull();
    }
  }

  @Test
  void anEarlierVersionChangesNothingAndIsToldInItsTurn() throws Exception {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(0, 0);
      shelf.label(LABEL, 3, 0);
      for (int i = 0; i < 200; i++) {
        String name = "w" + i;
        shelf.put(entry("k" + i, "late", 5, i + 1L));
        shelf.put(entry("k" + i, "early", 4, i + 1L));
        shelf.then(() -> order.add(name));
      }
      awaitKept(shelf);
      assertThat(order).hasSize(200);
      for (int i = 0; i < 200; i++) {
        assertThat(order.get(i)).isEqualTo("w" + i);
      }
    }
    try (DiskStore store = open()) {
      assertThat(contents(store.take(0, 0))).hasSize(200).allMatch(text -> text.contains("late"));
    }
  }

  @Test
  void theLastNoteOfANameIsFoundAtOnceAndLater() throws Exception {
    try (DiskStore store = open()) {
      assertThat(store.find("vote")).isNull();
      CountDownLatch kept = new CountDownLatch(2);
      store.keep("vote", bytes("one"), kept::countDown);
      store.keep("vote", bytes("two"), kept::countDown);
      assertThat(store.find("vote")).isEqualTo(bytes("two"));
      kept.await();
    }
    try (DiskStore store = open()) {
      assertThat(store.find("vote")).isEqualTo(bytes("two"));
    }
  }

  @Test
  void aFailureIsToldOnceAndNothingIsKeptAfterIt() throws Exception {
    List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch failed = new CountDownLatch(1);
    AtomicReference<@Nullable String> after = new AtomicReference<>();
    try (DiskStore store = open()) {
      store.whenFailed(
          why -> {
            told.add(why);
            failed.countDown();
          });
      Shelf shelf = store.shelf(0, 0);
      shelf.put(new Entry(1, new byte[DiskStore.MOST_ENTRY_BYTES * 2], 4, 1, 1, false));
      shelf.then(() -> after.set("told"));
      shelf.put(new Entry(2, new byte[DiskStore.MOST_ENTRY_BYTES * 2], 4, 1, 2, false));
      failed.await();
    }
    assertThat(told).singleElement().asString().contains("recordBytes");
    assertThat(after.get()).isNull();
  }

  @Test
  void anErrorOfWhatFollowsEndsTheStore() throws Exception {
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    try (DiskStore store = open()) {
      store.whenFailed(told::complete);
      Shelf shelf = store.shelf(0, 0);
      shelf.then(
          () -> {
            throw new OutOfMemoryError("of a test");
          });
      assertThat(told.get(20, TimeUnit.SECONDS)).hasMessageContaining("of a test");
    }
  }

  @Test
  void anErrorOfALaneIsToldAndTheLaneCarriesNothingOutAfterIt() throws Exception {
    List<String> told = new ArrayList<>();
    try (SegmentStore store =
        SegmentStore.open(
            new FileDisk(folder),
            StoreOptions.of(LogOptions.of(SyncPolicy.GROUP)),
            1,
            new DiskStore.StoreTime(world.world().clock()),
            Thread.ofPlatform().daemon().factory())) {
      Lane lane =
          new Lane(
              store,
              world.world().clock(),
              new AtomicLong(),
              Runnable::run,
              why -> told.add(String.valueOf(why.getMessage())));
      lane.add(
          (to, timeout) -> {
            throw new OutOfMemoryError("of a test");
          },
          1,
          null);
      lane.add(() -> told.add("what comes after it"));
      lane.end();
      lane.run();
    }
    assertThat(told).containsExactly("of a test");
  }

  private DiskStore open() throws IOException {
    return loaded(new FileDisk(folder), world.world());
  }
}
