package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.WriteProvenance;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Merges an entry that was written on another side of a partition. An entry that this side has not
 * written since the divergence is replaced. If both sides have written it, the mode decides.
 * Merging the same entry twice changes nothing the second time, because the entry keeps its stamp.
 *
 * <p>Several sides may merge the same key in any order, and the result must be the same. Each entry
 * therefore records how it arrived, its {@link WriteProvenance}. An entry from before the segment
 * began empty yields to anything written since. Among several such entries the later write stays.
 * That is no conflict, since one writer may have known the other's value. A value that yields in
 * this way is counted as lost, as if the other writer had not known it.
 *
 * @param grid the grid this is meant for; in any other grid it does nothing
 * @param birthEpoch the epoch in which the segment began empty there, as far as is known; if the
 *     segment has begun empty again since, it does nothing
 * @param mode decides if both sides have written
 * @param fromBeforeSplit whether the entry existed before the sides diverged; this side had lost it
 * @param divergence the point up to which the sides had the same writes
 * @param stamp when the entry was written
 * @param value the encoded value, or null if the key was removed
 */
record ConflictMerge(
    UUID grid,
    int birthEpoch,
    PartitionHandling mode,
    boolean fromBeforeSplit,
    DivergencePoint divergence,
    long stamp,
    @Nullable ByteSlice value)
    implements Operation {

  /** The result in another grid, or when the segment has begun empty again. */
  static final OperationResult NOT_APPLICABLE = OperationResult.FALSE;

  /** The number of lost writes, carried by the result of a merge. */
  record LossCount(long overwritten, long removed, long broughtBack) {
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
   * @param found the entry as it is, which may be a tombstone
   */
  @Override
  public @Nullable CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    return decide(mode, key, found);
  }

  /** Decides by another mode. */
  @Nullable CommandEffect decide(
      PartitionHandling effectiveMode, ByteSlice key, @Nullable Entry found) {
    if (found == null) {
      // A removal is written too: another side may still merge the removed entry.
      return writeIncoming(key, LossCount.NONE);
    }
    if (isSameWrite(found)) {
      return keepExisting(LossCount.NONE);
    }
    if (!fromBeforeSplit && !divergence.precedesWrite(found)) {
      return writeIncoming(key, LossCount.NONE);
    }
    if (!fromBeforeSplit && value == null && stamp <= divergence.stamp()) {
      // The entry that was there before has expired on the other side. Expiry is no caller's write,
      // and this side has written since.
      return keepExisting(LossCount.NONE);
    }
    boolean later = isLater(found);
    return switch (found.provenance()) {
      // A removal from before the split, followed by a value put since, is not an undone removal.
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
   * The loss when the incoming write yields to the existing one. If the incoming one is from before
   * the segment began empty, the later writer may have known it. No node can tell, so it counts as
   * lost.
   */
  private LossCount lossOfIncoming(Entry found) {
    return lossOf(found.isTombstone(), value == null, found);
  }

  private boolean isLater(Entry found) {
    return stamp != found.stamp()
        ? stamp > found.stamp()
        // An expired value leaves a tombstone with the stamp of the value, and the tombstone stays.
        // Other writes practically never have equal stamps, but all nodes must decide alike.
        : !found.isTombstone() && (value == null || compareValues(value, found) > 0);
  }

  /** Decides when both sides wrote. */
  private @Nullable CommandEffect resolveConflict(
      PartitionHandling effectiveMode, ByteSlice key, Entry found, boolean later) {
    return switch (effectiveMode) {
      case NEWER -> keepNewer(key, found, later);
      case REMOVE -> removeBoth(key, found);
      case CUSTOM -> value == null && found.isTombstone() ? keepExisting(LossCount.NONE) : null;
      // An entry merged from a third side has no precedence over the incoming one.
      case MAJORITY, STOP, OLDEST_DECIDES ->
          keepNewer(key, found, later && found.provenance() != WriteProvenance.LOCAL);
    };
  }

  /** Compares two removals too: a third side may have written between them. */
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
   * Applies the decision of the user's function when both sides wrote.
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
    CommandEffect effect = Operation.putOrRemove(key, decided, losses.toResult());
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

  /** Whether this same write is there already. */
  private boolean isSameWrite(Entry found) {
    return stamp == found.stamp()
        && (value == null
            ? found.isTombstone()
            : !found.isTombstone() && compareValues(value, found) == 0);
  }

  /** Compares the bytes of a value with those of an entry. */
  static int compareValues(ByteSlice value, Entry found) {
    byte[] bytes = found.bytes();
    return Arrays.compareUnsigned(
        value.bytes(),
        value.offset(),
        value.offset() + value.length(),
        bytes,
        found.valueOffset(),
        bytes.length);
  }

  private CommandEffect writeIncoming(ByteSlice key, LossCount losses) {
    return withStamp(Operation.putOrRemove(key, value, losses.toResult()));
  }

  private CommandEffect withStamp(CommandEffect effect) {
    return effect.withStamp(
        (fromBeforeSplit ? WriteProvenance.RESTORED : WriteProvenance.MERGED).markStamp(stamp));
  }

  private static CommandEffect keepExisting(LossCount losses) {
    return CommandEffect.none(losses.toResult());
  }
}
