package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheFullException;
import io.cantle.PartialWriteException;
import io.cantle.simulation.ClientCall.CallOutcome;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests what the exception of a bulk write says of each of its keys. */
final class BulkClientCallTest {
  private final CallHistory history = new CallHistory(() -> 0);
  private final BulkClientCall bulk =
      new BulkClientCall(
          "n1",
          history,
          IntStream.range(0, 4).mapToObj(key -> MapOperation.put(key, 100 + key)).toList());

  private static PartialWriteException partial(long written, long doubtful, Integer... keys) {
    return new PartialWriteException(
        written, doubtful, List.of(keys), new CacheFullException("full"));
  }

  private List<CallOutcome> fates() {
    return history.byKey().values().stream().map(calls -> calls.getFirst().fate()).toList();
  }

  @Test
  void namedKeysAreInDoubtOrNotWrittenAndTheOthersAreWritten() {
    assertThat(bulk.recordPartial(9, partial(1, 1, 2, 3, 0))).isNull();
    assertThat(fates())
        .containsExactly(
            CallOutcome.FAILED,
            CallOutcome.DONE_WITHOUT_RESULT,
            CallOutcome.OPEN,
            CallOutcome.FAILED);
    assertThat(bulk.isDoneInPart()).isTrue();
  }

  @Test
  void keysThatAreNotNamedStayOpenIfNotAllOfThemCountAsWritten() {
    assertThat(bulk.recordPartial(9, partial(1, 0, 3))).isNull();
    assertThat(fates())
        .containsExactly(CallOutcome.OPEN, CallOutcome.OPEN, CallOutcome.OPEN, CallOutcome.FAILED);
    assertThat(bulk.isDoneInPart()).isFalse();
  }

  @Test
  void exceptionThatContradictsTheCallIsReported() {
    assertThat(bulk.recordPartial(9, partial(1, 0, 4))).contains("not given");
    assertThat(bulk.recordPartial(9, partial(1, 0, 3, 3))).contains("twice");
    assertThat(bulk.recordPartial(9, partial(4, 0, 3))).contains("more is counted");
    assertThat(bulk.recordPartial(9, partial(1, 2, 3))).contains("more is counted");
  }
}
