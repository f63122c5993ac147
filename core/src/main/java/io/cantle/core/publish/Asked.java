package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.core.base.Input;
import io.cantle.core.container.Cursor;
import io.cantle.core.operate.Thrown;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Ask;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request under way, and where to go on in each of its segments if nothing more is told of it.
 *
 * <p><b>Threading:</b> one thread, that of the scan.
 */
final class Asked {
  private final Frontier frontier;
  private final Asking.Question question;
  private final Ask ask;
  private final long topology;
  private final boolean ofPrimaries;
  private final List<Want> wants;
  private final TreeMap<Integer, Cursor> rest = new TreeMap<>();
  private long until;
  private boolean isVoid;
  private boolean progress;

  Asked(
      Frontier frontier,
      Asking.Question question,
      Ask ask,
      Topology topology,
      List<Want> wants,
      long until) {
    this.frontier = frontier;
    this.question = question;
    this.ask = ask;
    this.topology = topology.number();
    this.ofPrimaries = frontier.primaryOfAll(topology, ask.to(), wants);
    this.wants = wants;
    this.until = until;
    wants.forEach(want -> rest.put(want.segment(), want.cursor()));
  }

  Ask ask() {
    return ask;
  }

  /** What was asked. */
  Asking.Question question() {
    return question;
  }

  /** The number of the topology it was asked in. */
  long topology() {
    return topology;
  }

  List<Want> wants() {
    return wants;
  }

  /** Where to go on in each segment that is not done. */
  Map<Integer, Cursor> rest() {
    return Collections.unmodifiableMap(rest);
  }

  /** Whether it brought the scan further. */
  boolean progress() {
    return progress;
  }

  /** When it is to be sent again. */
  long until() {
    return until;
  }

  void until(long later) {
    until = later;
  }

  /**
   * The body of an answer that tells something, or null.
   *
   * @throws FunctionException if a function threw at the owner
   * @throws GridException if what it makes of a single entry is too long to be told
   */
  @Nullable Input told() {
    Input in = ask.answer();
    if (in == null) {
      lose();
      return null;
    }
    int status = in.readByte();
    throwFailure(status, in);
    if (status == Outcome.VOID) {
      isVoid = true;
      lose();
      return frontier.delivery() == Delivery.AT_LEAST_ONCE ? in : null;
    }
    return status == Outcome.OK ? in : null;
  }

  /**
   * Throws what an answer says to have failed, if it does.
   *
   * @throws FunctionException if a function threw at the owner
   * @throws GridException if what it makes of a single entry is too long to be told
   */
  static void throwFailure(int status, Input in) {
    if (status == Outcome.FAILED) {
      throw new FunctionException(in.readString(), Thrown.read(in));
    }
    if (status == Outcome.TOO_LONG) {
      throw new GridException(
          "what node "
              + in.readString()
              + " makes of a single entry for this stream is longer than a message may be, "
              + in.readVarint()
              + " bytes, which is fixed: map an entry to what is needed of it before the stream"
              + " ends; what a collector makes of it can be made of toList() or iterator() here");
    }
  }

  /** What was asked came to nothing; some are not to be asked again. */
  private void lose() {
    if (frontier.delivery() == Delivery.AT_MOST_ONCE) {
      rest.keySet().forEach(frontier::lost);
      rest.clear();
    }
  }

  /** Notes, when all of an answer is known, how many elements came with it. */
  void brought(int elements) {
    frontier.hadRoom(rest.isEmpty() && elements < question.elements());
  }

  /** Notes how a segment of an answer ended; true if it was read to its end. */
  boolean ended(int segment, int outcome, Input in) {
    switch (outcome) {
      case Outcome.DONE, Outcome.ENOUGH -> {
        if (!isVoid && rest.remove(segment) != null) {
          frontier.done(segment);
          progress = true;
          return outcome == Outcome.DONE;
        }
      }
      case Outcome.MORE, Outcome.DIRTY, Outcome.LONG -> {
        frontier.longNext(segment, outcome == Outcome.LONG ? in.readCount(Integer.MAX_VALUE) : 0);
        Cursor next = Cursor.read(in);
        if (!isVoid) {
          // How long an entry is was not known before: it can be asked for now.
          progress |= !next.equals(rest.replace(segment, next)) || outcome == Outcome.LONG;
        }
        if (outcome == Outcome.DIRTY) {
          frontier.onlyPrimary(segment);
        }
      }
      default -> {
        // The primary knows better than a copy that may not speak.
        frontier.onlyPrimary(segment);
        boolean begun = outcome == Outcome.LOST || !Cursor.START.equals(rest.get(segment));
        if (frontier.delivery() == Delivery.AT_MOST_ONCE && ofPrimaries && begun) {
          if (rest.remove(segment) != null) {
            frontier.lost(segment);
          }
        }
      }
    }
    return false;
  }
}
