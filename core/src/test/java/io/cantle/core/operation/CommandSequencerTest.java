package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CallTimeoutException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Version;
import io.cantle.core.operation.Operation.CompareAndSet;
import io.cantle.core.operation.Operation.CompareVersionAndSet;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.replica.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests the numbering of a node's writes to a segment, and the windows that limit them. */
final class CommandSequencerTest {
  private static final int WINDOW = ClientSession.MAX_SEGMENT_COMMANDS;
  private static final Operation QUIET = new RemoveEntry(true);

  private final ManualClock clock = new ManualClock();
  private final ClientSession session =
      new ClientSession(new UUID(0, 1), new SessionId(new UUID(1, 2), 1), clock);
  private final CommandSequencer sequencer = session.sequencer(0, 7);

  private long begin() {
    return begin(sequencer, QUIET);
  }

  private long begin(CommandSequencer of, Operation operation) {
    return of.begin(operation, clock.nanoTime() + 1_000);
  }

  private static Operation put(int bytes) {
    return new Put(ByteSlice.of(new byte[bytes]), false);
  }

  @Test
  void sequencesStartAtOneInEachSegment() {
    assertThat(session.id()).isEqualTo(new SessionId(new UUID(1, 2), 1));
    assertThat(begin()).isEqualTo(1);
    assertThat(begin()).isEqualTo(2);
    assertThat(begin(session.sequencer(0, 8), QUIET)).isEqualTo(1);
    assertThat(begin(session.sequencer(1, 7), QUIET)).isEqualTo(1);
    assertThat(session.sequencer(0, 7)).isSameAs(sequencer);
    assertThat(sequencer.lowestUnanswered()).isEqualTo(1);
  }

  @Test
  void lowestUnansweredIsCorrectForAnyAnswerOrder() {
    Random random = new Random(5);
    List<Long> open = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      if (open.size() < 50 || (random.nextBoolean() && open.size() < 1_000)) {
        long sequence = sequencer.tryBegin(QUIET);
        if (sequence != 0) {
          open.add(sequence);
          continue;
        }
      }
      sequencer.end(open.remove(random.nextInt(Math.min(40, open.size()))), 0);
      if (!open.isEmpty()) {
        assertThat(sequencer.lowestUnanswered())
            .isEqualTo(open.stream().mapToLong(n -> n).min().orElseThrow());
      }
    }
  }

  @Test
  void windowIsFullAtItsLimit() {
    for (int sequence = 1; sequence <= WINDOW; sequence++) {
      assertThat(begin()).isEqualTo(sequence);
    }
    for (int sequence = 2; sequence <= WINDOW; sequence++) {
      sequencer.end(sequence, 0);
    }
    assertThat(sequencer.lowestUnanswered()).isEqualTo(1);
    assertThat(sequencer.tryBegin(QUIET)).isZero();
    assertThatExceptionOfType(CallTimeoutException.class)
        .isThrownBy(this::begin)
        .withMessageContainingAll("segment 7", "1024", "nothing was written");
    sequencer.end(1, 0);
    assertThat(sequencer.lowestUnanswered()).isEqualTo(WINDOW + 1);
    for (int i = 1; i <= WINDOW; i++) {
      assertThat(begin()).isEqualTo(WINDOW + i);
    }
  }

  @Test
  void retainedResultsFillTheWindow() {
    int half = (int) (ClientSession.MAX_SEGMENT_BYTES / 2);
    begin();
    long first = begin(sequencer, put(10));
    sequencer.end(first, half);
    long second = sequencer.tryBegin(put(10));
    assertThat(second).as("the estimate is the size of the last result").isNotZero();
    assertThat(sequencer.tryBegin(put(10))).isZero();
    sequencer.end(second, half);
    assertThat(sequencer.tryBegin(put(10))).as("answered, but still kept by the owners").isZero();
    assertThat(sequencer.tryBegin(QUIET)).as("a write without a result").isNotZero();
    sequencer.end(1, 0);
    assertThat(sequencer.lowestUnanswered()).isEqualTo(4);
    assertThat(sequencer.tryBegin(put(10))).isNotZero();
  }

  @Test
  void writtenValueTakesRoomUntilAnswered() {
    ByteSlice half = ByteSlice.of(new byte[(int) (ClientSession.MAX_SEGMENT_BYTES / 2)]);
    ByteSlice small = ByteSlice.of(new byte[1]);
    begin();
    for (Operation operation :
        List.of(
            new Put(half, true),
            new CompareVersionAndSet(new Version(1, 1), half),
            new CompareAndSet(small, half))) {
      long first = sequencer.tryBegin(operation);
      long second = sequencer.tryBegin(operation);
      assertThat(second).as("%s", operation.getClass()).isGreaterThan(first);
      assertThat(sequencer.tryBegin(operation)).isZero();
      assertThat(sequencer.tryBegin(new Put(small, true))).isZero();
      sequencer.end(first, 0);
      sequencer.end(second, 0);
    }
    assertThat(sequencer.lowestUnanswered()).isEqualTo(1);
  }

  @Test
  void stuckSegmentDoesNotBlockOthers() {
    while (sequencer.tryBegin(QUIET) != 0) {
      // Fills the window.
    }
    assertThat(sequencer.tryBegin(put(1))).isZero();
    CommandSequencer other = session.sequencer(0, 8);
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
      while (session.sequencer(3, segment).tryBegin(QUIET) != 0) {
        begun++;
      }
    }
    assertThat(begun).isEqualTo(ClientSession.MAX_COMMANDS);
    assertThatExceptionOfType(CallTimeoutException.class)
        .isThrownBy(this::begin)
        .withMessageContaining("the caches of this node");
    session.sequencer(3, 0).end(1, 0);
    assertThat(begin()).isEqualTo(1);
  }

  @Test
  void abandonedWriteReleasesItsRoom() {
    for (int i = 0; i < 10_000; i++) {
      long sequence = sequencer.tryBegin(put(1 << 20));
      assertThat(sequence).isEqualTo(i + 1);
      sequencer.end(sequence, -1);
    }
    assertThat(sequencer.lowestUnanswered()).isEqualTo(10_001);
  }
}
