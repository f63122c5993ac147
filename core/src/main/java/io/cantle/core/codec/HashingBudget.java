package io.cantle.core.codec;

import io.cantle.core.base.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits what hashing one object graph may cost while it is read. A hash set hashes each element
 * that is added, together with everything the element holds. Shared contents are hashed again and
 * again: with sets in sets that each hold the same two, a few hundred bytes would take for ever. So
 * before an element is added to a set, or a key to a map, the objects that its hash code visits are
 * counted, each as often as it is visited.
 *
 * <p>Writing a graph counts the same, so that nothing is written that cannot be read.
 *
 * <p>The contents of lists, sets, maps, optionals, entries and records are counted. Any other class
 * that hashes its contents is the user's, and its hash code is the user's responsibility.
 *
 * <p><b>Threading:</b> one thread, for one graph.
 */
final class HashingBudget {
  /** The number of objects that may be hashed in a graph of any length. */
  static final int FREE_OBJECTS = 1 << 16;

  /** The number of further objects for each byte of the graph. */
  static final int OBJECTS_PER_BYTE = 64;

  private static final int MAX_DEPTH = 1_000;

  private static final ScopedValue<HashingBudget> CURRENT = ScopedValue.newInstance();

  private final ClassResolver classResolver;
  private final List<Iterable<?>> written = new ArrayList<>();
  private long limitSteps;
  private long remainingSteps;
  private boolean isRaw;

  private HashingBudget(ClassResolver classResolver) {
    this.classResolver = classResolver;
  }

  /** Reads a graph of a given length within a new budget. */
  static <T extends @Nullable Object> T read(
      ClassResolver classResolver, int bytes, Supplier<T> reading) {
    HashingBudget budget = new HashingBudget(classResolver);
    budget.begin(bytes);
    return ScopedValue.where(CURRENT, budget).call(reading::get);
  }

  /**
   * Writes a graph within a new budget.
   *
   * @throws MalformedException if the graph could not be read again
   */
  static byte[] write(ClassResolver classResolver, Supplier<byte[]> writing) {
    HashingBudget budget = new HashingBudget(classResolver);
    byte[] bytes = ScopedValue.where(CURRENT, budget).call(writing::get);
    budget.begin(bytes.length);
    for (Iterable<?> hashed : budget.written) {
      hashed.forEach(budget::charge);
    }
    return bytes;
  }

  /** The budget of the graph that this thread reads or writes. */
  static HashingBudget current() {
    return CURRENT.get();
  }

  private void begin(int bytes) {
    limitSteps = FREE_OBJECTS + (long) OBJECTS_PER_BYTE * bytes;
    remainingSteps = limitSteps;
  }

  /** Records the elements of a set, or the keys of a map, that is being written. */
  void recordWritten(Iterable<?> hashed) {
    written.add(hashed);
  }

  /** Whether entries are added to the next map without counting; clears the flag. */
  boolean testAndClearRaw() {
    boolean raw = isRaw;
    isRaw = false;
    return raw;
  }

  /** Has the next map be filled without counting, because its caller counts. */
  void nextMapIsRaw() {
    isRaw = true;
  }

  /**
   * Counts an element or a key that is about to be hashed.
   *
   * @throws MalformedException if that exceeds the budget of this graph
   */
  void charge(@Nullable Object hashed) {
    count(hashed, 0);
  }

  private void count(@Nullable Object object, int depth) {
    if (--remainingSteps < 0) {
      throw new MalformedException(
          ("hashing the elements of its sets and the keys of its maps takes more than %s steps, the"
                  + " limit for its length: sets or maps within elements and keys hold the same"
                  + " objects too often")
              .formatted(limitSteps));
    }
    if (depth > MAX_DEPTH) {
      throw new MalformedException(
          "an element of a set or a key of a map nests deeper than " + MAX_DEPTH);
    }
    switch (object) {
      case List<?> list -> countAll(list, depth);
      case Set<?> set -> countAll(set, depth);
      case Map<?, ?> map -> {
        countAll(map.keySet(), depth);
        countAll(map.values(), depth);
      }
      case Map.Entry<?, ?> entry -> {
        count(entry.getKey(), depth + 1);
        count(entry.getValue(), depth + 1);
      }
      case Optional<?> optional -> count(optional.orElse(null), depth + 1);
      case Record record -> countAll(classResolver.references(record), depth);
      case null, default -> {
        // Its hash code counts as one step.
      }
    }
  }

  private void countAll(Iterable<?> objects, int depth) {
    for (Object object : objects) {
      count(object, depth + 1);
    }
  }
}
