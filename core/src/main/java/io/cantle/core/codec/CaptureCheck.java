package io.cantle.core.codec;

import java.lang.invoke.SerializedLambda;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what a function must not capture, before it is sent. A function that is sent works on a
 * copy of what it captured, so an object that all functions are to share is refused. Containers and
 * builders may be captured and read; {@link CaptureSnapshot} notices a change of them.
 *
 * <p><b>Threading:</b> one thread.
 */
final class CaptureCheck {
  private static final String ADVICE =
      " Let the call return its result (count, sum, reduce, collect)";

  private final Set<Object> visited = Collections.newSetFromMap(new IdentityHashMap<>(2));

  /**
   * Checks a captured value, and what is in it if it is a container. A captured lambda is left to
   * the call that sends it.
   *
   * @param index the index of the captured value, from 0
   * @throws IllegalArgumentException if the value only makes sense if it is shared, contains such
   *     an object, or would be changed because the function is a reference to a method that does
   */
  static void check(SerializedLambda lambda, int index) {
    Object captured = lambda.getCapturedArg(index);
    if (captured == null || isLambda(captured)) {
      return;
    }
    requireReading(lambda, index, captured);
    if (MutableTypes.isShared(captured)) {
      throw new IllegalArgumentException(sharedMessage(""));
    }
    if (MutableTypes.isContainer(captured)) {
      new CaptureCheck().checkElements(captured);
    }
  }

  private void checkElements(Object container) {
    Deque<Object> open = new ArrayDeque<>(2);
    open.add(container);
    for (Object next = open.poll(); next != null; next = open.poll()) {
      if (visited.add(next)) {
        if (MutableTypes.isContainer(next)) {
          MutableTypes.forEachElement(next, element -> checkElement(element, open));
        } else {
          addCaptured(next, open);
        }
      }
    }
  }

  private static void checkElement(@Nullable Object element, Deque<Object> open) {
    if (element != null) {
      if (MutableTypes.isShared(element)) {
        throw new IllegalArgumentException(
            sharedMessage("it contains a %s, and ".formatted(element.getClass().getName())));
      }
      if (MutableTypes.isContainer(element) || isLambda(element)) {
        open.add(element);
      }
    }
  }

  private static void addCaptured(Object function, Deque<Object> open) {
    SerializedLambda lambda = LambdaReflection.disassemble(function);
    for (int i = 0; lambda != null && i < lambda.getCapturedArgCount(); i++) {
      Object captured = lambda.getCapturedArg(i);
      if (captured != null) {
        requireReading(lambda, i, captured);
        checkElement(captured, open);
      }
    }
  }

  private static boolean isLambda(Object object) {
    return object.getClass().isHidden();
  }

  private static void requireReading(SerializedLambda lambda, int index, Object captured) {
    String method = lambda.getImplMethodName();
    if (LambdaReflection.isReceiver(lambda, index) && MutableTypes.isChangedBy(captured, method)) {
      throw new IllegalArgumentException(
          "%s would change a copy of it on each owner.%s".formatted(method, ADVICE));
    }
  }

  private static String sharedMessage(String found) {
    return ("%seach owner would change a copy of its own.%s, or read its value into a local variable"
            + " first")
        .formatted(found, ADVICE);
  }
}
