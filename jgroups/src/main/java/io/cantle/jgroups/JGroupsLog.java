package io.cantle.jgroups;

import io.cantle.core.transport.RateLimitedLog;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.jgroups.util.Util;

/**
 * The log of the protocols of {@link ProtocolStack}, under the names of their classes. A stranger
 * can cause most of their warnings, so each kind is logged once a minute at most. A kind is the
 * class and the pattern of the line.
 *
 * <p><b>Threading:</b> any thread.
 */
final class JGroupsLog implements Log {
  private static final ReentrantLock FACTORY = new ReentrantLock();

  /**
   * JGroups logs this warning wherever the only address is loopback. {@link ProtocolStack} sets its
   * addresses explicitly and needs none of those that JGroups looks for.
   */
  private static final String NO_DEFAULT_ADDRESS = Util.getMessage("OnlyLoopbackFound");

  private final System.Logger logger;
  private final RateLimitedLog limited;

  private JGroupsLog(String name) {
    this.logger = System.getLogger(name);
    this.limited = new RateLimitedLog(logger, System::nanoTime);
  }

  /**
   * Creates an object of JGroups that logs here. The log factory is shared by the whole JVM, and so
   * by other users of JGroups in it. So it is replaced only during the call.
   */
  static <T> T createLogged(Supplier<T> making) {
    FACTORY.lock();
    CustomLogFactory before = LogFactory.getCustomLogFactory();
    try {
      LogFactory.setCustomLogFactory(new Factory());
      return making.get();
    } finally {
      LogFactory.setCustomLogFactory(before);
      FACTORY.unlock();
    }
  }

  private static final class Factory implements CustomLogFactory {
    @Override
    public Log getLog(Class<?> type) {
      return new JGroupsLog(type.getName());
    }

    @Override
    public Log getLog(String category) {
      return new JGroupsLog(category);
    }
  }

  private void logDirectly(System.Logger.Level level, Supplier<String> line) {
    if (logger.isLoggable(level)) {
      logger.log(level, RateLimitedLog.printable(line.get()));
    }
  }

  private static Supplier<String> line(String format, Object[] values) {
    return () -> String.format(Locale.ROOT, format, values);
  }

  @Override
  public boolean isFatalEnabled() {
    return isErrorEnabled();
  }

  @Override
  public boolean isErrorEnabled() {
    return logger.isLoggable(System.Logger.Level.ERROR);
  }

  @Override
  public boolean isWarnEnabled() {
    return logger.isLoggable(System.Logger.Level.WARNING);
  }

  @Override
  public boolean isInfoEnabled() {
    return logger.isLoggable(System.Logger.Level.INFO);
  }

  @Override
  public boolean isDebugEnabled() {
    return logger.isLoggable(System.Logger.Level.DEBUG);
  }

  @Override
  public boolean isTraceEnabled() {
    return logger.isLoggable(System.Logger.Level.TRACE);
  }

  @Override
  public void fatal(String text) {
    error(text);
  }

  @Override
  public void fatal(String format, Object... values) {
    error(format, values);
  }

  @Override
  public void fatal(String text, Throwable thrown) {
    error(text, thrown);
  }

  @Override
  public void error(String text) {
    limited.log(System.Logger.Level.ERROR, "error", () -> text, null);
  }

  @Override
  public void error(String format, Object... values) {
    limited.log(System.Logger.Level.ERROR, format, line(format, values), null);
  }

  @Override
  public void error(String text, Throwable thrown) {
    limited.log(System.Logger.Level.ERROR, "thrown", () -> text, thrown);
  }

  @Override
  public void warn(String text) {
    limited.log(System.Logger.Level.WARNING, "warning", () -> text, null);
  }

  @Override
  public void warn(String format, Object... values) {
    if (format.equals(NO_DEFAULT_ADDRESS)) {
      debug(format, values);
      return;
    }
    limited.log(System.Logger.Level.WARNING, format, line(format, values), null);
  }

  @Override
  public void warn(String text, Throwable thrown) {
    limited.log(System.Logger.Level.WARNING, "thrown", () -> text, thrown);
  }

  @Override
  public void info(String text) {
    logDirectly(System.Logger.Level.INFO, () -> text);
  }

  @Override
  public void info(String format, Object... values) {
    logDirectly(System.Logger.Level.INFO, line(format, values));
  }

  @Override
  public void debug(String text) {
    logDirectly(System.Logger.Level.DEBUG, () -> text);
  }

  @Override
  public void debug(String format, Object... values) {
    logDirectly(System.Logger.Level.DEBUG, line(format, values));
  }

  @Override
  public void debug(String text, Throwable thrown) {
    logDirectly(System.Logger.Level.DEBUG, () -> text + ": " + thrown);
  }

  @Override
  public void trace(Object value) {
    logDirectly(System.Logger.Level.TRACE, () -> String.valueOf(value));
  }

  @Override
  public void trace(String text) {
    logDirectly(System.Logger.Level.TRACE, () -> text);
  }

  @Override
  public void trace(String format, Object... values) {
    logDirectly(System.Logger.Level.TRACE, line(format, values));
  }

  @Override
  public void trace(String text, Throwable thrown) {
    logDirectly(System.Logger.Level.TRACE, () -> text + ": " + thrown);
  }

  /** Does nothing; levels are configured by the application. */
  @Override
  public void setLevel(String level) {}

  @Override
  public String getLevel() {
    return isTraceEnabled()
        ? "trace"
        : isDebugEnabled() ? "debug" : isInfoEnabled() ? "info" : "warn";
  }
}
