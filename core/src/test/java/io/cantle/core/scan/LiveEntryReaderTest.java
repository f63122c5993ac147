package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.wire.ScanTarget;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** Tests the reader of live entries while writes go on and segments move. */
final class LiveEntryReaderTest {
  private static final int SEGMENTS = 3;

  private final ManualClock clock = new ManualClock();
  private final Map<Integer, SegmentCursor> cursors = new HashMap<>();
  private boolean cancelled;
  private long bytes = Long.MAX_VALUE;
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final ReplicaTable replicas =
      new ReplicaTable(
          new DecodedObjectCache(
              new Codec(ClassAllowList.of(List.of()), LiveEntryReaderTest.class.getClassLoader()),
              new MemoryAccount(1 << 20)),
          new io.cantle.core.base.HybridLogicalClock(clock),
          clock,
          NodeStore.NONE,
          kind -> new HeapContainer());
  private final List<String> awaited = new ArrayList<>();
  private Topology topology = Topology.NONE;
  private long sequence;

  private void enter(int epoch, Member... owners) {
    List<SegmentOwnership> segments = new ArrayList<>();
    for (int segment = 0; segment < SEGMENTS; segment++) {
      segments.add(TopologyFixture.owned(epoch, owners));
    }
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(SEGMENTS));
    Topology next =
        TopologyFixture.of(
            epoch, 42, List.of(a, b), List.of(new CacheOwnership(0, 0, one, segments)));
    replicas.adopt(next, topology, a);
    topology = next;
    for (int segment = 0; segment < SEGMENTS; segment++) {
      replica(segment).serveEpoch(epoch);
    }
  }

  private Replica replica(int segment) {
    return Objects.requireNonNull(replicas.find(0, segment));
  }

  private void write(int segment, String key, boolean removes) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    sequence++;
    io.cantle.core.replica.ExecuteResult outcome =
        replica(segment)
            .execute(
                () -> true,
                replica(segment).state().epoch(),
                new CommandId(new SessionId(b.id(), 1), sequence, sequence, 1, 1),
                KeyHash.hash(42, bytes, 0, bytes.length),
                bytes,
                0,
                bytes.length,
                found ->
                    removes
                        ? CommandEffect.remove(bytes, OperationResult.TRUE, false)
                        : CommandEffect.put(bytes, OperationResult.TRUE, false));
    assertThat(outcome).isInstanceOf(io.cantle.core.replica.CommandOutcome.Written.class);
  }

  private LiveEntryReader all(BiPredicate<Replica, Entry> commitAwaiter) {
    return reader(scans(commitAwaiter));
  }

  private List<SegmentScan> scans(BiPredicate<Replica, Entry> commitAwaiter) {
    List<SegmentScan> scanned = new ArrayList<>();
    for (int segment = 0; segment < SEGMENTS; segment++) {
      ScanTarget target =
          new ScanTarget(segment, cursors.getOrDefault(segment, SegmentCursor.START));
      Replica replica = replica(segment);
      scanned.add(
          new SegmentScan(
              replica, replica.state(), target, 42, entry -> commitAwaiter.test(replica, entry)));
    }
    return scanned;
  }

  private LiveEntryReader reader(List<SegmentScan> scanned) {
    return new LiveEntryReader(
        scanned,
        true,
        new TimeSlice(clock, () -> cancelled, () -> TimeSlice.MAX_SLICE_NANOS),
        bytes);
  }

  private LiveEntryReader all() {
    return all(
        (replica, entry) -> {
          throw new AssertionError("nothing is dirty, not " + entry);
        });
  }

  private static String key(Entry entry) {
    return new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8);
  }

  private static List<String> keys(LiveEntryReader reader) {
    List<String> keys = new ArrayList<>();
    reader.forEachRemaining(entry -> keys.add(key(entry)));
    return keys;
  }

  @Test
  void nothingIsInEmptySegments() {
    enter(1, a);
    LiveEntryReader reader = all();
    assertThat(reader.hasNext()).isFalse();
    assertThat(reader.isRefused()).isFalse();
    assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(reader::next);
  }

  @Test
  void everyLiveEntryComesOnceOverMoreThanABatch() {
    enter(1, a);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1_700; i++) {
      write(i % 2 == 0 ? 0 : 2, "k" + i, false);
      expected.add("k" + i);
    }
    LiveEntryReader reader = all();
    assertThat(keys(reader)).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(reader.isRefused()).isFalse();
  }

  @Test
  void endsBeforeTheByteLimitExceptForASingleEntry() {
    enter(1, a);
    List<String> expected = new ArrayList<>();
    for (int i = 100; i < 140; i++) {
      // Four bytes.
      write(i % 2, "k" + i, false);
      expected.add("k" + i);
    }
    for (int most : new int[] {0, 4, 15, 16, 160}) {
      cursors.clear();
      bytes = most;
      List<String> seen = new ArrayList<>();
      while (cursors.size() < SEGMENTS
          || !cursors.values().stream().allMatch(cursor -> cursor.equals(SegmentCursor.END))) {
        LiveEntryReader reader = all();
        List<String> keys = keys(reader);
        assertThat(keys).hasSizeLessThanOrEqualTo(Math.max(1, most / 4));
        assertThat(reader.entriesRead()).isEqualTo(keys.size());
        assertThat(reader.bytesRead()).isEqualTo(4L * keys.size());
        seen.addAll(keys);
        cursors.putAll(outcomes(reader));
      }
      assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void endsWhenDerivedElementsExceedTheLimit() {
    enter(1, a);
    for (int i = 100; i < 140; i++) {
      write(0, "k" + i, false);
    }
    bytes = 160;
    LiveEntryReader reader = all();
    for (int i = 0; i < 4; i++) {
      assertThat(reader.hasNext()).isTrue();
      reader.next();
      reader.addMadeBytes(36);
    }
    assertThat(reader.hasNext()).isFalse();
    assertThat(reader.bytesRead()).isEqualTo(160);
    cursors.putAll(outcomes(reader));
    bytes = 1_000;
    assertThat(keys(all())).as("the rest").hasSize(36);
  }

  @Test
  void exactlyABatchEndsCleanly() {
    enter(1, a);
    for (int i = 0; i < 512; i++) {
      write(1, "k" + i, false);
    }
    assertThat(keys(all())).hasSize(512).doesNotHaveDuplicates();
  }

  @Test
  void removedKeysAreNotThere() {
    enter(1, a, b);
    write(0, "k", false);
    write(0, "l", false);
    write(0, "k", true);
    replica(0).onAck(b, 1, 3);
    replica(0).performEffects();
    write(1, "m", false);
    write(1, "m", true);
    replica(1).onAck(b, 1, 2);
    replica(1).performEffects();
    assertThat(keys(all())).containsExactly("l");
  }

  @Test
  void waitsForUncommittedEntries() {
    enter(1, a, b);
    for (int i = 0; i < 20; i++) {
      write(0, "k" + i, false);
    }
    replica(0).onAck(b, 1, 12);
    replica(0).performEffects();
    LiveEntryReader reader =
        all(
            (replica, entry) -> {
              awaited.add(key(entry));
              replica.onAck(b, 1, entry.index());
              replica.performEffects();
              return true;
            });
    assertThat(keys(reader)).hasSize(20).doesNotHaveDuplicates();
    assertThat(awaited).isNotEmpty().doesNotHaveDuplicates();
    assertThat(reader.isRefused()).isFalse();
  }

  @Test
  void constantlyRewrittenKeyIsReadAsOfTheWait() {
    enter(1, a, b);
    write(0, "k", false);
    write(0, "hot", false);
    write(0, "l", false);
    LiveEntryReader reader =
        all(
            (replica, entry) -> {
              awaited.add(key(entry));
              write(0, key(entry), awaited.size() % 2 == 0);
              replica.onAck(b, 1, entry.index());
              replica.performEffects();
              return true;
            });
    assertThat(keys(reader)).containsExactlyInAnyOrder("k", "hot", "l");
    assertThat(awaited).doesNotHaveDuplicates();
    assertThat(reader.isRefused()).isFalse();
  }

  @Test
  void isRefusedWhenAWriteIsNeverCommitted() {
    enter(1, a, b);
    write(0, "k", false);
    LiveEntryReader reader = all((replica, entry) -> false);
    assertThat(keys(reader)).isEmpty();
    assertThat(reader.isRefused()).isTrue();
    assertThat(reader.hasNext()).isFalse();
  }

  @Test
  void versionThatWasNotCommittedIsNotDeliveredToAnotherReader() {
    enter(1, a, b);
    write(0, "k", false);
    List<SegmentScan> scans = scans((replica, entry) -> false);
    for (int attempt = 0; attempt < 2; attempt++) {
      LiveEntryReader reader = reader(scans);
      assertThat(keys(reader)).as("attempt %d", attempt).isEmpty();
      assertThat(reader.isRefused()).isTrue();
    }
  }

  @Test
  void isRefusedWhenTheSegmentMoves() {
    enter(1, a);
    for (int i = 0; i < 1_200; i++) {
      write(0, "k" + i, false);
    }
    LiveEntryReader reader = all();
    reader.next();
    enter(2, a);
    int rest = keys(reader).size();
    assertThat(rest).as("what was read before").isEqualTo(511);
    assertThat(reader.isRefused()).isTrue();
  }

  @Test
  void isRefusedWhenALaterSegmentHasMoved() {
    enter(1, a);
    write(0, "k", false);
    LiveEntryReader reader = all();
    assertThat(key(reader.next())).isEqualTo("k");
    enter(2, a);
    assertThat(reader.hasNext()).isFalse();
    assertThat(reader.isRefused()).isTrue();
  }

  private final List<Integer> readToTheirEnd = new ArrayList<>();

  /** The cursor of each segment in an answer; null for a segment that is done. */
  private Map<Integer, SegmentCursor> outcomes(LiveEntryReader reader) {
    Output out = new Output(64);
    reader.writeStatuses(out, reader.isLost());
    out.writeVarint(0);
    Input in = out.toInput();
    Map<Integer, SegmentCursor> told = new HashMap<>();
    for (long named = in.readVarint(); named != 0; named = in.readVarint()) {
      int outcome = in.readByte();
      assertThat(outcome)
          .isIn(ScanStatus.DONE, ScanStatus.MORE, ScanStatus.LOST, ScanStatus.ENOUGH);
      if (outcome == ScanStatus.DONE) {
        readToTheirEnd.add((int) named - 1);
      }
      told.put(
          (int) named - 1, outcome == ScanStatus.MORE ? SegmentCursor.read(in) : SegmentCursor.END);
    }
    return told;
  }

  @Test
  void endsWithItsTimeSliceAndResumesThere() {
    enter(1, a);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1_700; i++) {
      write(i % 2 == 0 ? 0 : 2, "k" + i, false);
      expected.add("k" + i);
    }
    List<String> found = new ArrayList<>();
    int turns = 0;
    for (;
        cursors.size() < 3 || !cursors.values().stream().allMatch(SegmentCursor.END::equals);
        turns++) {
      LiveEntryReader reader = all();
      long began = clock.nanoTime();
      while (reader.hasNext()) {
        found.add(key(reader.next()));
        clock.advance(5_000_000);
      }
      assertThat(reader.isRefused()).isFalse();
      assertThat(clock.nanoTime() - began).isLessThan(2 * TimeSlice.MAX_SLICE_NANOS);
      cursors.putAll(outcomes(reader));
      assertThat(turns).isLessThan(100);
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(turns).isGreaterThan(4);
  }

  @Test
  void everyRequestReadsAtLeastOneEntry() {
    enter(1, a);
    write(0, "k", false);
    write(0, "l", false);
    LiveEntryReader reader = all();
    reader.next();
    clock.advance(TimeSlice.MAX_SLICE_NANOS * 100);
    assertThat(reader.hasNext()).isFalse();
    assertThat(outcomes(reader)).hasSize(1).doesNotContainValue(SegmentCursor.END);
  }

  @Test
  void endsSoonWhenCancelled() {
    enter(1, a);
    for (int i = 0; i < 1_200; i++) {
      write(0, "k" + i, false);
    }
    LiveEntryReader reader = all();
    reader.next();
    cancelled = true;
    int more = 0;
    for (; reader.hasNext(); reader.next()) {
      more++;
    }
    assertThat(more).isLessThan(4);
  }

  @Test
  void consumerThatStopsEarlyNeedsNoMoreSegments() {
    enter(1, a);
    write(0, "k", false);
    write(0, "l", false);
    write(2, "m", false);
    LiveEntryReader reader = all();
    reader.next();
    assertThat(outcomes(reader)).hasSize(3).containsValue(SegmentCursor.END);
    assertThat(readToTheirEnd).isEmpty();
    reader = all();
    for (int i = 0; i < 3; i++) {
      reader.next();
    }
    assertThat(outcomes(reader)).hasSize(3);
    assertThat(readToTheirEnd).containsExactly(0, 1);
  }
}
