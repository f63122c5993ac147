package io.cantle.core.wire;

import io.cantle.core.base.Input;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reads the lists in messages. Each element takes at least one byte, so no list is longer than the
 * message that brings it.
 *
 * <p><b>Threading:</b> pure functions.
 */
public final class MessageList {
  /** More room than this is made when elements are there, not because a count says so. */
  private static final int MAX_PREALLOCATED = 1_024;

  private MessageList() {}

  /** Reads elements up to the end of the message; most lists have one. */
  public static <T> List<T> readRest(Input in, Function<Input, T> element) {
    if (in.remaining() == 0) {
      return List.of();
    }
    T first = element.apply(in);
    if (in.remaining() == 0) {
      return List.of(first);
    }
    List<T> all = new ArrayList<>();
    all.add(first);
    while (in.remaining() > 0) {
      all.add(element.apply(in));
    }
    return all;
  }

  /** Reads a count and so many elements. */
  public static <T> List<T> readCounted(Input in, Function<Input, T> element) {
    return readCounted(in, in.remaining(), element);
  }

  /** Reads a count of at most {@code max} and so many elements. */
  public static <T> List<T> readCounted(Input in, int max, Function<Input, T> element) {
    return read(in, in.readCount(max), element);
  }

  /** Reads so many elements. */
  public static <T> List<T> read(Input in, int count, Function<Input, T> element) {
    List<T> all = new ArrayList<>(Math.min(count, MAX_PREALLOCATED));
    for (int i = 0; i < count; i++) {
      all.add(element.apply(in));
    }
    return all;
  }
}
