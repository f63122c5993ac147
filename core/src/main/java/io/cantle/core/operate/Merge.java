package io.cantle.core.operate;

import io.cantle.core.base.Origin;
import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Parting;
import io.cantle.core.replica.Result;
import io.cantle.core.topology.Mode;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Brings in what was written on another side of a partition. What this side has not written since
 * the two parted gives way; of what both have written, the mode decides. To bring the same in twice
 * does nothing the second time: it keeps the stamp it has.
 *
 * <p>What others bring of one key comes in any order, and the result is to be the same. So an entry
 * tells how it came here, its {@link Origin}: what was there before a segment began empty gives way
 * to whatever was written there since; of several such copies the later write stays, and that is no
 * conflict, for one may have known the other. A value that gives way so is counted as lost, as if
 * it had not.
 *
 * @param grid the grid this is meant for; to any other it does nothing
 * @param born the epoch in which the segment began empty there, as far as is known: to one that has
 *     begun anew since, it does nothing
 * @param mode decides where both sides have written
 * @param old whether it was there before the sides parted; this side had lost it
 * @param parting how far the sides had come together
 * @param stamp when it was written
 * @param value the encoded value, or null if the key was removed
 */
public record Merge(
    UUID grid, int born, Mode mode, boolean old, Parting parting, long stamp, @Nullable Slice value)
    implements Operation {

  /** No write has it: nothing is brought in. */
  private static final long NO_STAMP = 0;

  /** What it answers in another grid, or when the segment has begun anew. */
  static final Result ELSEWHERE = Result.FALSE;

  /** Changes nothing: who answers it shows that the segment is served and has not begun anew. */
  static Merge question(UUID grid, int born, Mode mode) {
    return new Merge(grid, born, mode, true, Parting.NEVER_TOGETHER, NO_STAMP, null);
  }

  /** How many writes were lost, as the result of a merge tells it. */
  record Lost(int overwritten, int removed, int broughtBack) {
    static final Lost NONE = new Lost(0, 0, 0);

    Result asResult() {
      byte[] bytes = {(byte) overwritten, (byte) removed, (byte) broughtBack};
      return Result.valueIn(bytes, 0, bytes.length);
    }

    static Lost of(Result result) {
      byte[] bytes = result.bytes();
      int at = result.offset();
      return result.hasValue() && result.length() == 3
          ? new Lost(bytes[at], bytes[at + 1], bytes[at + 2])
          : NONE;
    }

    Lost plus(Lost more) {
      return new Lost(
          overwritten + more.overwritten, removed + more.removed, broughtBack + more.broughtBack);
    }
  }

  /**
   * {@inheritDoc}
   *
   * @param found as it is, a tombstone too
   */
  @Override
  public @Nullable Effect decide(Slice key, @Nullable Entry found) {
    return decide(mode, key, found);
  }

  /** Decides by another mode. */
  @Nullable Effect decide(Mode by, Slice key, @Nullable Entry found) {
    if (stamp == NO_STAMP) {
      return kept(Lost.NONE);
    }
    if (found == null) {
      // A removal too: somebody may come with what was removed.
      return written(key, Lost.NONE);
    }
    if (is(found)) {
      return kept(Lost.NONE);
    }
    if (!old && !parting.isBeforeWrite(found)) {
      return written(key, Lost.NONE);
    }
    if (!old && value == null && stamp <= parting.stamp()) {
      // What was there before has ended: time is nobody's write, and somebody has written since.
      return kept(Lost.NONE);
    }
    boolean later = isLater(found);
    return switch (found.origin()) {
      // A removal from before, and a value put since, are no removal that was undone.
      case HERE ->
          old ? kept(value == null ? Lost.NONE : gaveWay(found)) : conflict(by, key, found, later);
      case MERGED -> old && !later ? kept(gaveWay(found)) : conflict(by, key, found, later);
      case FILLED -> {
        if (later) {
          yield written(key, lost(value == null, found.tombstone(), found));
        }
        yield old ? kept(gaveWay(found)) : conflict(by, key, found, later);
      }
    };
  }

  /**
   * What it costs that this gives way to what is there. Who wrote that may have known this, if it
   * is from before the segment began empty: nobody can tell, so it counts as lost.
   */
  private Lost gaveWay(Entry found) {
    return lost(found.tombstone(), value == null, found);
  }

  private boolean isLater(Entry found) {
    return stamp != found.stamp()
        ? stamp > found.stamp()
        // A value that has lived its time leaves a removal with its own stamp, which stays. Of
        // other
        // writes as good as never: but all must find the same.
        : !found.tombstone() && (value == null || compareValues(value, found) > 0);
  }

  /** Both sides wrote. */
  private @Nullable Effect conflict(Mode by, Slice key, Entry found, boolean later) {
    return switch (by) {
      case NEWER -> newer(key, found, later);
      case REMOVE -> removed(key, found);
      case CUSTOM -> value == null && found.tombstone() ? kept(Lost.NONE) : null;
      // What this side has from a third one is no more than what comes.
      case MAJORITY, STOP, OLDEST_DECIDES ->
          newer(key, found, later && found.origin() != Origin.HERE);
    };
  }

  /** Of two removals too: what a third side wrote may be between them. */
  private Effect newer(Slice key, Entry found, boolean later) {
    return later
        ? written(key, lost(value == null, found.tombstone(), found))
        : kept(gaveWay(found));
  }

  /** What is lost when one of two writes stays, given whether each is a removal. */
  private Lost lost(boolean staysRemoved, boolean goesRemoved, Entry found) {
    if (goesRemoved) {
      return new Lost(0, 0, staysRemoved ? 0 : 1);
    }
    if (staysRemoved) {
      return new Lost(0, 1, 0);
    }
    return new Lost(value != null && compareValues(value, found) == 0 ? 0 : 1, 0, 0);
  }

  private Effect removed(Slice key, Entry found) {
    Lost lost = new Lost(0, (value == null ? 0 : 1) + (found.tombstone() ? 0 : 1), 0);
    return found.tombstone()
        ? kept(lost)
        : Effect.remove(key.toByteArray(), lost.asResult(), false);
  }

  /**
   * Both sides wrote, and the user's function has decided.
   *
   * @param decided the encoded value, null for none
   */
  Effect decided(Slice key, Entry found, @Nullable Slice decided) {
    boolean same =
        decided == null
            ? found.tombstone()
            : !found.tombstone() && compareValues(decided, found) == 0;
    boolean theirs =
        decided == null
            ? value == null
            : value != null && Arrays.equals(decided.toByteArray(), value.toByteArray());
    Lost lost = gone(found.tombstone(), same, decided).plus(gone(value == null, theirs, decided));
    if (same) {
      return kept(lost);
    }
    Effect effect =
        decided == null
            ? Effect.remove(key.toByteArray(), lost.asResult(), false)
            : Effect.put(key.followedBy(decided), lost.asResult(), false);
    return theirs ? stamped(effect) : effect;
  }

  private static Lost gone(boolean wasRemoved, boolean stays, @Nullable Slice decided) {
    if (stays) {
      return Lost.NONE;
    }
    return wasRemoved
        ? new Lost(0, 0, 1)
        : new Lost(decided == null ? 0 : 1, decided == null ? 1 : 0, 0);
  }

  /** Whether this very write is there already. */
  private boolean is(Entry found) {
    return stamp == found.stamp()
        && (value == null
            ? found.tombstone()
            : !found.tombstone() && compareValues(value, found) == 0);
  }

  private static int compareValues(Slice value, Entry found) {
    return Arrays.compareUnsigned(
        value.bytes(),
        value.offset(),
        value.offset() + value.length(),
        found.bytes(),
        found.valueOffset(),
        found.bytes().length);
  }

  private Effect written(Slice key, Lost lost) {
    Effect effect =
        value == null
            ? Effect.remove(key.toByteArray(), lost.asResult(), false)
            : Effect.put(key.followedBy(value), lost.asResult(), false);
    return stamped(effect);
  }

  private Effect stamped(Effect effect) {
    return effect.stamped((old ? Origin.FILLED : Origin.MERGED).mark(stamp));
  }

  private static Effect kept(Lost lost) {
    return Effect.none(lost.asResult());
  }
}
