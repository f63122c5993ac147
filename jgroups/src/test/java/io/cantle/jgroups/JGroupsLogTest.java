package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.jgroups.stack.Configurator;
import org.jgroups.util.Util;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class JGroupsLogTest {
  private final Logger logger = Logger.getLogger(Configurator.class.getName());
  private final List<Level> levels = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          levels.add(entry.getLevel());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void ignore() {
    logger.removeHandler(handler);
  }

  @Test
  void doesNotWarnThatThereIsNoAddressButLoopback() {
    Log log = JGroupsLog.createLogged(() -> LogFactory.getLog(Configurator.class));

    log.warn(Util.getMessage("OnlyLoopbackFound"), "IPv4");
    assertThat(levels).isEmpty();

    log.warn("there is no %s", "time");
    assertThat(levels).containsExactly(Level.WARNING);
  }
}
