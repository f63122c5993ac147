package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.TimeoutException;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.Slice;
import io.cantle.core.replica.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The numbers of a node's writes to a segment, and the window they must stay in. */
final class SequencesTest {
  private static final int WINDOW = Session.SEGMENT_COMMANDS;
  private static final Operation QUIET = new Remove(true);

  private final HandClock clock = new HandClock();
  private final Session session = new Session(new SessionId(new UUID(1, 2), 1), clock);
  private final Sequences sequences = session.sequences(0, 7);

  private long begin() {
    return begin(sequences, QUIET);
  }

  private long begin(Sequences of, Operation operation) {
    return of.begin(operation, clock.nanoTime() + 1_000);
  }

  private static Operation put(int bytes) {
    return new Put(Slice.of(new byte[bytes]), false);
  }

  @Test
  void numbersWritesFromOneOnInEachSegment() {
    assertThat(session.id()).isEqualTo(new SessionId(new UUID(1, 2), 1));
    assertThat(begin()).isEqualTo(1);
    assertThat(begin()).isEqualTo(2);
    assertThat(begin(session.sequences(0, 8), QUIET)).isEqualTo(1);
    assertThat(begin(session.sequences(1, 7), QUIET)).isEqualTo(1);
    assertThat(session.sequences(0, 7)).isSameAs(sequences);
    assertThat(sequences.lowest()).isEqualTo(1);
  }

  @Test
  void theLowestIsRightWhateverTheOrderOfAnswers() {
    Random random = new Random(5);
    List<Long> open = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      if (open.size() < 50 || (random.nextBoolean() && open.size() < 1_000)) {
        long sequence = sequences.tryBegin(QUIET);
        if (sequence != 0) {
          open.add(sequence);
          continue;
        }
      }
      sequences.end(open.remove(random.nextInt(Math.min(40, open.size()))), 0);
      if (!open.isEmpty()) {
        assertThat(sequences.lowest())
            .isEqualTo(open.stream().mapToLong(n -> n).min().orElseThrow());
      }
    }
  }

  @Test
  void theWindowIsFullAndNotAWriteEarlier() {
    for (int sequence = 1; sequence <= WINDOW; sequence++) {
      assertThat(begin()).isEqualTo(sequence);
    }
    for (int sequence = 2; sequence <= WINDOW; sequence++) {
      sequences.end(sequence, 0);
    }
    assertThat(sequences.lowest()).isEqualTo(1);
    assertThat(sequences.tryBegin(QUIET)).isZero();
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(this::begin)
        .withMessageContainingAll("segment 7", "1024", "nothing was written");
    sequences.end(1, 0);
    assertThat(sequences.lowest()).isEqualTo(WINDOW + 1);
    for (int i = 1; i <= WINDOW; i++) {
      assertThat(begin()).isEqualTo(WINDOW + i);
    }
  }

  @Test
  void resultsThatOwnersStillKeepFillTheWindow() {
    int half = (int) (Session.SEGMENT_BYTES / 2);
    begin();
    long first = begin(sequences, put(10));
    sequences.end(first, half);
    long second = sequences.tryBegin(put(10));
    assertThat(second).as("one more may be as long as the last").isNotZero();
    assertThat(sequences.tryBegin(put(10))).isZero();
    sequences.end(second, half);
    assertThat(sequences.tryBegin(put(10))).as("answered, but kept by the owners").isZero();
    assertThat(sequences.tryBegin(QUIET)).as("has no result").isNotZero();
    sequences.end(1, 0);
    assertThat(sequences.lowest()).isEqualTo(4);
    assertThat(sequences.tryBegin(put(10))).isNotZero();
  }

  @Test
  void whatIsWrittenTakesRoomUntilItIsAnswered() {
    Slice half = Slice.of(new byte[(int) (Session.SEGMENT_BYTES / 2)]);
    Slice small = Slice.of(new byte[1]);
    begin();
    for (Operation operation :
        List.of(new Put(half, true), new Swap(1, 1, half), new Compare(small, half))) {
      long first = sequences.tryBegin(operation);
      long second = sequences.tryBegin(operation);
      assertThat(second).as("%s", operation.getClass()).isGreaterThan(first);
      assertThat(sequences.tryBegin(operation)).isZero();
      assertThat(sequences.tryBegin(new Put(small, true))).isZero();
      sequences.end(first, 0);
      sequences.end(second, 0);
    }
    assertThat(sequences.lowest()).isEqualTo(1);
  }

  @Test
  void aStuckSegmentHoldsUpNoOther() {
    while (sequences.tryBegin(QUIET) != 0) {
      // Until it is full.
    }
    assertThat(sequences.tryBegin(put(1))).isZero();
    Sequences other = session.sequences(0, 8);
    for (int i = 0; i < 100_000; i++) {
      long sequence = other.tryBegin(put(100));
      assertThat(sequence).isEqualTo(i + 1);
      other.end(sequence, 100);
    }
  }

  @Test
  void manyStuckSegmentsAreBoundedTogether() {
    int begun = 0;
    for (int segment = 0; segment < 100; segment++) {
      while (session.sequences(3, segment).tryBegin(QUIET) != 0) {
        begun++;
      }
    }
    assertThat(begun).isEqualTo(Session.COMMANDS);
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(this::begin)
        .withMessageContaining("the caches of this node");
    session.sequences(3, 0).end(1, 0);
    assertThat(begin()).isEqualTo(1);
  }

  @Test
  void aWriteThatIsGivenUpGivesItsRoomBack() {
    for (int i = 0; i < 10_000; i++) {
      long sequence = sequences.tryBegin(put(1 << 20));
      assertThat(sequence).isEqualTo(i + 1);
      sequences.end(sequence);
    }
    assertThat(sequences.lowest()).isEqualTo(10_001);
  }
}
