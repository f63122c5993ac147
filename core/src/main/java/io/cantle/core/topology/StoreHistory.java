package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The lives a node has had with its store, and how far it had come in each: what tells the present
 * store from an old copy of it. Whoever has heard of a life that is missing here, or of more in a
 * life that ended earlier here, knows that this is a copy from before.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param incarnations the oldest first, the last is the present one; the oldest of many are
 *     forgotten
 */
record StoreHistory(List<StoreIncarnation> incarnations) {
  /** How many lives are remembered. */
  static final int MAX_INCARNATIONS = 64;

  /** Of a store that is new. */
  static final StoreHistory NONE = new StoreHistory(List.of());

  private static final int FORMAT = 2;

  /**
   * A life and how far the store had come in it, as told to others.
   *
   * @param id of the member
   * @param ordinal how many lives the store had before
   * @param mark counts what was told; everything before is in the store
   */
  record StoreIncarnation(UUID id, long ordinal, long mark) {
    void write(Output out) {
      out.writeId(id);
      out.writeVarint(ordinal);
      out.writeVarint(mark);
    }

    static StoreIncarnation read(Input in) {
      return new StoreIncarnation(in.readId(), in.readVarint(), in.readVarint());
    }
  }

  /** Copies the list. */
  StoreHistory {
    incarnations = List.copyOf(incarnations);
  }

  /** Another life begins. */
  StoreHistory withNewIncarnation(UUID life) {
    List<StoreIncarnation> more = new ArrayList<>(incarnations);
    long ordinal = more.isEmpty() ? 0 : more.getLast().ordinal + 1;
    more.add(new StoreIncarnation(life, ordinal, 0));
    return new StoreHistory(more.subList(Math.max(0, more.size() - MAX_INCARNATIONS), more.size()));
  }

  /** The store has come further in the present life. */
  StoreHistory withProgress() {
    List<StoreIncarnation> more = new ArrayList<>(incarnations);
    StoreIncarnation present = more.removeLast();
    more.add(new StoreIncarnation(present.id, present.ordinal, present.mark + 1));
    return new StoreHistory(more);
  }

  /** Only the present life: all that those need to know who know it already. */
  StoreHistory currentOnly() {
    return new StoreHistory(incarnations.subList(incarnations.size() - 1, incarnations.size()));
  }

  /** The present life; there is one. */
  StoreIncarnation currentIncarnation() {
    return incarnations.getLast();
  }

  /** Whether this is the history of a copy that was made before somebody had heard of that. */
  boolean isBehind(StoreIncarnation known) {
    for (StoreIncarnation life : incarnations) {
      if (life.id.equals(known.id)) {
        return life.mark < known.mark;
      }
    }
    // Only a life that is older than all of these may have been forgotten.
    return incarnations.isEmpty() || known.ordinal >= incarnations.getFirst().ordinal;
  }

  void write(Output out) {
    out.writeByte(FORMAT);
    out.writeVarint(incarnations.size());
    incarnations.forEach(life -> life.write(out));
  }

  static StoreHistory read(Input in) {
    int format = in.readByte();
    if (format != FORMAT) {
      throw new MalformedException("format " + format + ", this node reads " + FORMAT);
    }
    int count = in.readCount(MAX_INCARNATIONS);
    List<StoreIncarnation> lives = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      lives.add(StoreIncarnation.read(in));
    }
    return new StoreHistory(lives);
  }
}
