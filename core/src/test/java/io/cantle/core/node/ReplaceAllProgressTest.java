package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.cantle.DecodingException;
import io.cantle.NotAvailableException;
import io.cantle.PartialWriteException;
import io.cantle.core.call.ClosedNodeGuard;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which exception the caller of a replaceAll gets. */
final class ReplaceAllProgressTest {
  private static final String CLOSED = ClosedNodeGuard.closedText("here");
  private static final ClosedNodeGuard CLOSED_GUARD =
      new ClosedNodeGuard(
          "here",
          () -> {
            throw new IllegalStateException(CLOSED);
          });

  @Test
  void illegalStateOfTheCallerIsNotTakenForAClosedNode() {
    for (ClosedNodeGuard guard : List.of(ClosedNodeGuard.NONE, CLOSED_GUARD)) {
      ReplaceAllProgress progress = new ReplaceAllProgress(guard);
      IllegalStateException mistake = new IllegalStateException("a function must not write");
      progress.addReplaced();
      progress.recordFailure(mistake);
      assertThat(catchThrowable(progress::throwIfFailed)).isSameAs(mistake);
    }
  }

  @Test
  void closedNodeIsNamedWithWhatWasReplaced() {
    ReplaceAllProgress progress = new ReplaceAllProgress(CLOSED_GUARD);
    progress.addReplaced();
    progress.recordFailure("k", new IllegalStateException(CLOSED));
    assertThat(catchThrowable(progress::throwIfFailed))
        .isInstanceOfSatisfying(
            PartialWriteException.class,
            e -> {
              assertThat(e.writtenCount()).isEqualTo(1);
              assertThat(e.keys()).isEqualTo(List.of("k"));
            })
        .cause()
        .isInstanceOf(NotAvailableException.class)
        .hasMessage(CLOSED);
  }

  @Test
  void otherReasonOfAClosedNodeStays() {
    ReplaceAllProgress progress = new ReplaceAllProgress(CLOSED_GUARD);
    DecodingException reason =
        new DecodingException("class is missing", DecodingException.Effect.NONE, null);
    progress.addReplaced();
    progress.recordFailure("k", reason);
    assertThat(catchThrowable(progress::throwIfFailed))
        .isInstanceOf(PartialWriteException.class)
        .hasCause(reason);
  }
}
