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

/** What owners remember of commands, and for how long. */
final class SessionsTest {
  private final SessionId id = new SessionId(new UUID(1, 1), 4);
  private final SessionId other = new SessionId(new UUID(2, 2), 4);
  private final Sessions sessions = new Sessions(new Lives(id -> true, 4));

  private static Command command(SessionId session, long sequence, long lowest) {
    return new Command(session, sequence, lowest, 0, 1);
  }

  @Test
  void remembersWhatACommandDid() {
    sessions.written(command(id, 5, 1), 2, 9, Result.TRUE);
    assertThat(sessions.find(id, 5, 7)).isEqualTo(new Sessions.Known(5, 2, 9, Result.TRUE, true));
    assertThat(sessions.find(id, 4, 7)).isNull();
    assertThat(sessions.find(other, 5, 7)).isNull();
  }

  @Test
  void theFirstResultOfACommandStays() {
    sessions.written(command(id, 5, 1), 2, 9, Result.TRUE);
    sessions.written(command(id, 5, 1), 3, 1, Result.FALSE);
    assertThat(sessions.find(id, 5, 7)).isEqualTo(new Sessions.Known(5, 2, 9, Result.TRUE, true));
  }

  @Test
  void forgetsWhatIsAnswered() {
    for (int sequence = 1; sequence <= 20; sequence++) {
      sessions.written(command(id, sequence, 1), 1, sequence, Result.TRUE);
    }
    assertThat(sessions.admit(command(id, 30, 18))).isTrue();
    assertThat(sessions.find(id, 17, 7)).isNull();
    assertThat(sessions.find(id, 18, 7)).isNotNull();
    assertThat(sessions.find(id, 20, 7)).isNotNull();
    assertThat(sessions.admit(command(id, 17, 1))).isFalse();
    assertThat(sessions.admit(command(id, 18, 1))).isTrue();
  }

  @Test
  void anAnswerWithoutAWriteCountsInItsEpochOnly() {
    sessions.answered(command(id, 5, 1), 2, 9, Result.TRUE);
    assertThat(sessions.find(id, 5, 2)).isEqualTo(new Sessions.Known(5, 2, 9, Result.TRUE, false));
    assertThat(sessions.find(id, 5, 3)).as("somebody else may have carried it out").isNull();
    sessions.written(command(id, 5, 1), 4, 1, Result.FALSE);
    sessions.answered(command(id, 5, 1), 5, 1, Result.TRUE);
    assertThat(sessions.find(id, 5, 6))
        .as("what was written since")
        .isEqualTo(new Sessions.Known(5, 4, 1, Result.FALSE, true));
  }

  @Test
  void anAnswerWithoutAWriteIsNotHandedOn() {
    sessions.answered(command(id, 5, 1), 2, 9, Result.TRUE);
    Output out = new Output(8);
    sessions.write(out, 7);
    Sessions joiner = new Sessions(new Lives(any -> true, 4));
    joiner.merge(out.toInput());
    assertThat(joiner.find(id, 5, 2)).isNull();
  }

  private Command attempt(long sequence, long lowest, int attempt) {
    return new Command(id, sequence, lowest, 0, attempt);
  }

  @Test
  void whatWasRefusedStaysRefusedInThatEpoch() {
    sessions.refuse(attempt(5, 1, 2), 7);
    assertThat(sessions.isRefused(attempt(5, 1, 1), 7)).as("an earlier try").isTrue();
    assertThat(sessions.isRefused(attempt(5, 1, 2), 7)).isTrue();
    assertThat(sessions.isRefused(attempt(5, 1, 3), 7)).as("a later try").isFalse();
    assertThat(sessions.isRefused(attempt(6, 1, 2), 7)).as("another command").isFalse();
    assertThat(sessions.isRefused(attempt(5, 1, 2), 8)).as("another epoch").isFalse();
    sessions.refuse(attempt(6, 1, 1), 8);
    assertThat(sessions.isRefused(attempt(5, 1, 2), 7)).as("an epoch that is over").isFalse();
  }

  @Test
  void aRefusalIsKeptUntilTheCommandIsGivenUp() {
    sessions.refuse(attempt(5, 1, 1), 7);
    sessions.admit(attempt(9, 5, 1));
    assertThat(sessions.isRefused(attempt(5, 1, 1), 7)).isTrue();
    sessions.admit(attempt(9, 6, 1));
    assertThat(sessions.isRefused(attempt(5, 1, 1), 7)).isFalse();
    assertThat(sessions.admit(attempt(5, 1, 1))).as("it is ignored all the same").isFalse();
  }

  @Test
  void whatCameInBulkIsNeverRefusedForGood() {
    sessions.refuse(attempt(5, 1, 0), 7);
    assertThat(sessions.isRefused(attempt(5, 1, 0), 7)).isFalse();
    assertThat(sessions.isRefused(attempt(5, 1, 1), 7)).isFalse();
  }

  @Test
  void recordsNothingThatIsBelowTheLowest() {
    sessions.admit(command(id, 30, 18));
    sessions.written(command(id, 17, 1), 1, 1, Result.TRUE);
    assertThat(sessions.find(id, 17, 7)).isNull();
  }

  @Test
  void theLowestOfOneSessionIsNothingToAnother() {
    sessions.admit(command(id, 30, 18));
    assertThat(sessions.admit(command(other, 1, 1))).isTrue();
  }

  @Test
  void dropsSessionsOfThoseWhoAreGone() {
    sessions.written(command(id, 1, 1), 1, 1, Result.TRUE);
    sessions.written(command(other, 1, 1), 1, 2, Result.TRUE);
    sessions.retain(new Lives(other::equals, 5));
    assertThat(sessions.find(id, 1, 7)).isNull();
    assertThat(sessions.find(other, 1, 7)).isNotNull();
    sessions.clear();
    assertThat(sessions.find(other, 1, 7)).isNull();
  }

  @Test
  void keepsSessionsOfThoseWhoAreYetToBeHeardOf() {
    SessionId next = new SessionId(id.member(), 7);
    sessions.written(command(id, 1, 1), 1, 1, Result.TRUE);
    sessions.written(command(next, 1, 1), 1, 2, Result.TRUE);
    sessions.retain(new Lives(other::equals, 6));
    assertThat(sessions.find(id, 1, 7)).isNull();
    assertThat(sessions.find(next, 1, 7)).as("the primary may be a topology ahead").isNotNull();
    assertThat(sessions.isPresent(next)).isFalse();
    sessions.retain(new Lives(next::equals, 7));
    assertThat(sessions.isPresent(next)).isTrue();
    assertThat(sessions.find(next, 1, 7)).isNotNull();
    sessions.retain(new Lives(other::equals, 8));
    assertThat(sessions.isPresent(next)).isFalse();
    assertThat(sessions.find(next, 1, 7)).isNull();
  }

  @Test
  void findsResultsWhateverTheOrderTheyCameIn() {
    List<Long> sequences = new ArrayList<>(LongStream.rangeClosed(1, 300).boxed().toList());
    Collections.shuffle(sequences, new Random(5));
    long lowest = 1;
    Set<Long> known = new HashSet<>();
    for (long sequence : sequences) {
      sessions.written(command(id, sequence, lowest), 1, sequence, Result.TRUE);
      if (sequence >= lowest) {
        known.add(sequence);
      }
      lowest = known.size() % 50 == 0 ? lowest + 20 : lowest;
      sessions.admit(command(id, 300, lowest));
      for (long one = 1; one <= 300; one++) {
        assertThat(sessions.find(id, one, 7) != null)
            .as("%d of those from %d on", one, lowest)
            .isEqualTo(one >= lowest && known.contains(one));
      }
    }
  }

  @Test
  void keepsNoMessageForTheSakeOfAResult() {
    byte[] message = new byte[100_000];
    sessions.written(command(id, 1, 1), 3, 1, Result.valueIn(message, 500, 3));
    Output out = new Output(8);
    sessions.write(out, 4);
    out.write(message, 0, message.length);
    Sessions joiner = new Sessions(new Lives(id -> true, 4));
    joiner.merge(out.toInput());
    assertThat(Objects.requireNonNull(joiner.find(id, 1, 7)).result().bytes()).hasSize(3);
  }

  @Test
  void tellsAnotherOwnerEverything() {
    for (int sequence = 10; sequence <= 15; sequence++) {
      sessions.written(command(id, sequence, 10), 3, sequence, Result.of(sequence % 2 == 0));
    }
    sessions.written(command(other, 1, 1), 3, 99, Result.ABSENT);
    Sessions joiner = new Sessions(new Lives(id -> true, 4));
    joiner.written(command(id, 12, 2), 4, 1, Result.ABSENT);
    joiner.written(command(id, 16, 2), 4, 2, Result.TRUE);
    joiner.written(command(id, 5, 2), 4, 3, Result.TRUE);
    merge(joiner);
    assertThat(joiner.find(id, 15, 7)).isEqualTo(new Sessions.Known(15, 3, 15, Result.FALSE, true));
    assertThat(joiner.find(id, 12, 7))
        .as("its own")
        .isEqualTo(new Sessions.Known(12, 4, 1, Result.ABSENT, true));
    assertThat(joiner.find(id, 16, 7)).isNotNull();
    assertThat(joiner.find(id, 5, 7)).as("answered, as the other knows").isNull();
    assertThat(joiner.admit(command(id, 9, 1))).isFalse();
    assertThat(joiner.find(other, 1, 7)).isNotNull();
  }

  @Test
  void takesFromAnotherNothingItKnowsToBeAnswered() {
    sessions.written(command(id, 3, 1), 1, 1, Result.TRUE);
    Sessions joiner = new Sessions(new Lives(id -> true, 4));
    joiner.admit(command(id, 9, 9));
    merge(joiner);
    assertThat(joiner.find(id, 3, 7)).isNull();
    assertThat(joiner.admit(command(id, 8, 1))).isFalse();
  }

  @Test
  void moreSessionsThanThereCanBeAreMalformed() {
    Output out = new Output(8);
    out.writeVarint(100_001);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> new Sessions(new Lives(id -> true, 4)).merge(out.toInput()));
  }

  private void merge(Sessions joiner) {
    Output out = new Output(8);
    sessions.write(out, 4);
    joiner.merge(out.toInput());
  }

  @Test
  void tellsNothingOfThePresentEpoch() {
    sessions.written(command(id, 1, 1), 3, 1, Result.TRUE);
    sessions.written(command(id, 2, 1), 4, 1, Result.TRUE);
    Sessions joiner = new Sessions(new Lives(id -> true, 4));
    merge(joiner);
    assertThat(joiner.find(id, 1, 7)).isNotNull();
    assertThat(joiner.find(id, 2, 7)).as("it comes with its write, or not at all").isNull();
  }
}
