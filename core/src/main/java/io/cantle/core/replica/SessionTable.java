package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.memory.ObjectLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The results of commands that may be retried. Each command carries the lowest sequence of its
 * session that is still unanswered. Results below it are dropped, and a command below it that
 * arrives again is ignored.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class SessionTable {
  private static final int MAX_SESSIONS = 100_000;
  private static final int MAX_RESULTS = 1_000_000;
  private static final int FEW_RESULTS = 4;

  /**
   * What a command did and its result.
   *
   * @param isWritten whether it wrote. If not, the result is valid in its epoch only: no other node
   *     knows it, and in a later epoch the command may have written
   */
  record KnownResult(
      long sequence, int epoch, long index, OperationResult result, boolean isWritten) {
    /** What an object of this class takes. */
    static final int SIZE_BYTES = ObjectLayout.objectBytes(1, 2 * Long.BYTES + Integer.BYTES + 1);

    /** The memory that the result takes. */
    long sizeBytes() {
      return SIZE_BYTES + result.sizeBytes();
    }

    boolean isValidIn(int now) {
      return isWritten || epoch == now;
    }

    void write(Output out) {
      out.writeVarint(sequence);
      out.writeVarint(epoch);
      out.writeVarint(index);
      result.write(out);
    }

    /** Reads the result of a command that wrote. */
    static KnownResult read(Input in) {
      // Copied, because the message is far longer than the result that is kept, and for how long.
      return new KnownResult(
          in.readVarint(),
          in.readCount(),
          in.readVarint(),
          OperationResult.read(in).withOwnArray(),
          true);
    }
  }

  /** The results of one session, ordered by sequence. */
  private static final class SessionResults {
    /** The memory of a session with its place in the table, and with room for a few results. */
    static final int SIZE_BYTES =
        ObjectLayout.objectBytes(2, 3 * Long.BYTES + 3 * Integer.BYTES + 1)
            + ObjectLayout.objectBytes(3, Integer.BYTES)
            + 2 * ObjectLayout.REFERENCE_BYTES
            + (int) ObjectLayout.arrayBytes(FEW_RESULTS, ObjectLayout.REFERENCE_BYTES)
            + SessionId.SIZE_BYTES;

    boolean live;
    long lowestSequence;

    /** The memory of the results. */
    long resultBytes;

    /** No result has a higher sequence. */
    private long highestSequence;

    /** The refused attempt of each sequence in {@link #refusedInEpoch}; rarely any. */
    private @Nullable TreeMap<Long, Integer> refusedAttempts;

    private int refusedInEpoch;
    private @Nullable KnownResult[] results = new @Nullable KnownResult[FEW_RESULTS];
    private int first;
    private int end;

    KnownResult resultAt(int place) {
      return Objects.requireNonNull(results[place]);
    }

    void raiseLowest(long lowestUnanswered) {
      if (lowestUnanswered > lowestSequence) {
        lowestSequence = lowestUnanswered;
        if (highestSequence < lowestSequence) {
          // Mostly so. The results are not looked at: they are no longer in the processor's cache.
          Arrays.fill(results, first, end, null);
          first = 0;
          end = 0;
          resultBytes = 0;
        }
        while (first < end && resultAt(first).sequence < lowestSequence) {
          resultBytes -= resultAt(first).sizeBytes();
          results[first] = null;
          first++;
        }
        if (refusedAttempts != null) {
          refusedAttempts.headMap(lowestSequence).clear();
        }
      }
    }

    /** The index of the first result that is not below a sequence; most are near the end. */
    private int indexOf(long sequence) {
      int place = end;
      while (place > first && resultAt(place - 1).sequence >= sequence) {
        place--;
      }
      return place;
    }

    @Nullable KnownResult find(long sequence) {
      int place = indexOf(sequence);
      return place < end && resultAt(place).sequence == sequence ? resultAt(place) : null;
    }

    /** Adds a result that is not known yet and not too old. */
    void add(KnownResult result) {
      if (result.sequence < lowestSequence) {
        return;
      }
      highestSequence = Math.max(highestSequence, result.sequence);
      int place = indexOf(result.sequence);
      if (place < end && resultAt(place).sequence == result.sequence) {
        if (!resultAt(place).isValidIn(result.epoch)) {
          resultBytes += result.sizeBytes() - resultAt(place).sizeBytes();
          results[place] = result;
        }
        return;
      }
      if (end == results.length) {
        int count = end - first;
        results = Arrays.copyOfRange(results, first, first + (count > end / 2 ? end * 2 : end));
        place -= first;
        first = 0;
        end = count;
      }
      System.arraycopy(results, place, results, place + 1, end - place);
      results[place] = result;
      resultBytes += result.sizeBytes();
      end++;
    }

    void refuse(long sequence, int attempt, int epoch) {
      if (attempt == 0) {
        return;
      }
      TreeMap<Long, Integer> attempts = refusedAttempts;
      if (attempts == null || refusedInEpoch != epoch) {
        attempts = new TreeMap<>();
        refusedAttempts = attempts;
        refusedInEpoch = epoch;
      }
      attempts.merge(sequence, attempt, Math::max);
    }

    boolean isRefused(long sequence, int attempt, int epoch) {
      Map<Long, Integer> attempts = refusedAttempts;
      return attempts != null
          && attempt > 0
          && refusedInEpoch == epoch
          && attempts.getOrDefault(sequence, 0).intValue() >= attempt;
    }

    List<KnownResult> writtenBefore(int epoch) {
      return IntStream.range(first, end)
          .mapToObj(this::resultAt)
          .filter(known -> known.isWritten && known.epoch < epoch)
          .toList();
    }
  }

  private final Map<SessionId, SessionResults> sessions = new HashMap<>();

  /** The memory of all results. */
  private long resultBytes;

  /** The effects of commands that began before this epoch may be known to no node any more. */
  private int knownSinceEpoch;

  private LiveSessions liveSessions;

  /** The last session looked up: each command looks its session up several times. */
  private @Nullable SessionId lastId;

  private @Nullable SessionResults lastSession;

  SessionTable(LiveSessions liveSessions) {
    this.liveSessions = liveSessions;
  }

  private @Nullable SessionResults find(SessionId id) {
    if (id.equals(lastId)) {
      return lastSession;
    }
    SessionResults session = sessions.get(id);
    if (session != null) {
      lastId = id;
      lastSession = session;
    }
    return session;
  }

  private SessionResults getOrCreate(SessionId id) {
    SessionResults known = find(id);
    if (known != null) {
      return known;
    }
    SessionResults session = new SessionResults();
    session.live = liveSessions.isLive(id);
    sessions.put(id, session);
    return session;
  }

  /** Whether this is the session of a present member. */
  boolean isLive(SessionId id) {
    SessionResults session = find(id);
    return session == null ? liveSessions.isLive(id) : session.live;
  }

  /** Records the lowest unanswered sequence. Returns false when this command is below it. */
  boolean admit(CommandId command) {
    SessionResults session = getOrCreate(command.session());
    long before = session.resultBytes;
    session.raiseLowest(command.lowestUnanswered());
    resultBytes += session.resultBytes - before;
    return command.sequence() >= session.lowestSequence;
  }

  /** The result of this command, if it is known in this epoch. */
  @Nullable KnownResult find(SessionId id, long sequence, int epoch) {
    SessionResults session = find(id);
    KnownResult known = session == null ? null : session.find(sequence);
    return known != null && known.isValidIn(epoch) ? known : null;
  }

  /** Notes that results of commands that began before an epoch may be lost. */
  void forgetBefore(int epoch) {
    knownSinceEpoch = Math.max(knownSinceEpoch, epoch);
  }

  /** Whether a command without a known result may have been executed all the same. */
  boolean mayHaveForgotten(CommandId command) {
    return command.firstEpoch() < knownSinceEpoch;
  }

  /**
   * Remembers that an attempt of a command was refused in an epoch. The caller that was told so may
   * rely on it, even if the message of that attempt arrives a second time.
   */
  void refuse(CommandId command, int epoch) {
    getOrCreate(command.session()).refuse(command.sequence(), command.attempt(), epoch);
  }

  /** Whether this attempt, or a later one, was refused in this epoch. */
  boolean isRefused(CommandId command, int epoch) {
    SessionResults known = find(command.session());
    return known != null && known.isRefused(command.sequence(), command.attempt(), epoch);
  }

  /** Keeps the result of a command that wrote. */
  void recordWritten(CommandId command, int epoch, long index, OperationResult result) {
    remember(command, new KnownResult(command.sequence(), epoch, index, result, true));
  }

  /** Keeps the result of a command that wrote nothing, for as long as the epoch lasts. */
  void recordAnswered(CommandId command, int epoch, long index, OperationResult result) {
    remember(command, new KnownResult(command.sequence(), epoch, index, result, false));
  }

  private void remember(CommandId command, KnownResult known) {
    SessionResults session = getOrCreate(command.session());
    long before = session.resultBytes;
    session.raiseLowest(command.lowestUnanswered());
    session.add(known);
    resultBytes += session.resultBytes - before;
  }

  /** Drops the results that only departed members could ask for. */
  void retainLive(LiveSessions now) {
    liveSessions = now;
    lastId = null;
    lastSession = null;
    sessions.keySet().removeIf(now::hasEnded);
    resultBytes = 0;
    sessions.forEach(
        (id, session) -> {
          session.live = now.isLive(id);
          resultBytes += session.resultBytes;
        });
  }

  /** The memory that the sessions take, with their results. */
  long sizeBytes() {
    return (long) sessions.size() * SessionResults.SIZE_BYTES + resultBytes;
  }

  void clear() {
    lastId = null;
    lastSession = null;
    sessions.clear();
    resultBytes = 0;
    knownSinceEpoch = 0;
  }

  /** Writes the results of commands that wrote before an epoch. */
  void write(Output out, int before) {
    out.writeVarint(knownSinceEpoch);
    out.writeVarint(sessions.size());
    sessions.forEach(
        (id, session) -> {
          id.write(out);
          out.writeVarint(session.lowestSequence);
          out.writeList(session.writtenBefore(before), known -> known.write(out));
        });
  }

  /** Adds the results that another owner knows. */
  void merge(Input in) {
    forgetBefore(in.readCount());
    int count = in.readCount(MAX_SESSIONS);
    for (int i = 0; i < count; i++) {
      SessionResults session = getOrCreate(SessionId.read(in));
      long before = session.resultBytes;
      session.raiseLowest(in.readVarint());
      in.readList(MAX_RESULTS, KnownResult::read).forEach(session::add);
      resultBytes += session.resultBytes - before;
    }
  }
}
