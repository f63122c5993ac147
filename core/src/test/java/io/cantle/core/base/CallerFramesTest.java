package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class CallerFramesTest {

  @Test
  void exceptionOfAnotherThreadGetsTheFramesOfTheCaller() {
    IllegalStateException thrown = new IllegalStateException("made elsewhere");
    thrown.setStackTrace(new StackTraceElement[] {new StackTraceElement("a.B", "c", "B.java", 7)});
    assertThat(CallerFrames.addTo(thrown)).isSameAs(thrown);
    assertThat(thrown.getStackTrace()[0].getClassName()).isEqualTo("a.B");
    assertThat(thrown.getStackTrace())
        .extracting(StackTraceElement::getMethodName)
        .contains("calledFrom")
        .doesNotContain("addTo");
    int once = thrown.getStackTrace().length;
    CallerFrames.addTo(thrown);
    assertThat(thrown.getStackTrace()).hasSize(once);
  }

  @Test
  void exceptionOfThisThreadStaysAsItIs() {
    IllegalStateException own = new IllegalStateException("made here");
    StackTraceElement[] before = own.getStackTrace();
    assertThat(CallerFrames.addTo(own).getStackTrace()).isEqualTo(before);
  }

  @Test
  void oneVirtualThreadIsNotTakenForAnother() throws Exception {
    CompletableFuture<Throwable> made = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> made.complete(new IllegalStateException("made elsewhere")));
    CompletableFuture<Throwable> caught = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> caught.complete(callFrom(made)));
    assertThat(caught.get().getStackTrace())
        .extracting(StackTraceElement::getMethodName)
        .contains("calledFrom", "callFrom");
  }

  private static Throwable callFrom(CompletableFuture<Throwable> made) {
    try {
      return catchAndAdd(made);
    } catch (CompletionException e) {
      return Objects.requireNonNull(e.getCause());
    }
  }

  private static Throwable catchAndAdd(CompletableFuture<Throwable> made) {
    return CallerFrames.addTo(made.join());
  }
}
