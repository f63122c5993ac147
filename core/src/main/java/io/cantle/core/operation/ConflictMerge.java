package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.WriteOrigin;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.DivergencePoint;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.topology.PartitionHandling;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Brings in what was written on another side of a partition. What this side has not written since
 * the two parted gives way; of what both have written, the mode decides. To bring the same in twice
 * does nothing the second time: it keeps the stamp it has.
 *
 * <p>What others bring of one key comes in any order, and the result is to be the same. So an entry
 * tells how it came here, its {@link WriteOrigin}: what was there before a segment began empty
 * gives way to whatever was written there since; of several such copies the later write stays, and
 * that is no conflict, for one may have known the other. A value that gives way so is counted as
 * lost, as if it had not.
 *
 * @param grid the grid this is meant for; to any other it does nothing
 * @param birthEpoch the epoch in which the segment began empty there, as far as is known: to one
 *     that has begun anew since, it does nothing
 * @param mode decides where both sides have written
 * @param fromBeforeSplit whether it was there before the sides parted; this side had lost it
 * @param divergence how far the sides had come together
 * @param stamp when it was written
 * @param value the encoded value, or null if the key was removed
 */
public record ConflictMerge(
    UUID grid,
    int birthEpoch,
    PartitionHandling mode,
    boolean fromBeforeSplit,
    DivergencePoint divergence,
    long stamp,
    @Nullable ByteSlice value)
    implements Operation {

  /** No write has it: nothing is brought in. */
  private static final long NO_STAMP = 0;

  /** What it answers in another grid, or when the segment has begun anew. */
  static final OperationResult NOT_APPLICABLE = OperationResult.FALSE;

  /** Changes nothing: who answers it shows that the segment is served and has not begun anew. */
  static ConflictMerge probe(UUID grid, int born, PartitionHandling mode) {
    return new ConflictMerge(
        grid, born, mode, true, DivergencePoint.NOTHING_IN_COMMON, NO_STAMP, null);
  }

  /** How many writes were lost, as the result of a merge tells it. */
  record LossCount(int overwritten, int removed, int broughtBack) {
    static final LossCount NONE = new LossCount(0, 0, 0);

    OperationResult toResult() {
      byte[] bytes = {(byte) overwritten, (byte) removed, (byte) broughtBack};
      return OperationResult.valueIn(bytes, 0, bytes.length);
    }

    static LossCount of(OperationResult result) {
      byte[] bytes = result.bytes();
      int offset = result.offset();
      return result.hasValue() && result.length() == 3
          ? new LossCount(bytes[offset], bytes[offset + 1], bytes[offset + 2])
          : NONE;
    }

    LossCount plus(LossCount other) {
      return new LossCount(
          overwritten + other.overwritten,
          removed + other.removed,
          broughtBack + other.broughtBack);
    }
  }

  /**
   * {@inheritDoc}
   *
   * @param found as it is, a tombstone too
   */
  @Override
  public @Nullable CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    return decide(mode, key, found);
  }

  /** Decides by another mode. */
  @Nullable CommandEffect decide(
      PartitionHandling effectiveMode, ByteSlice key, @Nullable Entry found) {
    if (stamp == NO_STAMP) {
      return keepExisting(LossCount.NONE);
    }
    if (found == null) {
      // A removal too: somebody may come with what was removed.
      return writeIncoming(key, LossCount.NONE);
    }
    if (isSameWrite(found)) {
      return keepExisting(LossCount.NONE);
    }
    if (!fromBeforeSplit && !divergence.precedesWrite(found)) {
      return writeIncoming(key, LossCount.NONE);
    }
    if (!fromBeforeSplit && value == null && stamp <= divergence.stamp()) {
      // What was there before has ended: time is nobody's write, and somebody has written since.
      return keepExisting(LossCount.NONE);
    }
    boolean later = isLater(found);
    return switch (found.origin()) {
      // A removal from before, and a value put since, are no removal that was undone.
      case LOCAL ->
          fromBeforeSplit
              ? keepExisting(value == null ? LossCount.NONE : lossOfIncoming(found))
              : resolveConflict(effectiveMode, key, found, later);
      case MERGED ->
          fromBeforeSplit && !later
              ? keepExisting(lossOfIncoming(found))
              : resolveConflict(effectiveMode, key, found, later);
      case RESTORED -> {
        if (later) {
          yield writeIncoming(key, lossOf(value == null, found.isTombstone(), found));
        }
        yield fromBeforeSplit
            ? keepExisting(lossOfIncoming(found))
            : resolveConflict(effectiveMode, key, found, later);
      }
    };
  }

  /**
   * What it costs that this gives way to what is there. Who wrote that may have known this, if it
   * is from before the segment began empty: nobody can tell, so it counts as lost.
   */
  private LossCount lossOfIncoming(Entry found) {
    return lossOf(found.isTombstone(), value == null, found);
  }

  private boolean isLater(Entry found) {
    return stamp != found.stamp()
        ? stamp > found.stamp()
        // A value that has lived its time leaves a removal with its own stamp, which stays. Of
        // other
        // writes as good as never: but all must find the same.
        : !found.isTombstone() && (value == null || compareValues(value, found) > 0);
  }

  /** Both sides wrote. */
  private @Nullable CommandEffect resolveConflict(
      PartitionHandling effectiveMode, ByteSlice key, Entry found, boolean later) {
    return switch (effectiveMode) {
      case NEWER -> keepNewer(key, found, later);
      case REMOVE -> removeBoth(key, found);
      case CUSTOM -> value == null && found.isTombstone() ? keepExisting(LossCount.NONE) : null;
      // What this side has from a third one is no more than what comes.
      case MAJORITY, STOP, OLDEST_DECIDES ->
          keepNewer(key, found, later && found.origin() != WriteOrigin.LOCAL);
    };
  }

  /** Of two removals too: what a third side wrote may be between them. */
  private CommandEffect keepNewer(ByteSlice key, Entry found, boolean later) {
    return later
        ? writeIncoming(key, lossOf(value == null, found.isTombstone(), found))
        : keepExisting(lossOfIncoming(found));
  }

  /** What is lost when one of two writes stays, given whether each is a removal. */
  private LossCount lossOf(boolean staysRemoved, boolean goesRemoved, Entry found) {
    if (goesRemoved) {
      return new LossCount(0, 0, staysRemoved ? 0 : 1);
    }
    if (staysRemoved) {
      return new LossCount(0, 1, 0);
    }
    return new LossCount(value != null && compareValues(value, found) == 0 ? 0 : 1, 0, 0);
  }

  private CommandEffect removeBoth(ByteSlice key, Entry found) {
    LossCount losses = new LossCount(0, (value == null ? 0 : 1) + (found.isTombstone() ? 0 : 1), 0);
    return found.isTombstone()
        ? keepExisting(losses)
        : CommandEffect.remove(key.toByteArray(), losses.toResult(), false);
  }

  /**
   * Both sides wrote, and the user's function has decided.
   *
   * @param decided the encoded value, null for none
   */
  CommandEffect applyDecision(ByteSlice key, Entry found, @Nullable ByteSlice decided) {
    boolean keepsOurs =
        decided == null
            ? found.isTombstone()
            : !found.isTombstone() && compareValues(decided, found) == 0;
    boolean takesTheirs =
        decided == null
            ? value == null
            : value != null && Arrays.equals(decided.toByteArray(), value.toByteArray());
    LossCount losses =
        lossOfReplaced(found.isTombstone(), keepsOurs, decided)
            .plus(lossOfReplaced(value == null, takesTheirs, decided));
    if (keepsOurs) {
      return keepExisting(losses);
    }
    CommandEffect effect =
        decided == null
            ? CommandEffect.remove(key.toByteArray(), losses.toResult(), false)
            : CommandEffect.put(key.concat(decided), losses.toResult(), false);
    return takesTheirs ? withStamp(effect) : effect;
  }

  private static LossCount lossOfReplaced(
      boolean wasRemoved, boolean stays, @Nullable ByteSlice decided) {
    if (stays) {
      return LossCount.NONE;
    }
    return wasRemoved
        ? new LossCount(0, 0, 1)
        : new LossCount(decided == null ? 0 : 1, decided == null ? 1 : 0, 0);
  }

  /** Whether this very write is there already. */
  private boolean isSameWrite(Entry found) {
    return stamp == found.stamp()
        && (value == null
            ? found.isTombstone()
            : !found.isTombstone() && compareValues(value, found) == 0);
  }

  private static int compareValues(ByteSlice value, Entry found) {
    return Arrays.compareUnsigned(
        value.bytes(),
        value.offset(),
        value.offset() + value.length(),
        found.bytes(),
        found.valueOffset(),
        found.bytes().length);
  }

  private CommandEffect writeIncoming(ByteSlice key, LossCount losses) {
    CommandEffect effect =
        value == null
            ? CommandEffect.remove(key.toByteArray(), losses.toResult(), false)
            : CommandEffect.put(key.concat(value), losses.toResult(), false);
    return withStamp(effect);
  }

  private CommandEffect withStamp(CommandEffect effect) {
    return effect.withStamp(
        (fromBeforeSplit ? WriteOrigin.RESTORED : WriteOrigin.MERGED).markStamp(stamp));
  }

  private static CommandEffect keepExisting(LossCount losses) {
    return CommandEffect.none(losses.toResult());
  }
}
