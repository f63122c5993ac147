package io.cantle.core.codec;

import io.cantle.core.base.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what hashing one object graph may cost while it is read. A hash set hashes each element
 * that is put into it, with all that the element holds. Where elements share what they hold that
 * counts again and again: of sets in sets, each holding the same two, a few hundred bytes would
 * take for ever. So before an element is put into a set, or a key into a map, the objects that its
 * hash code looks at are counted, each as often as it is looked at.
 *
 * <p>The same is counted when the graph is written, so that nothing is written that cannot be read.
 *
 * <p>Looked into are lists, sets, maps, optionals, entries and records. What else hashes what it
 * holds is a class of the user's, whose hash code is the user's own.
 *
 * <p><b>Threading:</b> one thread, for one graph.
 */
final class HashingBudget {
  /** So many objects may be hashed in a graph of any length. */
  static final int FREE_OBJECTS = 1 << 16;

  /** So many more for each of its bytes. */
  static final int OBJECTS_PER_BYTE = 64;

  private static final int MAX_DEPTH = 1_000;

  private static final ScopedValue<HashingBudget> CURRENT = ScopedValue.newInstance();

  private final ClassResolver classResolver;
  private final List<Iterable<?>> written = new ArrayList<>();
  private long most;
  private long left;
  private boolean isRaw;

  private HashingBudget(ClassResolver classResolver) {
    this.classResolver = classResolver;
  }

  /** What reads or writes within a budget. */
  interface Work<T extends @Nullable Object> {
    T run();
  }

  /** Reads a graph of so many bytes. */
  static <T extends @Nullable Object> T read(
      ClassResolver classResolver, int bytes, Work<T> reading) {
    HashingBudget budget = new HashingBudget(classResolver);
    budget.begin(bytes);
    return ScopedValue.where(CURRENT, budget).call(reading::run);
  }

  /**
   * Writes a graph.
   *
   * @throws MalformedException when it could not be read
   */
  static byte[] write(ClassResolver classResolver, Work<byte[]> writing) {
    HashingBudget budget = new HashingBudget(classResolver);
    byte[] bytes = ScopedValue.where(CURRENT, budget).call(writing::run);
    budget.begin(bytes.length);
    for (Iterable<?> hashed : budget.written) {
      hashed.forEach(budget::charge);
    }
    return bytes;
  }

  /** That of the graph that this thread reads or writes. */
  static HashingBudget current() {
    return CURRENT.get();
  }

  private void begin(int bytes) {
    most = FREE_OBJECTS + (long) OBJECTS_PER_BYTE * bytes;
    left = most;
  }

  /** These are elements of a set or keys of a map that is written. */
  void written(Iterable<?> hashed) {
    written.add(hashed);
  }

  /** Whether the map that is made next is put into as it is; asked once. */
  boolean takeRaw() {
    boolean raw = isRaw;
    isRaw = false;
    return raw;
  }

  /** The map that is made next is put into as it is, by somebody who counts himself. */
  void nextMapIsRaw() {
    isRaw = true;
  }

  /**
   * An element or a key is going to be hashed.
   *
   * @throws MalformedException when that is more than this graph may cost
   */
  void charge(@Nullable Object hashed) {
    count(hashed, 0);
  }

  private void count(@Nullable Object object, int depth) {
    if (--left < 0) {
      throw new MalformedException(
          "to hash the elements of its sets and the keys of its maps takes more than "
              + most
              + " steps, the limit for its length: sets or maps within elements and keys hold the"
              + " same objects too often");
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
      case Record record -> countComponents(record, depth);
      case null, default -> {
        // Its hash code is a step.
      }
    }
  }

  private void countAll(Iterable<?> objects, int depth) {
    for (Object object : objects) {
      count(object, depth + 1);
    }
  }

  private void countComponents(Record record, int depth) {
    countAll(classResolver.references(record), depth);
  }
}
