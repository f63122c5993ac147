package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.PartialWriteException;
import io.cantle.core.base.ManualClock;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.replica.SessionId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Tests which exception the caller of a bulk write gets. */
final class BulkWriteProgressTest {
  private final ManualClock clock = new ManualClock();
  private final BulkWriteProgress progress = new BulkWriteProgress(clock);
  private final CommandSequencer sequencer =
      new ClientSession(new UUID(0, 1), new SessionId(new UUID(1, 2), 1), clock).sequencer(0, 0);
  private final GridException cause = new CallTimeoutException("segment 4 gives no answer");

  private List<PendingBulkWrite> writes(String prefix, int count, boolean sent, boolean answered) {
    List<PendingBulkWrite> writes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] key = (prefix + i).getBytes(StandardCharsets.UTF_8);
      Operation operation = new RemoveEntry(true);
      PendingBulkWrite write =
          new PendingBulkWrite(new BulkWriteClient.KeyWrite(key, operation, 1));
      write.sent = sent;
      if (sent) {
        write.begin(sequencer, clock.nanoTime() + 1);
      }
      if (answered) {
        write.markAnswered();
      }
      writes.add(write);
    }
    return writes;
  }

  private RuntimeException told(RuntimeException thrown) {
    return told(thrown, ClosedNodeGuard.NONE);
  }

  private RuntimeException told(RuntimeException thrown, ClosedNodeGuard guard) {
    return progress.toException(thrown, key -> new String(key, StandardCharsets.UTF_8), guard);
  }

  @Test
  void reportsDoubtfulKeysBeforeUnwrittenOnes() {
    progress.recordOutcomes(writes("before", 500, true, true));
    progress.recordOutcomes(writes("done", 7, true, true));
    progress.recordOutcomes(writes("unsent", 2, false, false));
    progress.recordOutcomes(writes("doubtful", 3, true, false));
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
  void limitsTheReportedKeys() {
    progress.recordOutcomes(writes("k", 1_000, true, false));
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
  void keysAreShownOnOneLineAndCut() {
    PartialWriteException thrown =
        new PartialWriteException(
            1, 2, List.of("a\nb\u001b[31m\u0000", "x".repeat(1_000), new Unprintable()), cause);
    assertThat(thrown.getMessage())
        .contains("[a?b?[31m?, xxx", "xxx..., a key of " + Unprintable.class.getName())
        .hasSizeLessThan(600)
        .matches("\\P{C}*");
  }

  private static final class Unprintable {
    @Override
    public String toString() {
      throw new IllegalStateException("no text");
    }
  }

  @Test
  void throwsTheCauseItselfWhenNothingWasWritten() {
    progress.recordOutcomes(writes("unsent", 2, false, false));
    assertThat(told(cause)).isSameAs(cause);
  }

  @Test
  void illegalArgumentIsNotWrapped() {
    progress.recordOutcomes(writes("before", 5, true, true));
    NullPointerException mistake = new NullPointerException("value");
    assertThat(told(mistake)).isSameAs(mistake);
  }

  @Test
  void illegalStateOfTheCallerIsNotTakenForAClosedNode() {
    progress.recordOutcomes(writes("before", 5, true, true));
    IllegalStateException mistake = new IllegalStateException("the iterator of the user is broken");
    assertThat(told(mistake)).isSameAs(mistake);
  }

  @Test
  void closedNodeIsNamedWithWhatWasWritten() {
    String text = ClosedNodeGuard.closedText("here");
    ClosedNodeGuard closed =
        new ClosedNodeGuard(
            "here",
            () -> {
              throw new IllegalStateException(text);
            });
    progress.recordOutcomes(writes("before", 5, true, true));
    for (RuntimeException ended :
        List.of(
            new IllegalStateException(text),
            new RejectedExecutionException("no threads"),
            new NotAvailableException("cut off"))) {
      assertThat(told(ended, closed))
          .isInstanceOfSatisfying(
              PartialWriteException.class, e -> assertThat(e.writtenCount()).isEqualTo(5))
          .hasMessageContaining("5 of many entries were written")
          .cause()
          .isInstanceOf(NotAvailableException.class)
          .hasMessage(text);
    }
  }

  @Test
  void abandonedWriteReleasesItsSequence() {
    writes("k", 10, true, false).forEach(PendingBulkWrite::abandon);
    writes("l", 10, true, true).forEach(PendingBulkWrite::abandon);
    writes("m", 10, false, false).forEach(PendingBulkWrite::abandon);
    assertThat(sequencer.lowestUnanswered()).isEqualTo(21);
  }
}
