package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The live entries of some segments, while writes go on and segments move. */
final class LiveEntriesTest {
  private static final int SEGMENTS = 3;

  private final HandClock clock = new HandClock();
  private final Map<Integer, Cursor> cursors = new HashMap<>();
  private boolean cancelled;
  private long bytes = Long.MAX_VALUE;
  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final Replicas replicas =
      new Replicas(
          new Decoded(
              new Codec(AllowList.of(List.of()), LiveEntriesTest.class.getClassLoader()), 1 << 20),
          new io.cantle.core.base.HybridClock(clock),
          clock);
  private final List<String> awaited = new ArrayList<>();
  private Topology topology = Topology.NONE;
  private long sequence;

  private void enter(int epoch, Member... owners) {
    List<Ownership> segments = new ArrayList<>();
    for (int segment = 0; segment < SEGMENTS; segment++) {
      segments.add(HandTopology.owned(epoch, owners));
    }
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(SEGMENTS));
    Topology next =
        HandTopology.of(epoch, 42, List.of(a, b), List.of(new CacheOwnership(one, segments)));
    replicas.adopt(next, topology, a);
    topology = next;
    for (int segment = 0; segment < SEGMENTS; segment++) {
      replica(segment).serve(epoch);
    }
  }

  private Replica replica(int segment) {
    return Objects.requireNonNull(replicas.find(0, segment));
  }

  private void write(int segment, String key, boolean removes) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    sequence++;
    io.cantle.core.replica.Attempt outcome =
        replica(segment)
            .execute(
                () -> true,
                replica(segment).state().epoch(),
                new Command(new SessionId(b.id(), 1), sequence, sequence, 1, 1),
                KeyHash.hash(42, bytes, 0, bytes.length),
                bytes,
                0,
                bytes.length,
                found ->
                    removes
                        ? Effect.remove(bytes, Result.TRUE, false)
                        : Effect.put(bytes, Result.TRUE, false));
    assertThat(outcome).isInstanceOf(io.cantle.core.replica.Outcome.Written.class);
  }

  private LiveEntries all(Scanned.Commitment commitment) {
    List<Scanned> scanned = new ArrayList<>();
    for (int segment = 0; segment < SEGMENTS; segment++) {
      Want want = new Want(segment, cursors.getOrDefault(segment, Cursor.START));
      scanned.add(new Scanned(replica(segment), replica(segment).state(), want, 42));
    }
    return new LiveEntries(scanned, true, new Turn(clock, () -> cancelled), bytes, commitment);
  }

  private LiveEntries all() {
    return all(
        (replica, epoch, entry) -> {
          throw new AssertionError("nothing is dirty, not " + entry);
        });
  }

  private static String key(Entry entry) {
    return new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8);
  }

  private static List<String> keys(LiveEntries entries) {
    List<String> keys = new ArrayList<>();
    entries.forEachRemaining(entry -> keys.add(key(entry)));
    return keys;
  }

  @Test
  void nothingIsInEmptySegments() {
    enter(1, a);
    LiveEntries entries = all();
    assertThat(entries.hasNext()).isFalse();
    assertThat(entries.refused()).isFalse();
    assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(entries::next);
  }

  @Test
  void everyLiveEntryComesOnceOverMoreThanABatch() {
    enter(1, a);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1_700; i++) {
      write(i % 2 == 0 ? 0 : 2, "k" + i, false);
      expected.add("k" + i);
    }
    LiveEntries entries = all();
    assertThat(keys(entries)).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(entries.refused()).isFalse();
  }

  @Test
  void endsBeforeWhatIsTooMuchButForASingleEntry() {
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
          || !cursors.values().stream().allMatch(cursor -> cursor.equals(Cursor.END))) {
        LiveEntries entries = all();
        List<String> keys = keys(entries);
        assertThat(keys).hasSizeLessThanOrEqualTo(Math.max(1, most / 4));
        assertThat(entries.entriesRead()).isEqualTo(keys.size());
        assertThat(entries.bytesRead()).isEqualTo(4L * keys.size());
        seen.addAll(keys);
        cursors.putAll(outcomes(entries));
      }
      assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void endsWhenMuchIsMadeOfLittle() {
    enter(1, a);
    for (int i = 100; i < 140; i++) {
      write(0, "k" + i, false);
    }
    bytes = 160;
    LiveEntries entries = all();
    for (int i = 0; i < 4; i++) {
      assertThat(entries.hasNext()).isTrue();
      entries.next();
      entries.made(36);
    }
    assertThat(entries.hasNext()).isFalse();
    assertThat(entries.bytesRead()).isEqualTo(160);
    cursors.putAll(outcomes(entries));
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
    replica(0).acked(b, 1, 3);
    write(1, "m", false);
    write(1, "m", true);
    replica(1).acked(b, 1, 2);
    assertThat(keys(all())).containsExactly("l");
  }

  @Test
  void waitsForWhatIsNotCommitted() {
    enter(1, a, b);
    for (int i = 0; i < 20; i++) {
      write(0, "k" + i, false);
    }
    replica(0).acked(b, 1, 12);
    LiveEntries entries =
        all(
            (replica, epoch, entry) -> {
              awaited.add(key(entry));
              assertThat(epoch).isEqualTo(1);
              replica.acked(b, epoch, entry.index());
              return true;
            });
    assertThat(keys(entries)).hasSize(20).doesNotHaveDuplicates();
    assertThat(awaited).isNotEmpty().doesNotHaveDuplicates();
    assertThat(entries.refused()).isFalse();
  }

  @Test
  void aKeyThatIsWrittenAgainAndAgainIsToldAsItWas() {
    enter(1, a, b);
    write(0, "k", false);
    write(0, "hot", false);
    write(0, "l", false);
    LiveEntries entries =
        all(
            (replica, epoch, entry) -> {
              awaited.add(key(entry));
              write(0, key(entry), awaited.size() % 2 == 0);
              replica.acked(b, epoch, entry.index());
              return true;
            });
    assertThat(keys(entries)).containsExactlyInAnyOrder("k", "hot", "l");
    assertThat(awaited).doesNotHaveDuplicates();
    assertThat(entries.refused()).isFalse();
  }

  @Test
  void endsRefusedWhenAWriteIsNeverCommitted() {
    enter(1, a, b);
    write(0, "k", false);
    LiveEntries entries = all((replica, epoch, entry) -> false);
    assertThat(keys(entries)).isEmpty();
    assertThat(entries.refused()).isTrue();
    assertThat(entries.hasNext()).isFalse();
  }

  @Test
  void endsRefusedWhenTheSegmentMovesOn() {
    enter(1, a);
    for (int i = 0; i < 1_200; i++) {
      write(0, "k" + i, false);
    }
    LiveEntries entries = all();
    entries.next();
    enter(2, a);
    int rest = keys(entries).size();
    assertThat(rest).as("what was read before").isEqualTo(511);
    assertThat(entries.refused()).isTrue();
  }

  @Test
  void endsRefusedWhenALaterSegmentHasMovedOn() {
    enter(1, a);
    write(0, "k", false);
    LiveEntries entries = all();
    assertThat(key(entries.next())).isEqualTo("k");
    enter(2, a);
    assertThat(entries.hasNext()).isFalse();
    assertThat(entries.refused()).isTrue();
  }

  private final List<Integer> readToTheirEnd = new ArrayList<>();

  /** Where each segment goes on, as an answer says it; null for one that is done. */
  private Map<Integer, Cursor> outcomes(LiveEntries entries) {
    Output out = new Output(64);
    entries.writeOutcomes(out, entries.lost());
    out.writeVarint(0);
    Input in = out.toInput();
    Map<Integer, Cursor> told = new HashMap<>();
    for (long named = in.readVarint(); named != 0; named = in.readVarint()) {
      int outcome = in.readByte();
      assertThat(outcome).isIn(Outcome.DONE, Outcome.MORE, Outcome.LOST, Outcome.ENOUGH);
      if (outcome == Outcome.DONE) {
        readToTheirEnd.add((int) named - 1);
      }
      told.put((int) named - 1, outcome == Outcome.MORE ? Cursor.read(in) : Cursor.END);
    }
    return told;
  }

  @Test
  void endsWithItsTurnAndGoesOnWhereItEnded() {
    enter(1, a);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1_700; i++) {
      write(i % 2 == 0 ? 0 : 2, "k" + i, false);
      expected.add("k" + i);
    }
    List<String> found = new ArrayList<>();
    int turns = 0;
    for (; cursors.size() < 3 || !cursors.values().stream().allMatch(Cursor.END::equals); turns++) {
      LiveEntries entries = all();
      long began = clock.nanoTime();
      while (entries.hasNext()) {
        found.add(key(entries.next()));
        clock.advance(5_000_000);
      }
      assertThat(entries.refused()).isFalse();
      assertThat(clock.nanoTime() - began).isLessThan(2 * Turn.NANOS);
      cursors.putAll(outcomes(entries));
      assertThat(turns).isLessThan(100);
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(turns).isGreaterThan(4);
  }

  @Test
  void oneEntryAtATimeIsProgressHoweverLongItTakes() {
    enter(1, a);
    write(0, "k", false);
    write(0, "l", false);
    LiveEntries entries = all();
    entries.next();
    clock.advance(Turn.NANOS * 100);
    assertThat(entries.hasNext()).isFalse();
    assertThat(outcomes(entries)).hasSize(1).doesNotContainValue(Cursor.END);
  }

  @Test
  void endsSoonWhenItIsCalledOff() {
    enter(1, a);
    for (int i = 0; i < 1_200; i++) {
      write(0, "k" + i, false);
    }
    LiveEntries entries = all();
    entries.next();
    cancelled = true;
    int more = 0;
    for (; entries.hasNext(); entries.next()) {
      more++;
    }
    assertThat(more).isLessThan(4);
  }

  @Test
  void whoStopsByItselfHasSeenEnough() {
    enter(1, a);
    write(0, "k", false);
    write(0, "l", false);
    write(2, "m", false);
    LiveEntries entries = all();
    entries.next();
    assertThat(outcomes(entries)).hasSize(3).containsValue(Cursor.END);
    assertThat(readToTheirEnd).isEmpty();
    entries = all();
    for (int i = 0; i < 3; i++) {
      entries.next();
    }
    assertThat(outcomes(entries)).hasSize(3);
    assertThat(readToTheirEnd).containsExactly(0, 1);
  }
}
