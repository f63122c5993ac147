package io.cantle.core.codec;

import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Array;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.DoubleSummaryStatistics;
import java.util.IdentityHashMap;
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
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a function may capture of the JDK's mutable objects. A function that is sent works on a copy
 * of what it captured. An object that is there to be changed is therefore refused. A container or
 * an array may be captured, because functions often read one; {@link CaptureSnapshot} notices a
 * change of it.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class MutableTypes {
  private static final String ADVICE =
      " Let the call return its result (count, sum, reduce, collect)";

  /** The methods of collections and maps that change them. */
  private static final Set<String> MUTATORS =
      Set.of(
          ("add addAll addFirst addLast clear compute computeIfAbsent computeIfPresent flip merge"
                  + " offer offerFirst offerLast poll pollFirst pollFirstEntry pollLast"
                  + " pollLastEntry pop push put putAll putFirst putIfAbsent putLast remove"
                  + " removeAll removeFirst removeIf removeLast replace replaceAll retainAll set"
                  + " sort")
              .split(" "));

  private MutableTypes() {}

  /**
   * Refuses a captured value that only makes sense if all functions share it.
   *
   * @param index the index of the captured value, from 0
   * @throws IllegalArgumentException if the value is such an object or contains one, or if the
   *     function is a reference to a method that changes it
   */
  @SuppressWarnings("ReferenceEquality") // It asks for the captured object itself.
  static void checkCaptured(SerializedLambda lambda, int index) {
    Object captured = lambda.getCapturedArg(index);
    if (captured == null) {
      return;
    }
    if (index == 0
        && lambda.getImplMethodKind() != MethodHandleInfo.REF_invokeStatic
        && MUTATORS.contains(lambda.getImplMethodName())
        && isContainer(captured)) {
      throw new IllegalArgumentException(
          "%s would change a copy of it on each owner.%s"
              .formatted(lambda.getImplMethodName(), ADVICE));
    }
    visitAll(
        captured,
        (object, _) -> {
          if (isState(object)) {
            throw new IllegalArgumentException(
                "%seach owner would change a copy of its own.%s, or read its value into a local"
                        .formatted(
                            object == captured
                                ? ""
                                : "it contains a %s, and ".formatted(object.getClass().getName()),
                            ADVICE)
                    + " variable first");
          }
        });
  }

  /** Whether an object of the JDK has no other purpose than to be changed. */
  static boolean isState(Object object) {
    return switch (object) {
      case StringBuilder _, StringBuffer _, StringJoiner _ -> true;
      case IntSummaryStatistics _, LongSummaryStatistics _, DoubleSummaryStatistics _ -> true;
      case CountDownLatch _, CyclicBarrier _, Phaser _, Semaphore _, RandomGenerator _ -> true;
      default -> {
        String name = object.getClass().getName();
        yield name.startsWith("java.util.concurrent.atomic.")
            || name.startsWith("java.util.concurrent.locks.");
      }
    };
  }

  /** Whether an object is an array, or a collection, map or bit set of the JDK. */
  static boolean isContainer(Object object) {
    return switch (object) {
      case Collection<?> _, Map<?, ?> _, BitSet _ ->
          PlatformTypes.isPlatform(object.getClass().getName());
      default -> object.getClass().isArray();
    };
  }

  /**
   * Visits an object and, if it is a container, all that is in it at any depth. A container is
   * visited once, with a copy of its contents as of {@link #copyContents}; what is none, with null.
   */
  static void visitAll(Object root, BiConsumer<Object, @Nullable Object> visitor) {
    if (!isContainer(root)) {
      visitor.accept(root, null);
      return;
    }
    Set<Object> visited = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> open = new ArrayDeque<>();
    visited.add(root);
    for (Object next = root; next != null; next = open.poll()) {
      Object contents = copyContents(next);
      visitor.accept(next, contents);
      if (contents instanceof @Nullable Object[] elements) {
        for (Object element : Arrays.<@Nullable Object>asList(elements)) {
          if (element != null && !isContainer(element)) {
            visitor.accept(element, null);
          } else if (element != null && visited.add(element)) {
            open.add(element);
          }
        }
      }
    }
  }

  /** Copies what is in a container: an array of objects, or of primitives. */
  static Object copyContents(Object container) {
    return switch (container) {
      case Collection<?> collection -> collection.toArray();
      case Map<?, ?> map -> {
        List<@Nullable Object> keysAndValues = new ArrayList<>(2 * map.size());
        map.forEach(
            (key, value) -> {
              keysAndValues.add(key);
              keysAndValues.add(value);
            });
        yield keysAndValues.toArray();
      }
      case BitSet bits -> bits.toLongArray();
      case Object[] array -> array.clone();
      default -> {
        int length = Array.getLength(container);
        Object copy = Array.newInstance(container.getClass().getComponentType(), length);
        System.arraycopy(container, 0, copy, 0, length);
        yield copy;
      }
    };
  }
}
