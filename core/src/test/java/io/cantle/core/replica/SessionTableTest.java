package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests which results of commands owners remember, and for how long. */
final class SessionTableTest {
  private final SessionId id = new SessionId(new UUID(1, 1), 4);
  private final SessionId other = new SessionId(new UUID(2, 2), 4);
  private final SessionTable sessions = new SessionTable(new LiveSessions(id -> true, 4));

  private static CommandId command(SessionId session, long sequence, long lowest) {
    return new CommandId(session, sequence, lowest, 0, 1);
  }

  @Test
  void remembersResultOfACommand() {
    sessions.recordWritten(command(id, 5, 1), 2, 9, OperationResult.TRUE);
    assertThat(sessions.find(id, 5, 7))
        .isEqualTo(new SessionTable.KnownResult(5, 2, 9, OperationResult.TRUE, true));
    assertThat(sessions.find(id, 4, 7)).isNull();
    assertThat(sessions.find(other, 5, 7)).isNull();
  }

  @Test
  void keepsFirstResultOfACommand() {
    sessions.recordWritten(command(id, 5, 1), 2, 9, OperationResult.TRUE);
    sessions.recordWritten(command(id, 5, 1), 3, 1, OperationResult.FALSE);
    assertThat(sessions.find(id, 5, 7))
        .isEqualTo(new SessionTable.KnownResult(5, 2, 9, OperationResult.TRUE, true));
  }

  @Test
  void forgetsAnsweredCommands() {
    for (int sequence = 1; sequence <= 20; sequence++) {
      sessions.recordWritten(command(id, sequence, 1), 1, sequence, OperationResult.TRUE);
    }
    assertThat(sessions.admit(command(id, 30, 18))).isTrue();
    assertThat(sessions.find(id, 17, 7)).isNull();
    assertThat(sessions.find(id, 18, 7)).isNotNull();
    assertThat(sessions.find(id, 20, 7)).isNotNull();
    assertThat(sessions.admit(command(id, 17, 1))).isFalse();
    assertThat(sessions.admit(command(id, 18, 1))).isTrue();
  }

  @Test
  void remembersResultsAfterAllEarlierOnesWereAnswered() {
    for (int sequence = 1; sequence <= 20; sequence++) {
      sessions.recordWritten(command(id, sequence, sequence), 1, sequence, OperationResult.TRUE);
      assertThat(sessions.find(id, sequence, 7)).isNotNull();
      assertThat(sessions.find(id, sequence - 1, 7)).isNull();
    }
    // Commands of several threads arrive in any order.
    sessions.recordWritten(command(id, 23, 21), 1, 21, OperationResult.TRUE);
    sessions.recordWritten(command(id, 22, 21), 1, 22, OperationResult.TRUE);
    assertThat(sessions.admit(command(id, 24, 23))).isTrue();
    assertThat(sessions.find(id, 22, 7)).isNull();
    assertThat(sessions.find(id, 23, 7)).isNotNull();
  }

  @Test
  void readOnlyResultIsValidInItsEpochOnly() {
    sessions.recordAnswered(command(id, 5, 1), 2, 9, OperationResult.TRUE);
    assertThat(sessions.find(id, 5, 2))
        .isEqualTo(new SessionTable.KnownResult(5, 2, 9, OperationResult.TRUE, false));
    assertThat(sessions.find(id, 5, 3)).as("another primary may have executed it").isNull();
    sessions.recordWritten(command(id, 5, 1), 4, 1, OperationResult.FALSE);
    sessions.recordAnswered(command(id, 5, 1), 5, 1, OperationResult.TRUE);
    assertThat(sessions.find(id, 5, 6))
        .as("the result written since")
        .isEqualTo(new SessionTable.KnownResult(5, 4, 1, OperationResult.FALSE, true));
  }

  @Test
  void readOnlyResultIsNotTransferred() {
    sessions.recordAnswered(command(id, 5, 1), 2, 9, OperationResult.TRUE);
    Output out = new Output(8);
    sessions.write(out, 7);
    SessionTable joiner = new SessionTable(new LiveSessions(any -> true, 4));
    joiner.merge(out.toInput());
    assertThat(joiner.find(id, 5, 2)).isNull();
  }

  private CommandId attempt(long sequence, long lowest, int attempt) {
    return new CommandId(id, sequence, lowest, 0, attempt);
  }

  @Test
  void refusedAttemptStaysRefusedInItsEpoch() {
    sessions.refuse(attempt(5, 1, 2), 7);
    assertThat(sessions.isRefused(attempt(5, 1, 1), 7)).as("an earlier attempt").isTrue();
    assertThat(sessions.isRefused(attempt(5, 1, 2), 7)).isTrue();
    assertThat(sessions.isRefused(attempt(5, 1, 3), 7)).as("a later attempt").isFalse();
    assertThat(sessions.isRefused(attempt(6, 1, 2), 7)).as("another command").isFalse();
    assertThat(sessions.isRefused(attempt(5, 1, 2), 8)).as("another epoch").isFalse();
    sessions.refuse(attempt(6, 1, 1), 8);
    assertThat(sessions.isRefused(attempt(5, 1, 2), 7)).as("an epoch that is over").isFalse();
  }

  @Test
  void refusalIsKeptUntilTheCommandIsAbandoned() {
    sessions.refuse(attempt(5, 1, 1), 7);
    sessions.admit(attempt(9, 5, 1));
    assertThat(sessions.isRefused(attempt(5, 1, 1), 7)).isTrue();
    sessions.admit(attempt(9, 6, 1));
    assertThat(sessions.isRefused(attempt(5, 1, 1), 7)).isFalse();
    assertThat(sessions.admit(attempt(5, 1, 1))).as("the command is ignored anyway").isFalse();
  }

  @Test
  void bulkCommandIsNeverRefusedPermanently() {
    sessions.refuse(attempt(5, 1, 0), 7);
    assertThat(sessions.isRefused(attempt(5, 1, 0), 7)).isFalse();
    assertThat(sessions.isRefused(attempt(5, 1, 1), 7)).isFalse();
  }

  @Test
  void recordsNothingBelowLowestUnansweredSequence() {
    sessions.admit(command(id, 30, 18));
    sessions.recordWritten(command(id, 17, 1), 1, 1, OperationResult.TRUE);
    assertThat(sessions.find(id, 17, 7)).isNull();
  }

  @Test
  void lowestSequenceIsPerSession() {
    sessions.admit(command(id, 30, 18));
    assertThat(sessions.admit(command(other, 1, 1))).isTrue();
  }

  @Test
  void dropsSessionsOfFormerMembers() {
    sessions.recordWritten(command(id, 1, 1), 1, 1, OperationResult.TRUE);
    sessions.recordWritten(command(other, 1, 1), 1, 2, OperationResult.TRUE);
    sessions.retainLive(new LiveSessions(other::equals, 5));
    assertThat(sessions.find(id, 1, 7)).isNull();
    assertThat(sessions.find(other, 1, 7)).isNotNull();
    sessions.clear();
    assertThat(sessions.find(other, 1, 7)).isNull();
  }

  @Test
  void keepsSessionsOfFutureTopologies() {
    SessionId next = new SessionId(id.member(), 7);
    sessions.recordWritten(command(id, 1, 1), 1, 1, OperationResult.TRUE);
    sessions.recordWritten(command(next, 1, 1), 1, 2, OperationResult.TRUE);
    sessions.retainLive(new LiveSessions(other::equals, 6));
    assertThat(sessions.find(id, 1, 7)).isNull();
    assertThat(sessions.find(next, 1, 7)).as("the primary may be a topology ahead").isNotNull();
    assertThat(sessions.isLive(next)).isFalse();
    sessions.retainLive(new LiveSessions(next::equals, 7));
    assertThat(sessions.isLive(next)).isTrue();
    assertThat(sessions.find(next, 1, 7)).isNotNull();
    sessions.retainLive(new LiveSessions(other::equals, 8));
    assertThat(sessions.isLive(next)).isFalse();
    assertThat(sessions.find(next, 1, 7)).isNull();
  }

  @Test
  void findsResultsAddedInAnyOrder() {
    List<Long> sequences = new ArrayList<>(LongStream.rangeClosed(1, 300).boxed().toList());
    Collections.shuffle(sequences, new Random(5));
    long lowest = 1;
    Set<Long> known = new HashSet<>();
    for (long sequence : sequences) {
      sessions.recordWritten(command(id, sequence, lowest), 1, sequence, OperationResult.TRUE);
      if (sequence >= lowest) {
        known.add(sequence);
      }
      lowest = known.size() % 50 == 0 ? lowest + 20 : lowest;
      sessions.admit(command(id, 300, lowest));
      for (long one = 1; one <= 300; one++) {
        assertThat(sessions.find(id, one, 7) != null)
            .as("result %d, lowest unanswered %d", one, lowest)
            .isEqualTo(one >= lowest && known.contains(one));
      }
    }
  }

  @Test
  void resultDoesNotRetainItsMessage() {
    byte[] message = new byte[100_000];
    sessions.recordWritten(command(id, 1, 1), 3, 1, OperationResult.valueIn(message, 500, 3));
    Output out = new Output(8);
    sessions.write(out, 4);
    out.write(message, 0, message.length);
    SessionTable joiner = new SessionTable(new LiveSessions(id -> true, 4));
    joiner.merge(out.toInput());
    assertThat(Objects.requireNonNull(joiner.find(id, 1, 7)).result().bytes()).hasSize(3);
  }

  @Test
  void transfersAllResults() {
    for (int sequence = 10; sequence <= 15; sequence++) {
      sessions.recordWritten(
          command(id, sequence, 10), 3, sequence, OperationResult.of(sequence % 2 == 0));
    }
    sessions.recordWritten(command(other, 1, 1), 3, 99, OperationResult.ABSENT);
    SessionTable joiner = new SessionTable(new LiveSessions(id -> true, 4));
    joiner.recordWritten(command(id, 12, 2), 4, 1, OperationResult.ABSENT);
    joiner.recordWritten(command(id, 16, 2), 4, 2, OperationResult.TRUE);
    joiner.recordWritten(command(id, 5, 2), 4, 3, OperationResult.TRUE);
    merge(joiner);
    assertThat(joiner.find(id, 15, 7))
        .isEqualTo(new SessionTable.KnownResult(15, 3, 15, OperationResult.FALSE, true));
    assertThat(joiner.find(id, 12, 7))
        .as("its own")
        .isEqualTo(new SessionTable.KnownResult(12, 4, 1, OperationResult.ABSENT, true));
    assertThat(joiner.find(id, 16, 7)).isNotNull();
    assertThat(joiner.find(id, 5, 7)).as("it is answered, as the other owner knows").isNull();
    assertThat(joiner.admit(command(id, 9, 1))).isFalse();
    assertThat(joiner.find(other, 1, 7)).isNotNull();
  }

  @Test
  void mergeIgnoresAnsweredCommands() {
    sessions.recordWritten(command(id, 3, 1), 1, 1, OperationResult.TRUE);
    SessionTable joiner = new SessionTable(new LiveSessions(id -> true, 4));
    joiner.admit(command(id, 9, 9));
    merge(joiner);
    assertThat(joiner.find(id, 3, 7)).isNull();
    assertThat(joiner.admit(command(id, 8, 1))).isFalse();
  }

  @Test
  void tooManySessionsAreMalformed() {
    Output out = new Output(8);
    out.writeVarint(100_001);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> new SessionTable(new LiveSessions(id -> true, 4)).merge(out.toInput()));
  }

  private void merge(SessionTable joiner) {
    Output out = new Output(8);
    sessions.write(out, 4);
    joiner.merge(out.toInput());
  }

  @Test
  void transfersNoResultsOfTheCurrentEpoch() {
    sessions.recordWritten(command(id, 1, 1), 3, 1, OperationResult.TRUE);
    sessions.recordWritten(command(id, 2, 1), 4, 1, OperationResult.TRUE);
    SessionTable joiner = new SessionTable(new LiveSessions(id -> true, 4));
    merge(joiner);
    assertThat(joiner.find(id, 1, 7)).isNotNull();
    assertThat(joiner.find(id, 2, 7)).as("it arrives with its write, or not at all").isNull();
  }
}
