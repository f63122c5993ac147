package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The results of commands that may be tried again. Each command says which sequence of its session
 * is the lowest still unanswered; what is below it is dropped and, should it come again, ignored.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class Sessions {
  private static final int MAX_SESSIONS = 100_000;
  private static final int MAX_RESULTS = 1_000_000;

  /** What a command did and answered. */
  record Known(long sequence, int epoch, long index, Result result) {}

  private static final class Session {
    long lowest;
    Known[] known = new Known[4];
    int count;

    void raise(long lowestUnanswered) {
      if (lowestUnanswered > lowest) {
        lowest = lowestUnanswered;
        int kept = 0;
        for (int i = 0; i < count; i++) {
          if (known[i].sequence >= lowest) {
            known[kept++] = known[i];
          }
        }
        Arrays.fill(known, kept, count, null);
        count = kept;
      }
    }

    @Nullable Known find(long sequence) {
      for (int i = count - 1; i >= 0; i--) {
        if (known[i].sequence == sequence) {
          return known[i];
        }
      }
      return null;
    }

    void add(Known more) {
      if (count == known.length) {
        known = Arrays.copyOf(known, count * 2);
      }
      known[count++] = more;
    }
  }

  private final Map<SessionId, Session> sessions = new HashMap<>();

  /** Takes note of the lowest unanswered sequence; false when this command is below it. */
  boolean admit(Command command) {
    Session session = sessions.computeIfAbsent(command.session(), id -> new Session());
    session.raise(command.lowest());
    return command.sequence() >= session.lowest;
  }

  /** What this command did, if it is known. */
  @Nullable Known find(SessionId session, long sequence) {
    Session known = sessions.get(session);
    return known == null ? null : known.find(sequence);
  }

  /** Keeps what a command did. */
  void record(Command command, int epoch, long index, Result result) {
    Session session = sessions.computeIfAbsent(command.session(), id -> new Session());
    session.raise(command.lowest());
    if (command.sequence() >= session.lowest && session.find(command.sequence()) == null) {
      session.add(new Known(command.sequence(), epoch, index, result));
    }
  }

  /** Drops what only members that are gone could ask for. */
  void retain(Predicate<SessionId> present) {
    sessions.keySet().removeIf(present.negate());
  }

  void clear() {
    sessions.clear();
  }

  /** Writes what was done before an epoch. */
  void write(Output out, int before) {
    out.writeVarint(sessions.size());
    sessions.forEach(
        (id, session) -> {
          id.write(out);
          out.writeVarint(session.lowest);
          Known[] earlier =
              Arrays.stream(session.known, 0, session.count)
                  .filter(known -> known.epoch < before)
                  .toArray(Known[]::new);
          out.writeVarint(earlier.length);
          for (Known known : earlier) {
            out.writeVarint(known.sequence);
            out.writeVarint(known.epoch);
            out.writeVarint(known.index);
            known.result.write(out);
          }
        });
  }

  /** Adds what another owner knows. */
  void merge(Input in) {
    int count = in.readCount(MAX_SESSIONS);
    for (int i = 0; i < count; i++) {
      SessionId id = SessionId.read(in);
      Session session = sessions.computeIfAbsent(id, key -> new Session());
      session.raise(in.readVarint());
      int results = in.readCount(MAX_RESULTS);
      for (int j = 0; j < results; j++) {
        Known known =
            new Known(
                in.readVarint(), in.readCount(Integer.MAX_VALUE), in.readVarint(), Result.read(in));
        if (known.sequence >= session.lowest && session.find(known.sequence) == null) {
          session.add(known);
        }
      }
    }
  }
}
