package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogStrategy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class StoreOptionsTest {
  @Test
  void refusesALogThatDoesNotSync() {
    LogOptions log = LogOptions.DEFAULT.withFlushing(false);
    assertThatThrownBy(() -> StoreOptions.of(log))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("log.flushing is false")
        .hasMessageContaining("Durability.SYNC")
        .hasMessageContaining("set it to true");
    assertThat(StoreOptions.of(log.withFlushing(true)).log()).isEqualTo(LogOptions.DEFAULT);
  }

  @Test
  void refusesALogThatCallersWrite() {
    LogStrategy waiting = new LogStrategy.Waiting(2, Duration.ofMillis(1));
    assertThatThrownBy(() -> StoreOptions.of(LogOptions.DEFAULT.withStrategy(waiting)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("log.strategy is Waiting[limit=2, delay=PT0.001S]");
    LogStrategy single = new LogStrategy.SingleWriter(LogStrategy.CompletionWait.WAITING);
    LogOptions log = LogOptions.DEFAULT.withStrategy(single);
    assertThat(StoreOptions.of(log).log().strategy()).isEqualTo(single);
  }
}
