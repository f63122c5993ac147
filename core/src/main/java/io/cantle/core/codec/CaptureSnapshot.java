package io.cantle.core.codec;

import java.lang.invoke.SerializedLambda;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was in the containers, arrays and builders that functions have captured, before these
 * functions ran. A function that was sent has a copy of what it captured. So a change of that would
 * be lost, and whatever the author meant by it. The fields of an object count as well, if the
 * function is a method of it: {@code this} of a lambda that uses a field, the receiver of a method
 * reference, and a function that is an object of the author's class.
 *
 * <p>Contents are compared by the identity of their elements, which is cheap. Other objects of the
 * author's classes are not looked into: the function may change one and return it. A field that was
 * unset may be a result that its object remembers, such as a hash code. It counts only if the
 * lambda itself sets it.
 *
 * <p><b>Threading:</b> one thread, that of the functions.
 */
public final class CaptureSnapshot {
  private static final ClassValue<Boolean> IS_FUNCTION =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return type.isHidden() || (hasFields(type) && NamedFunctionRegistry.isFunction(type));
        }
      };

  private final List<CapturedState> states = new ArrayList<>(0);
  private @Nullable Set<Object> visited;

  /**
   * An object that counts, and where it was found.
   *
   * @param hasFields whether its fields count
   */
  private record FoundObject(Object object, boolean hasFields, CaptureOrigin origin) {}

  /**
   * Where a captured object was found.
   *
   * @param lambda the parts of the function; null if it is an object of the author's class
   * @param index the index of the captured value, from 0
   */
  private record CaptureOrigin(
      Object function, @Nullable SerializedLambda lambda, int index, ClassResolver classResolver) {
    String describe() {
      return lambda == null
          ? "what the function " + function.getClass().getTypeName() + " has in its fields"
          : new CapturedVariable(function.getClass(), lambda, index, classResolver).describe();
    }

    /** Whether the body of a lambda sets a field of {@code this}. */
    boolean sets(String field) {
      return lambda != null
          && LambdaSource.read(function.getClass(), lambda).setFields().contains(field);
    }
  }

  /**
   * An object as it was before the functions ran.
   *
   * @param state what it showed: its fields, or what is in it
   */
  private record CapturedState(
      Object object, boolean hasFields, Object state, CaptureOrigin origin) {
    static CapturedState of(FoundObject found) {
      return new CapturedState(
          found.object, found.hasFields, read(found.object, found.hasFields), found.origin);
    }

    private static Object read(Object object, boolean hasFields) {
      return hasFields ? InstanceFields.read(object) : MutableTypes.copyState(object);
    }

    boolean isChanged() {
      Object now = read(object, hasFields);
      return (state instanceof @Nullable Object[] before && now instanceof @Nullable Object[] after)
          ? isAnyChanged(before, after)
          : !Objects.deepEquals(state, now);
    }

    private boolean isAnyChanged(@Nullable Object[] before, @Nullable Object[] after) {
      boolean isChanged = before.length != after.length;
      for (int i = 0; !isChanged && i < before.length; i++) {
        isChanged = !isSame(before[i], after[i]) && !isRemembered(i, before[i]);
      }
      return isChanged;
    }

    /** Whether the object itself may have set a field later than its constructor. */
    private boolean isRemembered(int field, @Nullable Object before) {
      return hasFields
          && isUnset(before)
          && !origin.sets(InstanceFields.of(object.getClass()).get(field).getName());
    }

    private static boolean isUnset(@Nullable Object value) {
      return switch (value) {
        case null -> true;
        case Number number -> number.doubleValue() == 0;
        case Boolean isSet -> !isSet;
        case Character character -> character == 0;
        default -> false;
      };
    }

    /** Whether two elements are the same; a number may have been boxed anew. */
    @SuppressWarnings("ReferenceEquality") // Another object that is equal is a change.
    private static boolean isSame(@Nullable Object before, @Nullable Object after) {
      boolean isBoxed =
          before instanceof Number || before instanceof Boolean || before instanceof Character;
      return before == after || (isBoxed && Objects.equals(before, after));
    }
  }

  /** Creates a snapshot that is empty until functions are decoded with it. */
  public CaptureSnapshot() {}

  /**
   * Adds what a function has captured, and the functions among that.
   *
   * @param namedFunctions the functions of this node, which are no copies
   */
  void add(Object function, ClassResolver classResolver, NamedFunctionRegistry namedFunctions) {
    Deque<FoundObject> open = new ArrayDeque<>(2);
    addCaptured(function, classResolver, open);
    for (FoundObject next = open.poll(); next != null; next = open.poll()) {
      Object object = next.object;
      if (!isFirstVisit(object) || namedFunctions.contains(object)) {
        continue;
      }
      if (object.getClass().isHidden()) {
        addCaptured(object, classResolver, open);
        continue;
      }
      CapturedState state = CapturedState.of(next);
      states.add(state);
      if (next.hasFields) {
        for (Object field : (@Nullable Object[]) state.state) {
          addValue(field, next.origin, open);
        }
      } else {
        CaptureOrigin origin = next.origin;
        MutableTypes.forEachElement(object, element -> addValue(element, origin, open));
      }
    }
  }

  private static void addCaptured(
      Object function, ClassResolver classResolver, Deque<FoundObject> open) {
    SerializedLambda lambda = LambdaReflection.disassemble(function);
    if (lambda == null) {
      if (hasFields(function.getClass())) {
        open.add(
            new FoundObject(function, true, new CaptureOrigin(function, null, 0, classResolver)));
      }
      return;
    }
    for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
      Object captured = lambda.getCapturedArg(i);
      CaptureOrigin origin = new CaptureOrigin(function, lambda, i, classResolver);
      if (captured != null
          && LambdaReflection.isReceiver(lambda, i)
          && hasFields(captured.getClass())) {
        open.add(new FoundObject(captured, true, origin));
      } else {
        addValue(captured, origin, open);
      }
    }
  }

  private static void addValue(
      @Nullable Object value, CaptureOrigin origin, Deque<FoundObject> open) {
    if (value == null) {
      return;
    }
    if (IS_FUNCTION.get(value.getClass())) {
      open.add(new FoundObject(value, !value.getClass().isHidden(), origin));
    } else if (MutableTypes.isMutable(value)) {
      open.add(new FoundObject(value, false, origin));
    }
  }

  /** Whether objects are of the author's class, and copies: an enum constant is none. */
  private static boolean hasFields(Class<?> type) {
    return !Enum.class.isAssignableFrom(type)
        && !type.isHidden()
        && !type.isArray()
        && !PlatformTypes.isPlatform(type.getName());
  }

  private boolean isFirstVisit(Object object) {
    Set<Object> all = visited;
    if (all == null) {
      all = Collections.newSetFromMap(new IdentityHashMap<>(4));
      visited = all;
    }
    return all.add(object);
  }

  /**
   * To be called after the functions have run, and before their result counts.
   *
   * @throws IllegalStateException if a function has changed what it captured
   */
  public void requireUnchanged() {
    for (CapturedState state : states) {
      if (state.isChanged()) {
        throw new IllegalStateException(
            ("%s was changed by a function that runs on the owners of entries: it has a copy there,"
                    + " and the change would be lost. Let the call return its result (collect,"
                    + " reduce, count, the value of compute), or run the function on the calling"
                    + " node: use forEach, or give the function as its java.util.function type")
                .formatted(state.origin.describe()));
      }
    }
  }
}
