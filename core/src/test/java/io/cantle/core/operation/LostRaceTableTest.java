package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.replica.SessionId;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests when a function that other writes overtake again and again gives up. */
final class LostRaceTableTest {
  private final LostRaceTable table = new LostRaceTable();

  private static CommandKey command(long sequence) {
    return new CommandKey(new SessionId(new UUID(1, 1), 1), 0, 0, sequence);
  }

  @Test
  void commandGivesUpAfterSoManyLostAttemptsOfItsOwn() {
    for (int lost = 1; lost < LostRaceTable.MAX_LOST_ATTEMPTS; lost++) {
      assertThat(table.recordLost(command(1))).as("lost %s", lost).isFalse();
      assertThat(table.recordLost(command(2))).as("lost %s", lost).isFalse();
    }
    assertThat(table.recordLost(command(1))).isTrue();
    assertThat(table.recordLost(command(3))).isFalse();
  }

  @Test
  void commandsThatLostLongAgoAreForgotten() {
    assertThat(table.recordLost(command(0))).isFalse();
    for (int i = 1; i <= LostRaceTable.MAX_COMMANDS; i++) {
      assertThat(table.recordLost(command(i))).isFalse();
    }
    for (int lost = 1; lost < LostRaceTable.MAX_LOST_ATTEMPTS; lost++) {
      assertThat(table.recordLost(command(0))).isFalse();
    }
    assertThat(table.recordLost(command(0))).isTrue();
  }
}
