package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
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

  /**
   * What a command did and answered.
   *
   * @param written whether it wrote; if not, the answer counts in its epoch only: nobody else knows
   *     it, and in a later one the command may have written
   */
  record Known(long sequence, int epoch, long index, Result result, boolean written) {
    boolean counts(int now) {
      return written || epoch == now;
    }
  }

  /** What is known of one session, in the order of the sequences. */
  private static final class Session {
    boolean present;
    long lowest;

    /** Which tries of which sequences were refused in {@link #refusedIn}; rarely any. */
    private @Nullable TreeMap<Long, Integer> refused;

    private int refusedIn;
    private @Nullable Known[] known = new @Nullable Known[4];
    private int first;
    private int end;

    Known known(int place) {
      return Objects.requireNonNull(known[place]);
    }

    void raise(long lowestUnanswered) {
      if (lowestUnanswered > lowest) {
        lowest = lowestUnanswered;
        while (first < end && known(first).sequence < lowest) {
          known[first] = null;
          first++;
        }
        if (refused != null) {
          refused.headMap(lowest).clear();
        }
      }
    }

    /** The place of the first that is not below a sequence. */
    private int place(long sequence) {
      if (first == end || known(end - 1).sequence < sequence) {
        return end;
      }
      int low = first;
      int high = end - 1;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (known(middle).sequence < sequence) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    @Nullable Known find(long sequence) {
      int place = place(sequence);
      return place < end && known(place).sequence == sequence ? known(place) : null;
    }

    /** Adds what is not known yet and not too old. */
    void add(Known more) {
      if (more.sequence < lowest) {
        return;
      }
      int place = place(more.sequence);
      if (place < end && known(place).sequence == more.sequence) {
        if (!known(place).counts(more.epoch)) {
          known[place] = more;
        }
        return;
      }
      if (end == known.length) {
        int count = end - first;
        @Nullable Known[] roomier =
            count > end / 2 ? new @Nullable Known[end * 2] : new @Nullable Known[end];
        System.arraycopy(known, first, roomier, 0, count);
        known = roomier;
        place -= first;
        first = 0;
        end = count;
      }
      System.arraycopy(known, place, known, place + 1, end - place);
      known[place] = more;
      end++;
    }

    void refuse(long sequence, int attempt, int epoch) {
      if (attempt == 0) {
        return;
      }
      TreeMap<Long, Integer> some = refused;
      if (some == null || refusedIn != epoch) {
        some = new TreeMap<>();
        refused = some;
        refusedIn = epoch;
      }
      some.merge(sequence, attempt, Math::max);
    }

    boolean isRefused(long sequence, int attempt, int epoch) {
      Map<Long, Integer> some = refused;
      return some != null
          && attempt > 0
          && refusedIn == epoch
          && some.getOrDefault(sequence, 0).intValue() >= attempt;
    }

    List<Known> before(int epoch) {
      List<Known> earlier = new ArrayList<>();
      for (int place = first; place < end; place++) {
        if (known(place).written && known(place).epoch < epoch) {
          earlier.add(known(place));
        }
      }
      return earlier;
    }
  }

  private final Map<SessionId, Session> sessions = new HashMap<>();

  /** What commands did that began before this epoch may be known to nobody any more. */
  private int knownSince;

  private Lives lives;

  /** The last one looked at: a command asks for its session several times. */
  private @Nullable SessionId lastId;

  private @Nullable Session last;

  Sessions(Lives lives) {
    this.lives = lives;
  }

  private @Nullable Session find(SessionId id) {
    if (id.equals(lastId)) {
      return last;
    }
    Session session = sessions.get(id);
    if (session != null) {
      lastId = id;
      last = session;
    }
    return session;
  }

  private Session of(SessionId id) {
    Session known = find(id);
    if (known != null) {
      return known;
    }
    Session session = new Session();
    session.present = lives.isPresent(id);
    sessions.put(id, session);
    return session;
  }

  /** Whether this is a session of one that is a member now. */
  boolean isPresent(SessionId id) {
    Session session = find(id);
    return session == null ? lives.isPresent(id) : session.present;
  }

  /** Takes note of the lowest unanswered sequence; false when this command is below it. */
  boolean admit(Command command) {
    Session session = of(command.session());
    session.raise(command.lowest());
    return command.sequence() >= session.lowest;
  }

  /** What this command did, if that is known in this epoch. */
  @Nullable Known find(SessionId id, long sequence, int epoch) {
    Session session = find(id);
    Known known = session == null ? null : session.find(sequence);
    return known != null && known.counts(epoch) ? known : null;
  }

  /** Whatever was known of commands that began before an epoch may be lost. */
  void knowNothingBefore(int epoch) {
    knownSince = Math.max(knownSince, epoch);
  }

  /** Whether a command of which nothing is known may have been carried out all the same. */
  boolean mayHaveForgotten(Command command) {
    return command.begun() < knownSince;
  }

  /**
   * Keeps in mind that a try of a command was refused in an epoch: who was told so may count on it,
   * though the message that carried the try comes a second time.
   */
  void refuse(Command command, int epoch) {
    of(command.session()).refuse(command.sequence(), command.attempt(), epoch);
  }

  /** Whether this try, or a later one, was refused in this epoch. */
  boolean isRefused(Command command, int epoch) {
    Session known = find(command.session());
    return known != null && known.isRefused(command.sequence(), command.attempt(), epoch);
  }

  /** Keeps what a command wrote and answered. */
  void written(Command command, int epoch, long index, Result result) {
    record(command, new Known(command.sequence(), epoch, index, result, true));
  }

  /** Keeps what a command answered that wrote nothing, for as long as the epoch lasts. */
  void answered(Command command, int epoch, long index, Result result) {
    record(command, new Known(command.sequence(), epoch, index, result, false));
  }

  private void record(Command command, Known known) {
    Session session = of(command.session());
    session.raise(command.lowest());
    session.add(known);
  }

  /** Drops what only members that are gone could ask for. */
  void retain(Lives now) {
    lives = now;
    lastId = null;
    last = null;
    sessions.keySet().removeIf(now::isOver);
    sessions.forEach((id, session) -> session.present = now.isPresent(id));
  }

  void clear() {
    lastId = null;
    last = null;
    sessions.clear();
    knownSince = 0;
  }

  /** Writes what was done before an epoch. */
  void write(Output out, int before) {
    out.writeVarint(knownSince);
    out.writeVarint(sessions.size());
    sessions.forEach(
        (id, session) -> {
          id.write(out);
          out.writeVarint(session.lowest);
          List<Known> earlier = session.before(before);
          out.writeVarint(earlier.size());
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
    knowNothingBefore(in.readCount(Integer.MAX_VALUE));
    int count = in.readCount(MAX_SESSIONS);
    for (int i = 0; i < count; i++) {
      SessionId id = SessionId.read(in);
      Session session = of(id);
      session.raise(in.readVarint());
      int results = in.readCount(MAX_RESULTS);
      for (int j = 0; j < results; j++) {
        // A copy: the message is far longer than what is kept of it, and for how long.
        session.add(
            new Known(
                in.readVarint(),
                in.readCount(Integer.MAX_VALUE),
                in.readVarint(),
                Result.read(in).alone(),
                true));
      }
    }
  }
}
