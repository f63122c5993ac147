package io.cantle.core.codec;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The mutable objects of the JDK, as far as functions may come to capture them. Some only make
 * sense if everybody shares them, such as atomics. The others hold something: containers, and
 * builders of texts and summaries. Functions often only read these.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class MutableTypes {
  /** The methods of containers and builders that change them. */
  private static final Set<String> MUTATORS =
      Set.of(
          ("accept add addAll addFirst addLast and andNot append appendCodePoint clear combine"
                  + " compute computeIfAbsent computeIfPresent delete deleteCharAt flip insert"
                  + " merge offer offerFirst offerLast or poll pollFirst pollFirstEntry pollLast"
                  + " pollLastEntry pop push put putAll putFirst putIfAbsent putLast remove"
                  + " removeAll removeFirst removeIf removeLast repeat replace replaceAll"
                  + " retainAll reverse set setCharAt setLength sort xor")
              .split(" "));

  private enum MutableKind {
    NONE,
    SHARED,
    CONTAINER,
    BUILDER
  }

  /** The kinds of classes. Containers with many elements ask for each of them. */
  private static final ClassValue<MutableKind> KINDS =
      new ClassValue<>() {
        @Override
        protected MutableKind computeValue(Class<?> type) {
          return classify(type);
        }
      };

  private static final List<Class<?>> SHARED_TYPES =
      List.of(
          CountDownLatch.class,
          CyclicBarrier.class,
          Phaser.class,
          Semaphore.class,
          RandomGenerator.class);

  private static final List<Class<?>> BUILDERS =
      List.of(
          StringBuilder.class,
          StringBuffer.class,
          StringJoiner.class,
          IntSummaryStatistics.class,
          LongSummaryStatistics.class,
          DoubleSummaryStatistics.class);

  private static final List<Class<?>> CONTAINERS =
      List.of(Collection.class, Map.class, BitSet.class);

  private MutableTypes() {}

  private static MutableKind classify(Class<?> type) {
    String name = type.getName();
    if (type.isArray() || (isAnyOf(CONTAINERS, type) && PlatformTypes.isPlatform(name))) {
      return MutableKind.CONTAINER;
    }
    if (isAnyOf(SHARED_TYPES, type)
        || name.startsWith("java.util.concurrent.atomic.")
        || name.startsWith("java.util.concurrent.locks.")) {
      return MutableKind.SHARED;
    }
    return isAnyOf(BUILDERS, type) ? MutableKind.BUILDER : MutableKind.NONE;
  }

  private static boolean isAnyOf(List<Class<?>> types, Class<?> type) {
    return types.stream().anyMatch(above -> above.isAssignableFrom(type));
  }

  private static MutableKind kindOf(Object object) {
    return KINDS.get(object.getClass());
  }

  /** Whether an object has no meaning but to be shared by all that use it. */
  static boolean isShared(Object object) {
    return kindOf(object) == MutableKind.SHARED;
  }

  /** Whether an object is an array, or a collection, map or bit set of the JDK. */
  static boolean isContainer(Object object) {
    return kindOf(object) == MutableKind.CONTAINER;
  }

  /** Whether an object of the JDK can be changed, so that {@link #copyState} shows it. */
  static boolean isMutable(Object object) {
    return kindOf(object) != MutableKind.NONE;
  }

  /** Whether a container or builder is changed by its method of this name. */
  static boolean isChangedBy(Object object, String method) {
    MutableKind kind = kindOf(object);
    return (kind == MutableKind.CONTAINER || kind == MutableKind.BUILDER)
        && MUTATORS.contains(method);
  }

  /**
   * Copies what a mutable object shows: the elements of a container as an array of objects or
   * primitives, the keys and values of a map by turns, and the text of anything else.
   */
  static Object copyState(Object mutable) {
    return switch (mutable) {
      case Collection<?> collection when isContainer(mutable) -> collection.toArray();
      case Map<?, ?> map when isContainer(mutable) -> {
        List<@Nullable Object> keysAndValues = new ArrayList<>(2 * map.size());
        forEachElement(map, keysAndValues::add);
        yield keysAndValues.toArray();
      }
      case BitSet bits -> bits.toLongArray();
      case Object[] array -> array.clone();
      case AtomicReference<?> reference -> new @Nullable Object[] {reference.get()};
      default -> {
        if (!mutable.getClass().isArray()) {
          yield mutable.toString();
        }
        int length = Array.getLength(mutable);
        Object copy = Array.newInstance(mutable.getClass().getComponentType(), length);
        System.arraycopy(mutable, 0, copy, 0, length);
        yield copy;
      }
    };
  }

  /** Calls the action with each object in a mutable object, without a copy of it. */
  static void forEachElement(Object mutable, Consumer<@Nullable Object> action) {
    switch (mutable) {
      case Collection<?> collection -> collection.forEach(action);
      case Map<?, ?> map ->
          map.forEach(
              (key, value) -> {
                action.accept(key);
                action.accept(value);
              });
      case Object[] array -> {
        if (!isOfPlainValues(array)) {
          for (Object element : array) {
            action.accept(element);
          }
        }
      }
      case AtomicReference<?> reference -> action.accept(reference.get());
      default -> {}
    }
  }

  /** Whether nothing in the array can be changed. */
  private static boolean isOfPlainValues(Object[] array) {
    Class<?> type = array.getClass().componentType();
    return type == String.class || type.isEnum() || type == Integer.class || type == Long.class;
  }
}
