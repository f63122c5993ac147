package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.GridException;
import io.cantle.PartialWriteException;
import io.cantle.TimeoutException;
import io.cantle.core.base.HandClock;
import io.cantle.core.replica.SessionId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What the caller of many writes is told. */
final class FlightTest {
  private final HandClock clock = new HandClock();
  private final Flight flight = new Flight(clock);
  private final Sequences sequences =
      new Session(new SessionId(new UUID(1, 2), 1), clock).sequences(0, 0);
  private final GridException cause = new TimeoutException("segment 4 gives no answer");

  private List<PendingWrite> writes(String prefix, int count, boolean sent, boolean answered) {
    List<PendingWrite> writes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] key = (prefix + i).getBytes(StandardCharsets.UTF_8);
      Operation operation = new Remove(true);
      PendingWrite write = new PendingWrite(0, new BulkWrites.KeyWrite(key, operation, 1));
      write.sent = sent;
      if (sent) {
        write.begin(sequences, clock.nanoTime() + 1);
      }
      if (answered) {
        write.answered();
      }
      writes.add(write);
    }
    return writes;
  }

  private RuntimeException told(RuntimeException thrown) {
    return flight.told(thrown, key -> new String(key, StandardCharsets.UTF_8));
  }

  @Test
  void namesWhatIsInDoubtBeforeWhatIsNotWritten() {
    flight.written(500);
    flight.unwritten(writes("done", 7, true, true));
    flight.unwritten(writes("unsent", 2, false, false));
    flight.unwritten(writes("doubtful", 3, true, false));
    assertThat(told(cause))
        .isInstanceOfSatisfying(
            PartialWriteException.class,
            e -> {
              assertThat(e.writtenCount()).isEqualTo(507);
              assertThat(e.doubtfulCount()).isEqualTo(3);
              assertThat(e.keys())
                  .containsExactly("doubtful0", "doubtful1", "doubtful2", "unsent0", "unsent1");
              assertThat(e.retrySafe()).isFalse();
            })
        .hasCause(cause)
        .hasMessageContainingAll("507 of", "3 more", "segment 4 gives no answer", "doubtful0");
  }

  @Test
  void namesNoMoreThanItMay() {
    flight.unwritten(writes("k", 1_000, true, false));
    assertThat(told(cause))
        .isInstanceOfSatisfying(
            PartialWriteException.class,
            e -> {
              assertThat(e.doubtfulCount()).isEqualTo(1_000);
              assertThat(e.keys()).hasSize(PartialWriteException.MAX_KEYS);
              assertThat(e.getMessage()).hasSizeLessThan(500);
            });
  }

  @Test
  void whereNothingWasWrittenTheCauseItselfIsTold() {
    flight.unwritten(writes("unsent", 2, false, false));
    assertThat(told(cause)).isSameAs(cause);
  }

  @Test
  void theCallersOwnMistakeStaysWhatItIs() {
    flight.written(5);
    NullPointerException mistake = new NullPointerException("value");
    assertThat(told(mistake)).isSameAs(mistake);
  }

  @Test
  void whatIsAbandonedGivesItsRoomBack() {
    writes("k", 10, true, false).forEach(PendingWrite::abandon);
    writes("l", 10, true, true).forEach(PendingWrite::abandon);
    writes("m", 10, false, false).forEach(PendingWrite::abandon);
    assertThat(sequences.lowest()).isEqualTo(21);
  }
}
