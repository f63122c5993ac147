package io.cantle.core.discovery;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The incarnations a node has had with its store, and how far the store had come in each. It tells
 * the present store from an old copy of it. A node that knows of an incarnation missing here knows
 * that this is the history of an old copy. The same holds for one that knows of more progress in an
 * incarnation that ended earlier here.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param incarnations the oldest first, the present one last; of many, the oldest are forgotten
 */
public record StoreHistory(List<StoreIncarnation> incarnations) {
  /** How many incarnations are remembered. */
  static final int MAX_INCARNATIONS = 64;

  /** The history of a new store. */
  static final StoreHistory NONE = new StoreHistory(List.of());

  private static final int FORMAT_VERSION = 2;

  /**
   * An incarnation and how far the store had come in it, as reported to other nodes.
   *
   * @param id of the member
   * @param ordinal how many incarnations the store had before
   * @param mark counts the reports; everything written before one is in the store
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
  public StoreHistory {
    incarnations = List.copyOf(incarnations);
  }

  /** Returns this history with another incarnation, which begins now. */
  StoreHistory withNewIncarnation(UUID incarnation) {
    List<StoreIncarnation> extended = new ArrayList<>(incarnations);
    long ordinal = extended.isEmpty() ? 0 : extended.getLast().ordinal + 1;
    extended.add(new StoreIncarnation(incarnation, ordinal, 0));
    return new StoreHistory(
        extended.subList(Math.max(0, extended.size() - MAX_INCARNATIONS), extended.size()));
  }

  /** Returns this history after more progress in the present incarnation. */
  StoreHistory withProgress() {
    List<StoreIncarnation> extended = new ArrayList<>(incarnations);
    StoreIncarnation present = extended.removeLast();
    extended.add(new StoreIncarnation(present.id, present.ordinal, present.mark + 1));
    return new StoreHistory(extended);
  }

  /** Returns only the present incarnation. Nodes that know it already need no more. */
  StoreHistory currentOnly() {
    return new StoreHistory(incarnations.subList(incarnations.size() - 1, incarnations.size()));
  }

  /** The present incarnation. The history must not be empty. */
  StoreIncarnation currentIncarnation() {
    return incarnations.getLast();
  }

  /**
   * Whether this is the history of a copy that was made before another node heard of that
   * incarnation and its mark.
   */
  boolean isBehind(StoreIncarnation known) {
    for (StoreIncarnation incarnation : incarnations) {
      if (incarnation.id.equals(known.id)) {
        return incarnation.mark < known.mark;
      }
    }
    // Only an incarnation older than all of these may have been forgotten.
    return incarnations.isEmpty() || known.ordinal >= incarnations.getFirst().ordinal;
  }

  /** Writes the history, as it is sent and recorded. */
  public void write(Output out) {
    out.writeByte(FORMAT_VERSION);
    out.writeList(incarnations, incarnation -> incarnation.write(out));
  }

  static StoreHistory read(Input in) {
    in.requireFormat(FORMAT_VERSION);
    return new StoreHistory(in.readList(MAX_INCARNATIONS, StoreIncarnation::read));
  }
}
