package io.cantle.core.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.NotAvailableException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Tests what users are told of a node that was closed. */
final class ClosedNodeGuardTest {
  private static final String CLOSED = "node here is closed; join its grid again";

  private final ClosedNodeGuard closed =
      new ClosedNodeGuard(
          "here",
          () -> {
            throw new IllegalStateException(CLOSED);
          });
  private final ClosedNodeGuard open = new ClosedNodeGuard("here", () -> {});

  @Test
  void taskThatIsRefusedMeansThatTheNodeIsClosed() {
    RejectedExecutionException refused = new RejectedExecutionException("no threads");
    assertThat(open.explain(refused)).isInstanceOf(IllegalStateException.class).hasMessage(CLOSED);
    assertThat(open.explainExpected(refused))
        .isInstanceOf(NotAvailableException.class)
        .hasMessage(CLOSED);
    assertThatThrownBy(() -> closed.explain(refused)).hasMessage(CLOSED);
  }

  @Test
  void onlyWhatAClosedNodeCausesIsExplainedByIt() {
    assertThat(closed.explainExpected(new NotAvailableException("cut off"))).hasMessage(CLOSED);
    assertThat(closed.explainExpected(new IllegalStateException(CLOSED))).hasMessage(CLOSED);
    assertThat(closed.explainExpected(new IllegalStateException("a mistake"))).isNull();
    assertThat(closed.explainExpected(new NullPointerException(CLOSED))).isNull();
    GridException timeout = new CallTimeoutException("no answer");
    assertThat(closed.explainExpected(timeout)).isSameAs(timeout);
  }

  @Test
  void nodeThatIsOpenExplainsNothing() {
    GridException cutOff = new NotAvailableException("cut off");
    assertThat(open.explain(cutOff)).isSameAs(cutOff);
    assertThat(open.explainExpected(cutOff)).isSameAs(cutOff);
    assertThat(open.explainExpected(new IllegalStateException(CLOSED))).isNull();
  }
}
