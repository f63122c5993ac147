package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.MalformedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RateLimitedLogTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final LinesLogger logger = new LinesLogger();
  private final RateLimitedLog log = new RateLimitedLog(logger, now::get);

  @Test
  void ofEachKindOneLineIsWrittenInAMinute() {
    for (int i = 0; i < 1_000; i++) {
      log.warn("frame", () -> "bad frame");
      log.warn("opening", () -> "bad opening");
    }
    assertThat(logger.lines).containsExactly("bad frame", "bad opening");
    assertThat(log.count("frame")).isEqualTo(1_000);
    now.addAndGet(RateLimitedLog.INTERVAL_NANOS);
    log.warn("frame", () -> "bad frame");
    assertThat(logger.lines.getLast()).isEqualTo("bad frame (999 more like this were not logged)");
    now.addAndGet(RateLimitedLog.INTERVAL_NANOS - 1);
    log.warn("frame", () -> "bad frame");
    assertThat(logger.lines).hasSize(3);
  }

  @Test
  void aLineHasOnlyPrintableCharactersAndAnEnd() {
    log.warn("name", () -> "from \u001b[31mred\r\nINFO forged \u202e\u0000 M\u00fcnchen");
    assertThat(logger.lines).containsExactly("from ?[31mred??INFO forged ?? M\u00fcnchen");
    log.warn("long", () -> "x".repeat(1 << 20));
    assertThat(logger.lines.getLast()).hasSize(RateLimitedLog.MAX_LINE_CHARS + 3);
  }

  @Test
  void whatWasThrownIsPrintableToo() {
    IllegalStateException thrown = new IllegalStateException("bytes \u0001\u0002\nend");
    log.log(System.Logger.Level.WARNING, "thrown", () -> "line", thrown);
    assertThat(logger.thrown)
        .hasToString("java.lang.IllegalStateException: bytes ???end")
        .hasNoCause()
        .extracting(Throwable::getStackTrace)
        .isEqualTo(thrown.getStackTrace());
    assertThat(new MalformedException("codec \"\u0007\u001b[2J\" is not registered"))
        .hasMessage("codec \"??[2J\" is not registered");
  }

  @Test
  void causesAreLoggedAndPrintableToo() {
    IllegalStateException root = new IllegalStateException("disk \u0007 full");
    UncheckedIOException middle = new UncheckedIOException(new IOException("write", root));
    log.log(System.Logger.Level.WARNING, "causes", () -> "line", middle);
    assertThat(logger.thrown)
        .hasToString("java.io.UncheckedIOException: java.io.IOException: write");
    assertThat(logger.thrown).cause().hasToString("java.io.IOException: write");
    Throwable last = Objects.requireNonNull(logger.thrown);
    for (Throwable t = last; t != null; t = t.getCause()) {
      last = t;
    }
    assertThat(last).hasToString("java.lang.IllegalStateException: disk ? full").hasNoCause();
    assertThat(last.getStackTrace()).isEqualTo(root.getStackTrace());
  }

  @Test
  void circleOfCausesEnds() {
    Exception first = new Exception("first");
    Exception second = new Exception("second", first);
    first.initCause(second);
    log.log(System.Logger.Level.WARNING, "circle", () -> "line", first);
    int causes = 0;
    for (Throwable t = logger.thrown; t != null; t = t.getCause()) {
      causes++;
    }
    assertThat(causes).isEqualTo(1 + RateLimitedLog.MAX_CAUSES);
  }

  @Test
  void kindsAreBounded() {
    for (int i = 0; i < 10 * RateLimitedLog.MAX_KINDS; i++) {
      int number = i;
      log.warn("kind " + i, () -> "trouble " + number);
    }
    assertThat(logger.lines).hasSize(RateLimitedLog.MAX_KINDS + 1);
  }

  /** A logger that keeps its lines. */
  private static final class LinesLogger implements System.Logger {
    private final List<String> lines = new ArrayList<>();
    private @Nullable Throwable thrown;

    @Override
    public String getName() {
      return "lines";
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable cause) {
      thrown = cause;
      lines.add(String.valueOf(message));
    }

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, @Nullable String format, Object... values) {
      lines.add(String.valueOf(format));
    }
  }
}
